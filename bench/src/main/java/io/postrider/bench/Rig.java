package io.postrider.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A side at work: its pool and clients here, its consumer, if it has one, started in the child process. */
final class Rig implements AutoCloseable {
    private static final AtomicLong TAGS = new AtomicLong(Long.MIN_VALUE);
    private static final long LONGEST_WAIT_NANOS = 3_000_000_000L;

    private final Side side;
    private final @Nullable Child child;
    private HikariDataSource pool;
    private Clients clients;

    private Rig(Side side, int size, @Nullable Child child) {
        this.side = side;
        this.child = child;
        this.pool = side.database().pool("bench-producers", size, false);
        this.clients = new Clients(pool, size);
    }

    static Rig open(Side side, int clients) throws IOException, SQLException, InterruptedException {
        String consumer = side.consumer();
        Rig rig = new Rig(side, clients, consumer == null ? null : Child.start(consumer, side.database()));
        rig.startConsumer();
        return rig;
    }

    /** Returns when it has had an event. */
    void startConsumer() throws SQLException, InterruptedException {
        if (child != null) {
            child.ask("start");
            settle();
        }
    }

    /** The process stays, and what its runtime has compiled; its sessions end. */
    void stopConsumer() {
        if (child != null) {
            child.ask("stop");
        }
    }

    /** Ends all sessions, so that the server has counted what they did. */
    void rest() {
        clients.close();
        pool.close();
        stopConsumer();
    }

    /** After a rest, with so many clients. */
    void resume(int size) throws SQLException, InterruptedException {
        pool = side.database().pool("bench-producers", size, false);
        clients = new Clients(pool, size);
        startConsumer();
    }

    Side side() {
        return side;
    }

    Child child() {
        if (child == null) {
            throw new IllegalStateException("this side has no consumer");
        }
        return child;
    }

    boolean hasChild() {
        return child != null;
    }

    Clients clients() {
        return clients;
    }

    Clients.Run produceFor(Duration length) throws SQLException, InterruptedException {
        return clients.runFor(length, side::produce);
    }

    /** Waits until the consumer has had all that was committed: one more event, and it is the last in order. */
    void settle() throws SQLException, InterruptedException {
        if (child == null) {
            return;
        }
        if (side.sequencesOnly()) {
            awaitSequenced();
            return;
        }
        long tag = TAGS.incrementAndGet();
        child.ask("record");
        try (Connection connection = pool.getConnection()) {
            side.producer().produce(connection, new UUID(tag, 0), 0);
            connection.commit();
        }
        child.awaitHandled(tag, 1);
        child.ask("forget");
    }

    private void awaitSequenced() throws SQLException, InterruptedException {
        try (Connection connection = pool.getConnection()) {
            side.produce(connection, 0);
            connection.commit();
            long began = System.nanoTime();
            while (!PostriderLog.isSequenced(connection)) {
                if (System.nanoTime() - began > LONGEST_WAIT_NANOS) {
                    throw new IllegalStateException("the last event has no position after three seconds");
                }
                connection.commit();
                TimeUnit.MILLISECONDS.sleep(5);
            }
            connection.commit();
        }
    }

    /** Waits until a sequencer sleeps. False if it does not within three seconds. */
    boolean awaitAsleep() throws SQLException, InterruptedException {
        long began = System.nanoTime();
        try (Connection connection = side.database().connect("bench-look")) {
            while (!PostriderLog.isAsleep(connection)) {
                if (System.nanoTime() - began > LONGEST_WAIT_NANOS) {
                    return false;
                }
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }
        return true;
    }

    @Override
    public void close() {
        clients.close();
        pool.close();
        if (child != null) {
            child.close();
        }
    }
}
