package io.postrider.bench.alternatives;

import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.database.Statements;
import io.postrider.bench.load.Payloads;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A hand-written reader that polls an outbox table every 5 ms. The {@link Cursor} is where the ways differ: which rows a poll
 * reads, and how far it moves.
 */
final class PolledReader implements Reader {
    private static final int EVERY_MILLIS = 5;
    private static final int BATCH = 1_000;
    private static final String INSERT =
            "insert into outbox (event_id, topic, type, key, payload) values (?, ?, ?, ?, ?::jsonb)";

    private final String name;
    private final Cursor cursor;

    PolledReader(String name, Cursor cursor) {
        this.name = name;
        this.cursor = cursor;
    }

    /** One row of the outbox, as a poll reads it. {@code order} is the second column of the query. */
    record Row(long id, String order, UUID eventId) {}

    /** How far a reader has read. */
    interface Cursor {
        /** The query: three columns, {@code id}, an order and {@code event_id}. Its parameters are set by {@link #bind}. */
        String query();

        void bind(PreparedStatement select) throws SQLException;

        /** Whether this row is handled now; if not, the poll ends before it. */
        boolean takes(Row row);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void install(BenchDatabase database) throws SQLException {
        try (Connection connection = database.connect("bench-install")) {
            Statements.execute(connection, """
                    create table outbox (
                      id          bigserial    primary key,
                      tx          xid8         not null default pg_current_xact_id(),
                      event_id    uuid         not null,
                      topic       text         not null,
                      type        text         not null,
                      key         text,
                      payload     jsonb        not null,
                      created_at  timestamptz  not null default clock_timestamp()
                    );
                    create index outbox_tx on outbox (tx, id)""");
        }
    }

    @Override
    public void write(Connection connection, UUID id, long number) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setObject(1, id);
            insert.setString(2, Payloads.TOPIC);
            insert.setString(3, Payloads.TYPE);
            insert.setString(4, Payloads.key(number));
            insert.setString(5, Payloads.of(number));
            insert.executeUpdate();
        }
    }

    @Override
    public Reading start(BenchDatabase database, Consumer<UUID> handler) throws SQLException {
        Connection connection = database.connect("bench-reader");
        AtomicBoolean running = new AtomicBoolean(true);
        Exception[] failure = new Exception[1];
        Thread thread = new Thread(
                () -> {
                    try {
                        while (running.get()) {
                            if (poll(connection, cursor, handler) < BATCH) {
                                TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
                            }
                        }
                    } catch (SQLException | InterruptedException e) {
                        failure[0] = e;
                    }
                },
                "bench-reader");
        thread.start();
        return () -> {
            running.set(false);
            thread.join();
            connection.close();
            if (failure[0] != null) {
                throw failure[0];
            }
        };
    }

    private static int poll(Connection connection, Cursor cursor, Consumer<UUID> handler) throws SQLException {
        int handled = 0;
        try (PreparedStatement select = connection.prepareStatement(cursor.query() + " limit " + BATCH)) {
            cursor.bind(select);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    Row row = new Row(rows.getLong(1), rows.getString(2), rows.getObject(3, UUID.class));
                    if (!cursor.takes(row)) {
                        break;
                    }
                    handler.accept(row.eventId());
                    handled++;
                }
            }
        }
        return handled;
    }
}
