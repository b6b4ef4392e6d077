package io.postrider.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Migrated;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Migrated
@Tag("security")
class ListenConnectionTest {
    private static final Sql TIMEOUT =
            Sql.text("timeout", "select current_setting('statement_timeout') as statement_timeout");

    private static final String FLOOD =
            "select count(pg_notify('postrider', repeat('x', 7900) || i)) from generate_series(1, 1000) i";

    /** A backend whose client is gone goes on until its statement ends; without a timeout these piled up. */
    @Test
    void a_statement_without_a_client_ends_but_not_before_a_large_pass_can_finish(TestDatabase database) {
        Database postrider = new Database(database.dataSource(), SchemaName.of("postrider"));
        try (ListenConnection line = ListenConnection.open(database.dataSource(), postrider)) {
            line.listen("postrider", Set.of("event"), new ListenPause());
            assertThat(line.session().one(TIMEOUT, Bind::nothing, row -> row.text("statement_timeout")))
                    .contains("6h");
        }
    }

    @Test
    void after_a_flood_listening_pauses_for_a_growing_time(TestDatabase database) throws SQLException {
        Database postrider = new Database(database.dataSource(), SchemaName.of("postrider"));
        ListenPause pause = new ListenPause(Duration.ofMillis(300));
        try (ListenConnection line = ListenConnection.open(database.dataSource(), postrider);
                Connection other = database.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            line.listen("postrider", Set.of("event"), pause);
            Duration before = Duration.ZERO;
            for (int i = 0; i < 2; i++) {
                assertThat(line.isListening()).isTrue();
                statement.execute(FLOOD);
                Await.until("the flood was noticed", () -> {
                    line.await(Duration.ofMillis(10));
                    return !line.isListening();
                });
                long began = System.nanoTime();
                assertThat(notifiedBy(statement, line)).as("it does not listen").isEmpty();
                Await.until("it listens again", () -> {
                    line.await(Duration.ofMillis(10));
                    return line.isListening();
                });
                Duration took = Duration.ofNanos(System.nanoTime() - began);
                assertThat(took).isGreaterThan(before.plusMillis(100));
                before = took;
                assertThat(notifiedBy(statement, line)).containsExactly("event");
            }
        }
    }

    private static List<String> notifiedBy(Statement statement, ListenConnection line) throws SQLException {
        statement.execute("notify postrider, 'event'");
        return line.await(Duration.ofMillis(100));
    }
}
