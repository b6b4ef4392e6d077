package io.postrider.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Background;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

@PostgresTest
@Tag("security")
class NotificationWaitTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void the_stream_of_this_driver_can_be_reached(TestDatabase database) throws SQLException {
        try (Connection listening = database.dataSource().getConnection()) {
            assertThat(ear(listening, "a").canListen()).isTrue();
        }
    }

    @Test
    void the_wait_ends_with_the_first_notification_of_a_continuous_stream(TestDatabase database) throws SQLException {
        AtomicBoolean enough = new AtomicBoolean();
        try (Connection listening = database.dataSource().getConnection();
                Connection notifying = database.dataSource().getConnection()) {
            NotificationWait ear = ear(listening, "");
            execute(listening, "listen storm");
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
                heard += ear.await(LONG).size();
            }
            enough.set(true);
            assertThat(storm.join())
                    .as("it was not waited for the end of the storm")
                    .isLessThan(100_000);
            assertThat(heard).isGreaterThanOrEqualTo(20);
        }
    }

    @Test
    void a_notification_received_with_a_statement_ends_the_wait_at_once(TestDatabase database) throws SQLException {
        try (Connection listening = database.dataSource().getConnection();
                Connection notifying = database.dataSource().getConnection()) {
            NotificationWait ear = ear(listening, "first", "second");
            execute(listening, "listen ears");
            execute(notifying, "notify ears, 'first'");
            execute(notifying, "notify ears, 'second'");
            execute(listening, "select pg_sleep(0)");
            assertThat(ear.await(LONG)).containsExactly("first", "second");
        }
    }

    @Test
    void the_wait_times_out_and_leaves_the_connection_unchanged(TestDatabase database) throws SQLException {
        try (Connection listening = database.dataSource().getConnection()) {
            listening.setNetworkTimeout(Runnable::run, 45_000);
            NotificationWait ear = ear(listening, "a");
            execute(listening, "listen ears");
            assertThat(ear.await(Duration.ofMillis(5))).isEmpty();
            assertThat(listening.getNetworkTimeout()).isEqualTo(45_000);
            execute(listening, "select pg_sleep(0.05)"); // longer than the wait was
        }
    }

    @Test
    void a_closed_connection_during_the_wait_is_a_connection_error(TestDatabase database) throws SQLException {
        try (Connection listening = database.dataSource().getConnection();
                Connection ending = database.dataSource().getConnection()) {
            NotificationWait ear = ear(listening, "a");
            execute(listening, "listen ears");
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

    @Test
    void other_payloads_are_dropped_before_the_driver_keeps_them(TestDatabase database) throws SQLException {
        try (Connection listening = database.dataSource().getConnection();
                Connection notifying = database.dataSource().getConnection()) {
            NotificationWait ear = ear(listening, "word");
            execute(listening, "listen ears");
            execute(notifying, "select pg_notify('ears', repeat('x', 7900) || i) from generate_series(1, 100) i");
            execute(notifying, "notify ears, 'word'");
            execute(listening, "select pg_sleep(0)");
            assertThat(listening.unwrap(PGConnection.class).getNotifications()).isNullOrEmpty();
            assertThat(ear.await(LONG)).containsExactly("word");
            assertThat(ear.isFlooded()).isFalse();
            assertThat(ear.takeFlood().bytes()).isGreaterThan(790_000);
        }
    }

    @Test
    void answers_of_any_size_pass_unchanged_between_notifications(TestDatabase database) throws SQLException {
        try (Connection listening = database.dataSource().getConnection();
                Connection notifying = database.dataSource().getConnection()) {
            NotificationWait ear = ear(listening, "word");
            execute(listening, "listen ears");
            for (int size : new int[] {0, 1, 8_000, 65_530, 65_536, 1_000_000}) {
                execute(notifying, "select pg_notify('ears', 'x' || i) from generate_series(1, 20) i");
                execute(notifying, "notify ears, 'word'");
                try (Statement statement = listening.createStatement();
                        ResultSet result = statement.executeQuery("select repeat('y', " + size + "), 'end'")) {
                    result.next();
                    assertThat(result.getString(1)).isEqualTo("y".repeat(size));
                    assertThat(result.getString(2)).isEqualTo("end");
                }
                assertThat(ear.await(LONG)).containsExactly("word");
            }
        }
    }

    @Test
    void a_flood_is_detected_without_waiting_for_a_notification_of_ours(TestDatabase database) throws SQLException {
        try (Connection listening = database.dataSource().getConnection();
                Connection notifying = database.dataSource().getConnection()) {
            NotificationWait ear = ear(listening, "word");
            execute(listening, "listen ears");
            execute(notifying, "select pg_notify('ears', repeat('x', 7900) || i) from generate_series(1, 1000) i");
            assertThat(ear.await(LONG)).isEmpty();
            assertThat(ear.isFlooded()).isTrue();
            execute(listening, "unlisten *");
            ear.takeFlood();
            assertThat(ear.isFlooded()).isFalse();
        }
    }

    /** As a pool does: the same physical connection, first ours, then the application's, then ours again. */
    @Test
    void a_returned_connection_receives_notifications_for_its_next_user(TestDatabase database) throws SQLException {
        try (Connection pooled = database.dataSource().getConnection();
                Connection notifying = database.dataSource().getConnection()) {
            ear(pooled, "word").stop();
            execute(pooled, "listen application");
            execute(notifying, "notify application, 'hello'");
            assertThat(pooled.unwrap(PGConnection.class).getNotifications((int) LONG.toMillis()))
                    .hasSize(1);
            NotificationWait again = ear(pooled, "hello");
            execute(notifying, "notify application, 'hello'");
            assertThat(again.await(LONG)).containsExactly("hello");
        }
    }

    private static NotificationWait ear(Connection connection, String... words) throws SQLException {
        NotificationWait ear = new NotificationWait(connection, connection.unwrap(PGConnection.class));
        ear.accept(Set.of(words), -1);
        return ear;
    }

    private static void execute(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
