package io.postrider.cli.demo;

import io.postrider.ClaimedJob;
import io.postrider.Event;
import io.postrider.Fate;
import io.postrider.Job;
import io.postrider.RetryPolicy;
import io.postrider.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The jobs that orders enqueue, and the two workers that run them: one packs in its job's transaction, the other one fails. */
final class DemoWorkers {
    static final String PARCELS = "parcels";
    static final String RECEIPTS = "receipts";
    static final List<String> QUEUES = List.of(PARCELS, RECEIPTS);
    static final String PACK = "pack";

    private static final String SEND = "send-receipt";
    private static final int ATTEMPTS = 4;
    private static final RetryPolicy RETRY =
            RetryPolicy.exponential(ATTEMPTS, Duration.ofMillis(300), Duration.ofSeconds(3));

    /** Each packer holds a connection while it packs in a transaction. */
    static final int PACKERS = 4;

    /** Short enough for the demo to wait for delayed jobs at its end. */
    private static final int LATEST_MILLIS = 2_000;

    private final DemoCounters counters;

    DemoWorkers(DemoCounters counters) {
        this.counters = counters;
    }

    /** A parcel for each placed order, one in five of them delayed; a receipt for each paid order. */
    static Optional<Job> jobFor(Event order) {
        String payload = "{\"order\":\"" + order.id() + "\"}";
        return switch (order.type()) {
            case Shop.PLACED ->
                Optional.of(Job.of(PARCELS, PACK, payload)
                        .withKey(order.key())
                        .withRunAt(perhapsLater())
                        .withProject(order.projectId()));
            case Shop.PAID -> Optional.of(Job.of(RECEIPTS, SEND, payload).withProject(order.projectId()));
            default -> Optional.empty();
        };
    }

    private static @Nullable Instant perhapsLater() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return random.nextInt(5) > 0 ? null : Instant.now().plusMillis(random.nextInt(500, LATEST_MILLIS));
    }

    List<Worker> workers() {
        return List.of(
                Worker.on(PARCELS)
                        .handlingInTransaction(PACK, this::pack)
                        .withRetry(PACK, RETRY)
                        .withSlots(PACKERS),
                Worker.on(RECEIPTS).handling(SEND, this::send).withRetry(SEND, RETRY));
    }

    /** One in fifty fails on its first attempt, after writing: a rolled-back parcel must not be counted. */
    private Fate pack(Connection connection, ClaimedJob job) throws SQLException {
        Shop.pack(connection, job);
        if (job.attempt() == 1 && fortune(job) < 20) {
            throw failed(job, "the tape ran out");
        }
        counters.hasDone(job);
        return Fate.done();
    }

    /**
     * Takes as long as a mail server. One in fifty fails now and then. One in a thousand has an invalid address and becomes a
     * dead letter without a retry.
     */
    private Fate send(ClaimedJob job) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(20, 60));
        int fortune = fortune(job);
        if (fortune == 0) {
            counters.hasGivenUp(job, ": no such address");
            return Fate.dead("no such address");
        }
        if (fortune <= 20 && ThreadLocalRandom.current().nextBoolean()) {
            throw failed(job, "the mail server is busy");
        }
        counters.hasDone(job);
        return Fate.done();
    }

    /** Deterministic: the same number for every attempt of a job. */
    private static int fortune(ClaimedJob job) {
        return Math.floorMod(job.id().hashCode(), 1_000);
    }

    private IllegalStateException failed(ClaimedJob job, String excuse) {
        if (job.attempt() < ATTEMPTS) {
            counters.hasFailed(job, excuse);
        } else {
            counters.hasGivenUp(job, " after " + ATTEMPTS + " attempts");
        }
        return new IllegalStateException(excuse);
    }
}
