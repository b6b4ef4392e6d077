package io.postrider.bench.jobs;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Fate;
import io.postrider.JobHandler;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.Worker;
import io.postrider.bench.database.BenchDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** A node in this process that works on the queue. When it is closed, the server has all counts of its sessions. */
final class WorkingNode implements AutoCloseable {
    private static final int CONNECTIONS = 8;
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final LongAdder done = new LongAdder();
    private final Connection look;
    private final HikariDataSource pool;
    private final Postrider node;
    private final long afterClaim;

    WorkingNode(BenchDatabase database, int slots, JobHandler.Plain handler) throws SQLException {
        look = database.connect("bench-look");
        afterClaim = PostriderJobs.lastSettledClaim(look);
        pool = database.pool("bench-node", CONNECTIONS, true);
        node = Postrider.on(pool, Options.defaults().withNode("bench"));
        node.add(Worker.on(PostriderJobs.QUEUE).withSlots(slots).handling(PostriderJobs.TYPE, job -> {
            Fate fate = handler.handle(job);
            done.increment();
            return fate;
        }));
    }

    void start() {
        node.start();
    }

    /** Waits until this many jobs, since its creation, are settled as done. It queries the server when the handlers have run. */
    void awaitDone(long jobs) throws SQLException, InterruptedException {
        long began = System.nanoTime();
        while (done.sum() < jobs) {
            pause(began, 5, jobs);
        }
        awaitSettled("done", jobs);
    }

    /** Waits until this many jobs, since its creation, are settled with an outcome. */
    void awaitSettled(String fate, long jobs) throws SQLException, InterruptedException {
        long began = System.nanoTime();
        while (PostriderJobs.settled(look, fate, afterClaim) < jobs) {
            pause(began, 1, jobs);
        }
    }

    private void pause(long began, long millis, long jobs) throws InterruptedException {
        if (System.nanoTime() - began > PATIENCE.toNanos()) {
            throw new IllegalStateException("of " + jobs + " jobs only " + done.sum() + " are done, or not settled");
        }
        TimeUnit.MILLISECONDS.sleep(millis);
    }

    @Override
    public void close() throws SQLException {
        node.close();
        pool.close();
        look.close();
    }
}
