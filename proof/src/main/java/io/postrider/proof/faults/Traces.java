package io.postrider.proof.faults;

import io.postrider.Handler;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.StartPoint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * The rows that the listeners of the fault suite write: one per handled event, without a unique constraint, because Postrider
 * itself must prevent duplicates.
 *
 * <p>{@code effect} is written in the transaction that moves the cursor: exactly once. The same transaction counts in
 * {@code tally}, one row that stays locked to its end, like the balance of an account. {@code sent} is written over a separate
 * connection, like a call of an external service: at least once. {@code n} gives the order.
 */
public final class Traces {
    /** The transactional listener. */
    public static final String EFFECT = "effect";

    /** The relay. */
    public static final String SENT = "sent";

    private static final String TABLES = """
            create table if not exists effect (
              n bigint generated always as identity, position bigint not null, event_id uuid not null, worker text not null);
            create table if not exists sent (
              n bigint generated always as identity, position bigint not null, event_id uuid not null, worker text not null);
            create table if not exists tally (n bigint not null);
            insert into tally select 0 where not exists (select from tally);
            create table if not exists counter (key text primary key, n bigint not null);
            """;

    private Traces() {}

    /** Creates the tables of the traces and the counters from which producers take their numbers. */
    public static void create(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            execute(connection, TABLES);
        }
    }

    /** A listener whose effects commit with its cursor. */
    public static Listener effect(String topic, String worker, Handler.Transactional then) {
        return Listener.transactional(EFFECT, topic, (connection, event) -> {
                    leave(connection, EFFECT, event, worker);
                    execute(connection, "update tally set n = n + 1");
                    then.handle(connection, event);
                })
                .withBatch(50)
                .withStart(StartPoint.beginning());
    }

    /** A relay. Its "external service" is the same database, over connections that are independent of the node's. */
    public static Listener sent(String topic, String worker, DataSource outside) {
        return Listener.relay(SENT, topic, event -> {
                    try (Connection connection = outside.getConnection()) {
                        leave(connection, SENT, event, worker);
                    }
                })
                .withBatch(50)
                .withBackoff(Duration.ofMillis(50), Duration.ofSeconds(1))
                .withStart(StartPoint.beginning());
    }

    static void leave(Connection connection, String table, LogEvent event, String worker) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "insert into " + table + " (position, event_id, worker) values (?, ?, ?)")) {
            insert.setLong(1, event.position());
            insert.setObject(2, event.id());
            insert.setString(3, worker);
            insert.executeUpdate();
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
