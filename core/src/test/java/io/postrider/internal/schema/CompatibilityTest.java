package io.postrider.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.Listener;
import io.postrider.Node;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Psql;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** An application that is rolled back finds the schema of a newer version: it runs, or is refused with the reason. */
@PostgresTest
class CompatibilityTest {
    private static final int KNOWN = Migrator.MIGRATIONS.size();

    private final TestDatabase database;

    CompatibilityTest(TestDatabase database) {
        this.database = database;
        migrate();
    }

    @Test
    void it_runs_on_a_newer_schema_that_permits_it_and_changes_nothing_there() {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (Psql psql = new Psql(database)) {
            newer(psql, KNOWN + 1, KNOWN);
            newer(psql, KNOWN + 2, KNOWN);
            psql.execute("alter table postrider.listener add column added_later text not null default 'x'");
            psql.execute("update postrider.migration set digest = 'of the newer version' where version = 0");
            try (Node node = new Node(database)) { // migrates
                node.with(Listener.relay("relay", "orders", event -> heard.add(event.type())));
                node.emit(Event.of("orders", "a", "{}"));
                Await.until("it arrived", () -> heard.size() == 1);
                assertThat(node.postrider.migrations().statements()).isEmpty();
                assertThat(node.postrider.migrations().plan().missing()).isEmpty();
            }
            assertThat(psql.text("select digest from postrider.migration where version = 0"))
                    .as("its older functions do not replace the newer ones")
                    .isEqualTo("of the newer version");
        }
    }

    @Test
    void it_is_refused_with_the_reason_if_one_of_the_newer_migrations_does_not_permit_it() {
        try (Psql psql = new Psql(database)) {
            newer(psql, KNOWN + 1, KNOWN + 1);
            newer(psql, KNOWN + 2, KNOWN);
            assertThatThrownBy(this::migrate)
                    .isInstanceOfSatisfying(
                            PostriderException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CONFLICT))
                    .hasMessageContaining(
                            "the schema has version " + (KNOWN + 2) + ", this Postrider knows versions up to " + KNOWN
                                    + ", and the oldest that works on this schema knows " + (KNOWN + 1))
                    .hasMessageContaining("upgrade Postrider");
        }
    }

    @Test
    void a_migration_that_says_nothing_permits_no_older_version() {
        try (Psql psql = new Psql(database)) {
            psql.execute("insert into postrider.migration (version, name, digest) values (" + (KNOWN + 1)
                    + ", 'later', '')");
            assertThatThrownBy(this::migrate).hasMessageContaining("upgrade Postrider");
        }
    }

    @Test
    void a_file_names_the_oldest_version_in_a_line_of_its_own() {
        assertThat(Compatibility.oldest("-- Adds a column.\n-- oldest: 16\nalter table …"))
                .contains(16);
        assertThat(Compatibility.oldest("-- oldest: the oldest version\nalter table …"))
                .isEmpty();
    }

    private void migrate() {
        Postrider.on(database.dataSource()).migrate();
    }

    private static void newer(Psql psql, int version, int oldest) {
        psql.execute("insert into postrider.migration (version, name, digest, oldest) values (" + version
                + ", 'later', '', " + oldest + ")");
    }
}
