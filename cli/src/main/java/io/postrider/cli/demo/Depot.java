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

/** What orders make to be done, and the two workers that do it: one that packs in its job's transaction, one that fails. */
final class Depot {
    static final String PARCELS = "parcels";
    static final String RECEIPTS = "receipts";
    static final List<String> QUEUES = List.of(PARCELS, RECEIPTS);
    static final String PACK = "pack";

    private static final String SEND = "send-receipt";
    private static final int ATTEMPTS = 4;
    private static final RetryPolicy RETRY =
            RetryPolicy.exponential(ATTEMPTS, Duration.ofMillis(300), Duration.ofSeconds(3));

    /** Each packs in a transaction, so it has a connection of its own meanwhile. */
    static final int PACKERS = 4;

    /** So soon that the demo can wait for them at its end. */
    private static final int LATEST_MILLIS = 2_000;

    private final Tally tally;

    Depot(Tally tally) {
        this.tally = tally;
    }

    /** A parcel for an order that is placed, one in five of them later; a receipt for one that is paid. */
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

    /** One in fifty fails at first, and after it has written: what is rolled back must not be counted. */
    private Fate pack(Connection connection, ClaimedJob job) throws SQLException {
        Shop.pack(connection, job);
        if (job.attempt() == 1 && fortune(job) < 20) {
            throw failed(job, "the tape ran out");
        }
        tally.hasDone(job);
        return Fate.done();
    }

    /**
     * As long as a mail server takes. One in fifty fails now and then; one in a thousand has nowhere to go, and says so instead
     * of being tried again.
     */
    private Fate send(ClaimedJob job) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(20, 60));
        int fortune = fortune(job);
        if (fortune == 0) {
            tally.hasGivenUp(job, ": no such address");
            return Fate.dead("no such address");
        }
        if (fortune <= 20 && ThreadLocalRandom.current().nextBoolean()) {
            throw failed(job, "the mail server is busy");
        }
        tally.hasDone(job);
        return Fate.done();
    }

    /** The same for a job in each of its attempts. */
    private static int fortune(ClaimedJob job) {
        return Math.floorMod(job.id().hashCode(), 1_000);
    }

    private IllegalStateException failed(ClaimedJob job, String excuse) {
        if (job.attempt() < ATTEMPTS) {
            tally.hasFailed(job, excuse);
        } else {
            tally.hasGivenUp(job, " after " + ATTEMPTS + " attempts");
        }
        return new IllegalStateException(excuse);
    }
}
