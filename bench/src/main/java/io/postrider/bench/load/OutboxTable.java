package io.postrider.bench.load;

import io.postrider.bench.database.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;

/**
 * The baseline: a minimal outbox table. One insert into it is the least that any outbox costs. It guarantees little: a reader
 * that uses {@code id > last} loses events that are committed out of order.
 */
public final class OutboxTable {
    public static final String CHANNEL = "outbox";

    private static final String INSERT =
            "insert into outbox (event_id, topic, type, key, payload) values (?, ?, ?, ?, ?::jsonb)";

    private OutboxTable() {}

    public static void create(Connection connection) throws SQLException {
        Statements.execute(connection, """
                create table outbox (
                  id          bigserial    primary key,
                  event_id    uuid         not null,
                  topic       text         not null,
                  type        text         not null,
                  key         text,
                  payload     jsonb        not null,
                  created_at  timestamptz  not null default clock_timestamp()
                )""");
    }

    /** The usual way to wake a reader at once. A statement-level trigger, which is the cheaper kind. */
    static void createNotifying(Connection connection) throws SQLException {
        create(connection);
        Statements.execute(connection, """
                create function outbox_notify() returns trigger language plpgsql as $$
                begin
                  perform pg_notify('outbox', '');
                  return null;
                end
                $$;
                create trigger outbox_notify after insert on outbox for each statement execute function outbox_notify()""");
    }

    /** One event, in the caller's transaction. */
    static void insert(Connection connection, long number) throws SQLException {
        insert(connection, UUID.randomUUID(), number);
    }

    static void insert(Connection connection, UUID eventId, long number) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setObject(1, eventId);
            insert.setString(2, Payloads.TOPIC);
            insert.setString(3, Payloads.TYPE);
            insert.setString(4, Payloads.key(number));
            insert.setString(5, Payloads.of(number));
            insert.executeUpdate();
        }
    }

    /** One event and its notification: the bare loop's producer. */
    static void insertAndNotify(Connection connection, UUID eventId, long number) throws SQLException {
        insert(connection, eventId, number);
        try (PreparedStatement notify = connection.prepareStatement("notify " + CHANNEL)) {
            notify.execute();
        }
    }
}
