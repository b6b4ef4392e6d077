package io.postrider.bench.load;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** Clients that each take a connection from the pool, run transactions on it one after the other, and return it. */
public final class Clients implements AutoCloseable {
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final ExecutorService threads;
    private final int count;
    private final DataSource pool;

    public Clients(DataSource pool, int count) {
        this.pool = pool;
        this.count = count;
        this.threads = Executors.newFixedThreadPool(count);
    }

    /** The work of a transaction before its commit. */
    @FunctionalInterface
    public interface Step {
        void run(Connection connection, long number) throws SQLException;
    }

    /** The number of commits, and the elapsed time. */
    public record Run(long events, double seconds) {
        public double perSecond() {
            return events / seconds;
        }
    }

    /**
     * As fast as possible, for a time. Transactions that are not committed at its end do not count, unless there are no others.
     */
    Run runFor(Duration length, Step step) throws SQLException, InterruptedException {
        AtomicLong events = new AtomicLong();
        AtomicLong late = new AtomicLong();
        CountDownLatch start = new CountDownLatch(1);
        long[] end = new long[1];
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            running.add(threads.submit(() -> {
                try (Connection connection = pool.getConnection()) {
                    start.await();
                    while (System.nanoTime() - end[0] < 0) {
                        commit(connection, step);
                        (System.nanoTime() - end[0] < 0 ? events : late).incrementAndGet();
                    }
                }
                return null;
            }));
        }
        end[0] = System.nanoTime() + length.toNanos();
        start.countDown();
        join(running);
        double seconds = length.toNanos() / 1e9;
        return events.get() > 0
                ? new Run(events.get(), seconds)
                : new Run(late.get(), seconds + (System.nanoTime() - end[0]) / 1e9);
    }

    /** This many transactions in total, as fast as possible. */
    public void runTimes(long transactions, Step step) throws SQLException, InterruptedException {
        AtomicLong left = new AtomicLong(transactions);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            running.add(threads.submit(() -> {
                try (Connection connection = pool.getConnection()) {
                    while (left.getAndDecrement() > 0) {
                        commit(connection, step);
                    }
                }
                return null;
            }));
        }
        join(running);
    }

    /** At a fixed rate, for a time. A client that is late does not wait until it has caught up. */
    public long runAt(int perSecond, Duration length, Step step) throws SQLException, InterruptedException {
        long transactions = perSecond * length.toMillis() / 1_000;
        long gap = 1_000_000_000L / perSecond;
        long began = System.nanoTime();
        AtomicLong next = new AtomicLong();
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            running.add(threads.submit(() -> {
                try (Connection connection = pool.getConnection()) {
                    for (long n = next.getAndIncrement(); n < transactions; n = next.getAndIncrement()) {
                        awaitTime(began + n * gap);
                        commit(connection, step);
                    }
                }
                return null;
            }));
        }
        join(running);
        return transactions;
    }

    /** Returns when System.nanoTime() has reached this value. */
    public static void awaitTime(long due) {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void commit(Connection connection, Step step) throws SQLException {
        step.run(connection, NUMBERS.incrementAndGet());
        connection.commit();
    }

    private static void join(List<Future<?>> running) throws SQLException, InterruptedException {
        for (Future<?> one : running) {
            try {
                one.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof SQLException cause) {
                    throw cause;
                }
                throw new IllegalStateException("a client failed", e.getCause());
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
