package io.postrider.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Background;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

@PostgresTest
class EarTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void the_stream_of_this_driver_can_be_reached(TestDatabase database) throws SQLException {
        try (Connection listening = database.dataSource().getConnection()) {
            assertThat(ear(listening).isQuick()).isTrue();
        }
    }

    @Test
    void it_returns_with_the_first_notification_although_more_come_without_a_pause(TestDatabase database)
            throws SQLException {
        AtomicBoolean enough = new AtomicBoolean();
        try (Connection listening = database.dataSource().getConnection();
                Connection notifying = database.dataSource().getConnection()) {
            execute(listening, "listen storm");
            Ear ear = ear(listening);
            CompletableFuture<Integer> storm = Background.get(() -> {
                int sent = 0;
                while (!enough.get() && sent < 100_000) {
                    execute(notifying, "notify storm");
                    sent++;
                }
                return sent;
            });
            int heard = 0;
            for (int i = 0; i < 20; i++) {
                heard += ear.await(LONG).length;
            }
            enough.set(true);
            assertThat(storm.join())
                    .as("it was not waited for the end of the storm")
                    .isLessThan(100_000);
            assertThat(heard).isGreaterThanOrEqualTo(20);
        }
    }

    @Test
    void what_came_with_the_answer_to_a_statement_is_not_waited_for(TestDatabase database) throws SQLException {
        try (Connection listening = database.dataSource().getConnection();
                Connection notifying = database.dataSource().getConnection()) {
            execute(listening, "listen ears");
            execute(notifying, "notify ears, 'first'");
            execute(notifying, "notify ears, 'second'");
            execute(listening, "select pg_sleep(0)");
            assertThat(Stream.of(ear(listening).await(LONG)).map(PGNotification::getParameter))
                    .containsExactly("first", "second");
        }
    }

    @Test
    void it_gives_up_in_time_and_the_connection_is_as_before(TestDatabase database) throws SQLException {
        try (Connection listening = database.dataSource().getConnection()) {
            listening.setNetworkTimeout(Runnable::run, 45_000);
            execute(listening, "listen ears");
            assertThat(ear(listening).await(Duration.ofMillis(5))).isEmpty();
            assertThat(listening.getNetworkTimeout()).isEqualTo(45_000);
            execute(listening, "select pg_sleep(0.05)"); // longer than the wait was
        }
    }

    @Test
    void a_connection_that_ends_is_an_error_of_the_connection(TestDatabase database) throws SQLException {
        try (Connection listening = database.dataSource().getConnection();
                Connection ending = database.dataSource().getConnection()) {
            execute(listening, "listen ears");
            Ear ear = ear(listening);
            execute(
                    ending,
                    "select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen ears' and pid <> pg_backend_pid()");
            String state = "";
            try {
                ear.await(LONG);
            } catch (SQLException e) {
                state = SqlState.of(e);
            }
            assertThat(SqlState.isUnreachable(state)).as("state %s", state).isTrue();
        }
    }

    private static Ear ear(Connection connection) throws SQLException {
        return new Ear(connection, connection.unwrap(PGConnection.class));
    }

    private static void execute(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
