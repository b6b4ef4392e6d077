package io.postrider.bench.load;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.bench.process.ChildProcess;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A running side: its pool and clients here, and its consumer, if it has one, in the child process. */
public final class SideRun implements AutoCloseable {
    private static final AtomicLong TAGS = new AtomicLong(Long.MIN_VALUE);
    private static final long LONGEST_WAIT_NANOS = 3_000_000_000L;

    private final Side side;
    private final @Nullable ChildProcess child;
    private HikariDataSource pool;
    private Clients clients;

    private SideRun(Side side, int size, @Nullable ChildProcess child) {
        this.side = side;
        this.child = child;
        this.pool = side.database().pool("bench-producers", size, false);
        this.clients = new Clients(pool, size);
    }

    public static SideRun open(Side side, int clients) throws IOException, SQLException, InterruptedException {
        String consumer = side.consumer();
        SideRun rig =
                new SideRun(side, clients, consumer == null ? null : ChildProcess.start(consumer, side.database()));
        rig.startConsumer();
        return rig;
    }

    /** Returns when it has received an event. */
    public void startConsumer() throws SQLException, InterruptedException {
        if (child != null) {
            child.ask("start");
            settle();
        }
    }

    /** Ends its sessions; the process stays, with its compiled code. */
    public void stopConsumer() {
        if (child != null) {
            child.ask("stop");
        }
    }

    /** Ends all sessions, so that the server has all their counts. */
    public void rest() {
        clients.close();
        pool.close();
        stopConsumer();
    }

    /** After a pause, with this many clients. */
    public void resume(int size) throws SQLException, InterruptedException {
        pool = side.database().pool("bench-producers", size, false);
        clients = new Clients(pool, size);
        startConsumer();
    }

    public Side side() {
        return side;
    }

    public ChildProcess child() {
        if (child == null) {
            throw new IllegalStateException("this side has no consumer");
        }
        return child;
    }

    public boolean hasChild() {
        return child != null;
    }

    public Clients clients() {
        return clients;
    }

    public Clients.Run produceFor(Duration length) throws SQLException, InterruptedException {
        return clients.runFor(length, side::produce);
    }

    /** Waits until the consumer has received everything that was committed: it sends one more event, which is last in order. */
    public void settle() throws SQLException, InterruptedException {
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
    public boolean awaitAsleep() throws SQLException, InterruptedException {
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
