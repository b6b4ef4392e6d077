package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Finding;
import io.postrider.admin.VerifyResult;
import io.postrider.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What identifies the cluster on a managed server that refuses the functions which every pass calls. */
class ClusterIdentityTest {
    private TestDatabase database;
    private Psql admin;
    private String owner;

    @BeforeEach
    void open() {
        database = TestDatabase.create();
        admin = new Psql(database);
        owner = "owner_" + database.name();
        admin.execute("create role " + owner + " login password 'x'")
                .execute("grant create on database " + database.name() + " to " + owner);
    }

    @AfterEach
    void close() {
        admin.execute("drop owned by " + owner + " cascade").execute("drop role " + owner);
        admin.close();
        database.close();
    }

    @ParameterizedTest
    @CsvSource({"'pg_current_wal_insert_lsn()', 1", "'pg_control_system(), pg_current_wal_insert_lsn()', -1"})
    void a_node_runs_where_the_functions_are_refused_and_doctor_says_what_is_weaker(String refused, int sign) {
        admin.execute("revoke execute on function " + refused + " from public");
        List<String> heard = new CopyOnWriteArrayList<>();
        Listener listener = Listener.relay("l", "orders", event -> heard.add(event.type()));
        try (Node node = node().with(listener)) {
            node.emit(Event.of("orders", "a", "{}"));
            node.awaitCursor("l", 1);
        }
        try (Node node = node().with(listener)) {
            node.emit(Event.of("orders", "b", "{}"));
            node.awaitCursor("l", 2);
            assertThat(admin.texts("select sign(system_identifier) || ' ' || (timeline like 'start %')::int"
                            + " from postrider.era"))
                    .as("one era: the identity stays the same")
                    .containsExactly(sign + " 1");
            assertThat(findings(node)).hasSize(refused.split(",").length).allSatisfy(finding -> {
                assertThat(finding.level()).isEqualTo(Finding.Level.WARN);
                assertThat(finding.advice()).startsWith("grant execute on function pg_c");
                assertThat(refused).contains(finding.text().replaceAll(".*may not call (\\S+\\(\\)).*", "$1"));
            });
            admin.execute("update postrider.era set timeline = 'start 0'"); // as if the server had been restarted
            node.emit(Event.of("orders", "c", "{}"));
            node.awaitCursor("l", 3);
            assertThat(admin.texts("select reason from postrider.era order by era"))
                    .containsExactly("first pass", "another timeline");
            assertThat(heard).containsExactly("a", "b", "c");
            assertThat(node.postrider.verifier().verify(step -> {})).allMatch(VerifyResult::holds);
        }
    }

    @Test
    void with_the_usual_rights_doctor_has_nothing_to_say_about_it() {
        try (Node node = node().with(Listener.relay("l", "orders", event -> {}))) {
            assertThat(findings(node)).containsExactly(Finding.ok("by system identifier and timeline"));
            node.emit(Event.of("orders", "a", "{}"));
            node.awaitCursor("l", 1);
            assertThat(findings(node)).containsExactly(Finding.ok("by system identifier and timeline"));
        }
    }

    private Node node() {
        return new Node(
                database.jdbcUrl().replaceAll("\\?.*", "") + "?user=" + owner + "&password=x", options -> options);
    }

    private static List<Finding> findings(Node node) {
        List<Finding> findings = new ArrayList<>();
        node.postrider.doctor().examine((check, finding) -> {
            if (check.equals("cluster identity")) {
                findings.add(finding);
            }
        });
        return findings;
    }
}
