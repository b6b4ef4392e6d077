package io.postrider.cli.demo;

import io.postrider.Postrider;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Threads that place orders as people do: they pause, order several things at once and change their minds in the middle of a
 * transaction. Now and then one keeps a transaction open for seconds, which must not delay other transactions.
 */
final class Producers implements AutoCloseable {
    static final int THREADS = 4;

    private static final int MOST_EVENTS = 4;
    private static final double MEAN_EVENTS = (1 + MOST_EVENTS) / 2.0;
    private static final double ROLLED_BACK = 0.08;
    private static final double DAWDLES = 0.004;
    private static final int CUSTOMERS = 60;
    private static final long MOST_MADE_UP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final List<String> WHAT = List.of(Shop.PLACED, Shop.PAID, "order.shipped", "order.returned");

    private final DataSource dataSource;
    private final Postrider postrider;
    private final Shop shop;
    private final DemoCounters counters;
    private final double rate;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();

    Producers(DataSource dataSource, Postrider postrider, Shop shop, DemoCounters counters, double rate) {
        this.dataSource = dataSource;
        this.postrider = postrider;
        this.shop = shop;
        this.counters = counters;
        this.rate = rate;
    }

    void start() {
        for (int i = 1; i <= THREADS; i++) {
            Thread thread = new Thread(this::produce, "producer-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    private void produce() {
        long next = System.nanoTime();
        try {
            // Paced by the clock, not by the previous transaction: a slow machine catches up, by at most a second.
            while (!stop.await((next += thinkNanos()) - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                long late = System.nanoTime() - next;
                next += Math.max(0, late - MOST_MADE_UP_NANOS);
                try {
                    transaction();
                } catch (SQLException | RuntimeException e) {
                    stop.await(500, TimeUnit.MILLISECONDS); // the database is unreachable: neither row nor event exists
                }
            }
        } catch (InterruptedException e) {
            // asked to stop
        }
    }

    /** Waits like a Poisson process whose rate varies a little: a constant rate would look lifeless. */
    private long thinkNanos() {
        double mean = THREADS * MEAN_EVENTS / rate;
        double wave = 1 + 0.4 * Math.sin(System.nanoTime() / 5e9);
        return (long) (-Math.log(1 - ThreadLocalRandom.current().nextDouble()) * mean / wave * 1e9);
    }

    private void transaction() throws SQLException, InterruptedException {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            List<UUID> ids = new ArrayList<>();
            String customer = "customer-" + (1 + random.nextInt(CUSTOMERS));
            for (int n = 1 + random.nextInt(MOST_EVENTS); n > 0; n--) {
                String what = WHAT.get(random.nextInt(WHAT.size()));
                ids.add(shop.order(postrider, connection, customer, what, 100 + random.nextLong(9_900)));
            }
            if (random.nextDouble() < DAWDLES) {
                stop.await(1_000 + random.nextInt(2_000), TimeUnit.MILLISECONDS);
            }
            if (random.nextDouble() < ROLLED_BACK) {
                connection.rollback();
                counters.rolledBack.increment();
            } else {
                counters.committing(ids);
                connection.commit();
                counters.committed.increment();
                counters.events.add(ids.size());
            }
        }
    }

    /** Lets each producer finish its transaction. */
    @Override
    public void close() {
        stop.countDown();
        for (Thread thread : threads) {
            try {
                thread.join(5_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
