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
 * What the listeners of the fault suite leave behind: a row for each event handled, with nothing that would keep out a
 * second one. That there is none is for Postrider to see to, not for a unique constraint.
 *
 * <p>{@code effect} is written in the transaction that moves the cursor: exactly once. The same transaction counts in
 * {@code tally}, one row, which it keeps locked to its end, as the balance of an account would be. {@code sent} is written
 * over a connection of its own, as a service elsewhere would be called: at least once. {@code n} tells in which order.
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

    /** Makes the tables of the traces, and the counters that producers take their numbers from. */
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

    /** A relay. What it calls "outside" is the same database, over connections that know nothing of the node's. */
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
