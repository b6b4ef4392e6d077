package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.program.PgBouncer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server whose database URL leads to PgBouncer, with a direct URL beside it. */
@PostgresTest(failOnOpenSessions = false)
@Tag("slow")
@NeedsProgram("pgbouncer")
class DirectUrlTest {
    @Test
    void its_own_connection_is_direct_and_events_are_recorded_without_waiting_for_a_poll(TestDatabase database)
            throws Exception {
        try (PgBouncer pooler = PgBouncer.before(database, 8);
                LiveServer server = LiveServer.on(
                        database,
                        Map.of(
                                "postrider.database-url",
                                pooler.url(),
                                "postrider.direct-url",
                                database.jdbcUrl(),
                                "postrider.event-log.topics",
                                "orders",
                                "postrider.poll",
                                "5m"))) {
            for (int i = 1; i <= 5; i++) {
                assertThat(server.post(server.operator(), "/v1/topics/orders/events", "{\"type\":\"a\",\"payload\":{}}")
                                .status())
                        .isEqualTo(201);
                int wanted = i;
                Await.until(
                        "it is recorded",
                        Duration.ofSeconds(30),
                        () -> number(database, "select count(*) from postrider.event_log") == wanted);
            }
            assertThat(number(
                            database,
                            "select count(*) from pg_locks k join pg_stat_activity a using (pid)"
                                    + " where k.locktype = 'advisory' and k.classid = 'postrider.event'::regclass::oid"
                                    + " and k.objid = 3 and k.granted and a.application_name = 'postrider-wire'"))
                    .as("leadership, held by a session of its own")
                    .isEqualTo(1);
        }
    }

    private static long number(TestDatabase database, String sql) throws Exception {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        }
    }
}
