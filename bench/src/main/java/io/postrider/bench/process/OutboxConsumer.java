package io.postrider.bench.process;

import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.database.Statements;
import io.postrider.bench.load.OutboxTable;
import io.postrider.bench.measure.HandledEvents;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * The bare loop: LISTEN, and at each notification SELECT the rows with a greater id than the last; or, without notifications, the
 * same every 5 ms. One connection, no writes, no state across restarts, and events that are committed out of order are lost: the
 * minimum that a reader can do.
 */
public final class OutboxConsumer implements Consumer {
    private static final int BATCH = 1_000;
    private static final int EVERY_MILLIS = 5;
    private static final int SLICE_MILLIS = 100;
    private static final String SELECT = "select id, event_id, topic, type, key, payload, created_at from outbox"
            + " where id > ? order by id limit " + BATCH;

    private final BenchDatabase database;
    private final HandledEvents handled;
    private final boolean notified;
    private final AtomicLong wakeUps = new AtomicLong();
    private volatile boolean running;
    private @Nullable Thread thread;
    private volatile @Nullable Exception failure;

    OutboxConsumer(BenchDatabase database, HandledEvents handled, boolean notified) {
        this.database = database;
        this.handled = handled;
        this.notified = notified;
    }

    @Override
    public void start() throws SQLException {
        Connection connection = database.connect("bench-reader");
        long last = Statements.number(connection, "select coalesce(max(id), 0) from outbox");
        if (notified) {
            Statements.execute(connection, "listen " + OutboxTable.CHANNEL);
        }
        running = true;
        Thread reader = new Thread(() -> read(connection, last), "bench-reader");
        reader.start();
        thread = reader;
    }

    private void read(Connection connection, long from) {
        try (connection) {
            PGConnection postgres = connection.unwrap(PGConnection.class);
            long last = from;
            while (running) {
                if (notified) {
                    int heard = postgres.getNotifications(SLICE_MILLIS).length;
                    wakeUps.addAndGet(heard);
                    if (heard == 0) {
                        continue;
                    }
                } else {
                    TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
                }
                last = readFrom(connection, last);
            }
        } catch (SQLException | InterruptedException e) {
            failure = e;
        }
    }

    private long readFrom(Connection connection, long from) throws SQLException {
        long last = from;
        int found = BATCH;
        while (found == BATCH) {
            found = 0;
            try (PreparedStatement select = connection.prepareStatement(SELECT)) {
                select.setLong(1, last);
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        Row row = Row.read(rows);
                        last = row.id();
                        found++;
                        handled.saw(row.eventId());
                    }
                }
            }
        }
        return last;
    }

    @Override
    public void stop() throws Exception {
        running = false;
        Thread reader = thread;
        if (reader != null) {
            reader.join();
        }
        thread = null;
        Exception failed = failure;
        if (failed != null) {
            throw failed;
        }
    }

    @Override
    public long notified() {
        return wakeUps.get();
    }

    @Override
    public double passMillis() {
        return 0;
    }

    /** An event as the bare loop passes it to its handler: all columns, in the usual types. */
    public record Row(
            long id,
            UUID eventId,
            String topic,
            String type,
            @Nullable String key,
            String payload,
            Instant createdAt) {
        public static Row read(ResultSet rows) throws SQLException {
            return new Row(
                    rows.getLong(1),
                    rows.getObject(2, UUID.class),
                    rows.getString(3),
                    rows.getString(4),
                    rows.getString(5),
                    rows.getString(6),
                    rows.getObject(7, OffsetDateTime.class).toInstant());
        }
    }
}
