package io.postrider.bench.alternatives;

import io.postrider.bench.load.Clients;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.HdrHistogram.Histogram;

/**
 * Transactions as applications run them: one event each, and one in ten stays open for 20 to 100 ms after its insert, so that
 * transactions commit in another order than they drew their ids. It records when each event was committed and when it was handled,
 * in one process. Safe to share between threads.
 */
final class MixedLoad implements AutoCloseable {
    private static final int CLIENTS = 16;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final DataSource pool;
    private final Reader reader;
    private final Clients clients;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<UUID, Long> committed = new ConcurrentHashMap<>();
    private final Map<UUID, Long> handled = new ConcurrentHashMap<>();
    private final Map<UUID, CountDownLatch> awaited = new ConcurrentHashMap<>();

    MixedLoad(DataSource pool, Reader reader) {
        this.pool = pool;
        this.reader = reader;
        this.clients = new Clients(pool, CLIENTS);
    }

    /** The handler of the reader that is measured. */
    void handle(UUID id) {
        handled.putIfAbsent(id, System.nanoTime());
        CountDownLatch latch = awaited.get(id);
        if (latch != null) {
            latch.countDown();
        }
    }

    /** Runs the load for a time, and returns the events that it committed. */
    Map<UUID, Long> run(int perSecond, Duration length) throws SQLException, InterruptedException {
        Map<UUID, Long> before = new HashMap<>(committed);
        clients.runAt(perSecond, length, (connection, ignored) -> transaction(connection));
        Map<UUID, Long> during = new HashMap<>(committed);
        during.keySet().removeAll(before.keySet());
        return during;
    }

    private void transaction(Connection connection) throws SQLException {
        long number = numbers.incrementAndGet();
        UUID id = new UUID(number, 0);
        reader.write(connection, id, number);
        Random random = new Random(number * 0x9E3779B97F4A7C15L);
        if (random.nextInt(10) == 0) {
            Clients.awaitTime(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20 + random.nextInt(81)));
        }
        connection.commit();
        committed.put(id, System.nanoTime());
    }

    /** A transaction that has inserted an event and stays open. */
    Held open() throws SQLException {
        Connection connection = pool.getConnection();
        long number = numbers.incrementAndGet();
        UUID id = new UUID(number, 1);
        reader.write(connection, id, number);
        return new Held(connection, id);
    }

    void commit(Held held) throws SQLException {
        held.connection.commit();
        committed.put(held.id, System.nanoTime());
        held.connection.close();
    }

    static void rollBack(Held held) throws SQLException {
        held.connection.rollback();
        held.connection.close();
    }

    /** An open transaction and its event. */
    record Held(Connection connection, UUID id) {}

    /**
     * Commits one more event and waits until it is handled. Each way passes it only after everything that it will ever find of
     * the events before, so what is missing then is lost.
     */
    void awaitMarker() throws SQLException, InterruptedException {
        long number = numbers.incrementAndGet();
        UUID marker = new UUID(number, 3);
        CountDownLatch latch = new CountDownLatch(1);
        awaited.put(marker, latch);
        try (Connection connection = pool.getConnection()) {
            reader.write(connection, marker, number);
            connection.commit();
        }
        if (!latch.await(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(
                    reader.name() + " did not handle the last event within " + LONGEST_WAIT.toSeconds() + " s");
        }
        awaited.remove(marker);
    }

    /** How many of all committed events were not handled. */
    long lost() {
        return committed.keySet().stream()
                .filter(id -> !handled.containsKey(id))
                .count();
    }

    long committed() {
        return committed.size();
    }

    /** Forgets the events of the last turn. */
    void reset() {
        committed.clear();
        handled.clear();
    }

    /** From the return of commit() to the handler, for the events that were handled. */
    Histogram latency(Map<UUID, Long> events) {
        Histogram histogram = new Histogram(1, TimeUnit.MINUTES.toNanos(5), 3);
        events.forEach((id, at) -> {
            Long seen = handled.get(id);
            if (seen != null) {
                histogram.recordValue(Math.max(1, seen - at));
            }
        });
        return histogram;
    }

    @Override
    public void close() {
        clients.close();
    }
}
