package io.postrider.bench.measure;

import io.postrider.bench.Scale;
import io.postrider.bench.load.Clients;
import io.postrider.bench.process.ChildProcess;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * The time from the return of commit() in one process to the handler's first instruction in another, in milliseconds. Both read
 * the same monotonic clock, which is checked when the other process starts.
 *
 * @param commit the median time of commit() itself: the flush of the WAL that a pass has to wait for as well; 0 if not recorded
 * @param pass the median time of the passes that gave the events their positions; 0 for the bare loop, or if not recorded
 * @param early how many reached the handler before commit() had returned in the producer; they count as 0
 */
public record Latency(double p50, double p99, double max, long early, double commit, double pass) {
    private static final AtomicLong TAGS = new AtomicLong(System.nanoTime() >>> 20 << 20);

    /** One transaction. */
    @FunctionalInterface
    public interface Producer {
        void produce(Connection connection, UUID id, long number) throws SQLException;
    }

    /**
     * Commits at fixed times, regardless of the duration of the previous commit, and joins the records of both processes. So a
     * stall affects all events that are due while it lasts, not just one.
     */
    public static Latency measure(Connection connection, ChildProcess consumer, Duration length, Producer producer)
            throws SQLException, InterruptedException {
        consumer.ask("record");
        long tag = TAGS.incrementAndGet();
        int events = Math.max(5, (int) (Scale.EVENTS_PER_SECOND * length.toMillis() / 1_000));
        long gap = 1_000_000_000L / Scale.EVENTS_PER_SECOND;
        long[] committed = new long[events];
        Histogram commits = new Histogram(3);
        consumer.passMillis();
        connection.setAutoCommit(false);
        long began = System.nanoTime();
        for (int i = 0; i < events; i++) {
            Clients.awaitTime(began + i * gap);
            producer.produce(connection, new UUID(tag, i), i);
            long before = System.nanoTime();
            connection.commit();
            committed[i] = System.nanoTime();
            commits.recordValue(committed[i] - before);
        }
        long[] handled = consumer.awaitHandled(tag, events);
        return join(committed, handled, commits.getValueAtPercentile(50) / 1e6, consumer.passMillis());
    }

    /** Joins the records of the same events from both processes, which share one clock. */
    public static Latency join(long[] committed, long[] handled, double commit, double pass) {
        Histogram histogram = new Histogram(1, 60_000_000_000L, 3);
        long early = 0;
        for (int i = 0; i < committed.length; i++) {
            long nanos = handled[i] - committed[i];
            early += nanos < 0 ? 1 : 0;
            histogram.recordValue(Math.max(1, nanos));
        }
        return new Latency(
                histogram.getValueAtPercentile(50) / 1e6,
                histogram.getValueAtPercentile(99) / 1e6,
                histogram.getMaxValue() / 1e6,
                early,
                commit,
                pass);
    }
}
