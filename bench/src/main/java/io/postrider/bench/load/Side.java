package io.postrider.bench.load;

import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.database.BenchServer;
import io.postrider.bench.jobs.PostriderJobs;
import io.postrider.bench.measure.Latency;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One of the compared variants: its database, how it writes an event, and how it is read. It has a separate database also because
 * a notification wakes all sessions that listen in the same one, whatever the channel.
 *
 * @param schema the schema of its tables
 * @param consumer the child process that reads; null for none
 */
public record Side(
        BenchDatabase database, String schema, @Nullable String consumer, Latency.Producer producer) {

    private static final String SEQUENCING = "sequencing";

    /** A bare table without a reader. */
    public static Side plain(BenchServer server, String name) throws SQLException {
        return outbox(server, name, null, OutboxTable::insert);
    }

    /** A bare table that is polled every 5 ms. */
    public static Side polled(BenchServer server, String name) throws SQLException {
        return outbox(server, name, "polled", OutboxTable::insert);
    }

    /** A bare table; the producer notifies in its transaction, with a separate statement. */
    public static Side notifying(BenchServer server, String name) throws SQLException {
        return outbox(server, name, "notified", OutboxTable::insertAndNotify);
    }

    /** A bare table with a notifying trigger. */
    public static Side triggering(BenchServer server, String name) throws SQLException {
        BenchDatabase database = server.create(name);
        try (Connection connection = database.connect("bench-install")) {
            OutboxTable.createNotifying(connection);
        }
        return new Side(database, "public", "notified", OutboxTable::insert);
    }

    private static Side outbox(BenchServer server, String name, @Nullable String consumer, Latency.Producer producer)
            throws SQLException {
        BenchDatabase database = server.create(name);
        try (Connection connection = database.connect("bench-install")) {
            OutboxTable.create(connection);
        }
        return new Side(database, "public", consumer, producer);
    }

    /** Postrider with a node that sequences and runs one listener, in a separate process. */
    public static Side postrider(BenchServer server, String name) throws SQLException {
        return postrider(server, name, "listening");
    }

    /** Postrider with a node that sequences, in a separate process, without a listener. */
    public static Side sequencing(BenchServer server, String name) throws SQLException {
        return postrider(server, name, SEQUENCING);
    }

    /** Postrider with a node that sequences and works on the queue, in a separate process; an event is a job. */
    public static Side working(BenchServer server, String name) throws SQLException {
        BenchDatabase database = server.create(name);
        return new Side(database, PostriderLog.SCHEMA, "working", PostriderJobs.install(database)::enqueue);
    }

    /** Postrider's producers alone: nothing is sequenced or read. */
    public static Side postriderAlone(BenchServer server, String name) throws SQLException {
        return postrider(server, name, null);
    }

    private static Side postrider(BenchServer server, String name, @Nullable String consumer) throws SQLException {
        BenchDatabase database = server.create(name);
        PostriderLog log = PostriderLog.install(database);
        return new Side(database, PostriderLog.SCHEMA, consumer, log::emit);
    }

    /** Whether its node has no listener, so that nothing is delivered. */
    boolean sequencesOnly() {
        return SEQUENCING.equals(consumer);
    }

    /** For closed-loop clients, which ignore the id. */
    public void produce(Connection connection, long number) throws SQLException {
        producer.produce(connection, UUID.randomUUID(), number);
    }
}
