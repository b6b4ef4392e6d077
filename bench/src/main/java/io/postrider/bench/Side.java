package io.postrider.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One of those compared: its own database, how it writes an event, and who reads it. Its own database also because a
 * notification wakes whoever listens in the same one, whatever the channel.
 *
 * @param schema where its tables are
 * @param consumer the child process that reads; null for none
 */
record Side(BenchDatabase database, String schema, @Nullable String consumer, Latency.Producer producer) {

    private static final String SEQUENCING = "sequencing";

    /** A bare table; nobody reads. */
    static Side plain(BenchServer server, String name) throws SQLException {
        return outbox(server, name, null, Outbox::insert);
    }

    /** A bare table that is looked at every 5 ms. */
    static Side polled(BenchServer server, String name) throws SQLException {
        return outbox(server, name, "polled", Outbox::insert);
    }

    /** A bare table; the producer notifies in its transaction, by its own statement. */
    static Side notifying(BenchServer server, String name) throws SQLException {
        return outbox(server, name, "notified", Outbox::insertAndNotify);
    }

    /** A bare table with a notifying trigger. */
    static Side triggering(BenchServer server, String name) throws SQLException {
        BenchDatabase database = server.create(name);
        try (Connection connection = database.connect("bench-install")) {
            Outbox.createNotifying(connection);
        }
        return new Side(database, "public", "notified", Outbox::insert);
    }

    private static Side outbox(BenchServer server, String name, @Nullable String consumer, Latency.Producer producer)
            throws SQLException {
        BenchDatabase database = server.create(name);
        try (Connection connection = database.connect("bench-install")) {
            Outbox.create(connection);
        }
        return new Side(database, "public", consumer, producer);
    }

    /** Postrider with a node that sequences and runs one listener, in a process of its own. */
    static Side postrider(BenchServer server, String name) throws SQLException {
        return postrider(server, name, "listening");
    }

    /** Postrider with a node that sequences, in a process of its own, and no listener. */
    static Side sequencing(BenchServer server, String name) throws SQLException {
        return postrider(server, name, SEQUENCING);
    }

    /** Postrider with a node that sequences and works on the queue, in a process of its own; an event is a job. */
    static Side working(BenchServer server, String name) throws SQLException {
        BenchDatabase database = server.create(name);
        return new Side(database, PostriderLog.SCHEMA, "working", PostriderJobs.install(database)::enqueue);
    }

    /** Postrider's producers alone: nothing is sequenced or read. */
    static Side postriderAlone(BenchServer server, String name) throws SQLException {
        return postrider(server, name, null);
    }

    private static Side postrider(BenchServer server, String name, @Nullable String consumer) throws SQLException {
        BenchDatabase database = server.create(name);
        PostriderLog log = PostriderLog.install(database);
        return new Side(database, PostriderLog.SCHEMA, consumer, log::emit);
    }

    /** Whether its node has no listener, so that nothing arrives anywhere. */
    boolean sequencesOnly() {
        return SEQUENCING.equals(consumer);
    }

    /** For closed-loop clients, which do not care for the id. */
    void produce(Connection connection, long number) throws SQLException {
        producer.produce(connection, UUID.randomUUID(), number);
    }
}
