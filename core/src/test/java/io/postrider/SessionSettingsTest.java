package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Finding;
import io.postrider.admin.Jobs.State;
import io.postrider.admin.VerifyResult;
import io.postrider.testkit.TestDatabase;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Settings that a role, a database or a URL may bring, and that change how PostgreSQL reads or writes text. */
class SessionSettingsTest {
    /** Sent as text, the array {null, "k"} became {'NULL', 'k'}: events without a key waited for each other. */
    @Test
    void with_array_nulls_off_an_event_without_a_key_has_no_key() {
        try (TestDatabase database = TestDatabase.create();
                Node node = new Node(withSetting(database, "array_nulls", "off"), options -> options);
                Psql psql = new Psql(database)) {
            assertThat(node.number("select count(*) from pg_settings where name = 'array_nulls' and setting = 'off'"))
                    .isEqualTo(1);
            node.emit(
                    Event.of("orders", "bare", "{}"),
                    Event.of("orders", "keyed", "{}").withKey("k").withProject("p"));
            node.inTransaction(connection -> node.postrider.enqueueAll(
                    connection,
                    List.of(Job.of("q", "t", "{}"), Job.of("q", "t", "{}").withKey("k"))));
            assertThat(psql.texts("select concat_ws(' ', type, key, project_id, user_id, aggregate_type, aggregate_id)"
                            + " from postrider.event where topic = 'orders' order by id"))
                    .containsExactly("bare", "keyed k p");
            assertThat(psql.texts("select concat_ws(' ', type, key, project_id, user_id) from postrider.event"
                            + " where topic = 'queue:q' order by id"))
                    .containsExactly("t", "t k");
        }
    }

    /** A check that compared the schema's name with quote_ident() of it refused to start. */
    @Test
    void with_quote_all_identifiers_a_node_migrates_starts_and_runs() {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (TestDatabase database = TestDatabase.create()) {
            String url = withSetting(database, "quote_all_identifiers", "on");
            try (Node node = new Node(url, options -> options)) {
                node.postrider.migrate();
                node.postrider.add(Worker.on("q").handling("t", job -> Fate.done()));
                node.postrider.add(node.postrider.eventLog().listener("orders"));
                node.with(Listener.relay("l", "orders", event -> heard.add(event.type())));
                node.emit(Event.of("orders", "a", "{}"), Event.of("orders", "b", "{}"));
                node.awaitCursor("l", 2);
                awaitState(node, JobDesk.enqueue(node, Job.of("q", "t", "{}")), State.DONE);
                assertThat(heard).containsExactly("a", "b");
                List<String> failed = new ArrayList<>();
                node.postrider.doctor().examine((check, finding) -> {
                    if (finding.level() == Finding.Level.FAIL) {
                        failed.add(check + ": " + finding.text());
                    }
                });
                assertThat(failed).isEmpty();
                assertThat(node.postrider.verifier().verify(step -> {})).allMatch(VerifyResult::holds);
            }
        }
    }

    private static String withSetting(TestDatabase database, String name, String value) {
        return database.jdbcUrl() + "&options=" + URLEncoder.encode("-c " + name + "=" + value, StandardCharsets.UTF_8);
    }
}
