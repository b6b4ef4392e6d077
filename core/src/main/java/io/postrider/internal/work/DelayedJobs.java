package io.postrider.internal.work;

import io.postrider.Worker;
import io.postrider.internal.claim.Claims;
import io.postrider.internal.claim.HeldCount;
import io.postrider.internal.claim.HeldJob;
import io.postrider.internal.claim.NextDue;
import io.postrider.internal.claim.Tier;
import io.postrider.internal.settle.DelayReason;
import io.postrider.internal.settle.EndedJob;
import io.postrider.internal.settle.Outcome;
import io.postrider.internal.threads.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The delayed jobs of one queue, which are scheduled individually by their rows in {@code delayed}: when to check for due ones, how
 * many to claim, and which of them this node holds. The thread of the queue claims; settlements come from any thread.
 *
 * <p>Of jobs that one worker held when it ended, only a few run at a time. A job that two such workers held runs alone on its node
 * ({@link ExclusiveRun}).
 */
final class DelayedJobs {
    private static final Logger log = LoggerFactory.getLogger(DelayedJobs.class);
    private static final Duration CHECK_EVERY = Duration.ofSeconds(1);
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(20);
    private static final Duration LONGEST_WAIT = Duration.ofDays(1);
    private static final Duration QUIET_CHECK = Duration.ofMillis(5);

    private final Worker worker;
    private final Claims claims;
    private final Lanes lanes;
    private final Slots slots;
    private final HeldCount held;
    private final NodeContext node;
    private final HeldPlaces places = new HeldPlaces();

    /** Jobs here that ran when one worker ended. */
    private final AtomicInteger suspects = new AtomicInteger();

    private volatile Deadline nextCheck = Deadline.now();

    /** Whether jobs wait for others of their key. */
    private volatile boolean keyed;

    /** Whether the queue limits how many jobs begin in a period. */
    private volatile boolean rated;

    /** No exclusive run is requested before this moment, after one had nothing to do. */
    private Deadline nextExclusive = Deadline.now();

    DelayedJobs(Worker worker, Claims claims, Lanes lanes, Slots slots, HeldCount held, NodeContext node) {
        this.worker = worker;
        this.claims = claims;
        this.lanes = lanes;
        this.slots = slots;
        this.held = held;
        this.node = node;
    }

    boolean isRated() {
        return rated;
    }

    /** A job is delayed because of its key: check when another job has ended. */
    void expectKeyed() {
        keyed = true;
    }

    void checkNow() {
        checkWithin(Duration.ZERO);
    }

    /** How long until the next check; zero or negative if it is due. */
    long nanosUntilCheck() {
        return nextCheck.nanosLeft();
    }

    private synchronized void checkAfter(Duration wait) {
        nextCheck = Deadline.in(wait);
    }

    private synchronized void checkWithin(Duration wait) {
        nextCheck = nextCheck.earlier(Deadline.in(wait));
    }

    /** The delayed jobs that this node holds under a number. */
    List<HeldJob.Place> places(long number) {
        return places.of(number);
    }

    /** Claims due jobs, if it is time to check. True if there may be more at once. */
    boolean claim(long me, int room) {
        if (nanosUntilCheck() > 0) {
            return false;
        }
        checkAfter(CHECK_EVERY); // before the query, so that a settlement during it is not missed
        NextDue next = claims.nextDue(worker.types());
        keyed = next.keyed();
        rated = next.rated();
        next.waits().values().forEach(wait -> checkWithin(wait.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : wait));
        int jobs = claimDue(next, me, room);
        node.reports().watch().jobsLookedFor(worker.queue(), jobs);
        boolean exclusive = next.isDue(Tier.EXCLUSIVE) && nextExclusive.isPassed();
        if (exclusive) {
            node.claiming().exclusive().request(this);
        }
        if (jobs > 0 || exclusive) {
            checkNow();
            return true;
        }
        return false;
    }

    private int claimDue(NextDue next, long me, int room) {
        int jobs = 0;
        if (keyed || next.isDue(Tier.UNSUSPECTED)) {
            jobs += start(claims.claimDelayed(lanes.topicsInTurn(), me, room, worker.types(), Tier.UNSUSPECTED));
        }
        int few = Math.min(room, Math.max(1, worker.slots() / 4) - suspects.get());
        if (next.isDue(Tier.SUSPECT) && few > 0) {
            List<HeldJob> found = claims.claimDelayed(lanes.topicsInTurn(), me, few, worker.types(), Tier.SUSPECT);
            suspects.addAndGet(found.size());
            jobs += start(found);
        }
        return jobs;
    }

    private int start(List<HeldJob> jobs) {
        jobs.forEach(one -> held.add(one.worker(), 1));
        jobs.forEach(places::add);
        jobs.forEach(slots::add);
        slots.start(jobs.size());
        return jobs.size();
    }

    /** While an exclusive run is requested: starts its job once nothing else runs. Returns how long to wait for the signal. */
    Duration claimExclusive(long me) {
        ExclusiveRun exclusive = node.claiming().exclusive();
        if (!exclusive.isOf(this)) {
            return CHECK_EVERY;
        }
        if (!exclusive.isQuiet()) {
            return QUIET_CHECK;
        }
        List<HeldJob> job = claims.claimDelayed(lanes.topics(), me, 1, worker.types(), Tier.EXCLUSIVE);
        if (job.isEmpty()) {
            nextExclusive = Deadline.in(CHECK_EVERY);
            exclusive.end(this);
            return Duration.ZERO;
        }
        log.warn(
                "job_alone queue={} job_id={}", worker.queue(), job.get(0).job().id());
        start(job);
        return CHECK_EVERY;
    }

    /** Nothing runs here any more: ends the exclusive run of this queue, if there is one. */
    void endExclusive() {
        node.claiming().exclusive().end(this);
    }

    /** A job of this queue is settled, delayed or not. */
    void settled(EndedJob one) {
        released(one.heldJob());
        if (one.outcome() instanceof Outcome.Delayed delayed && delayed.reason() != DelayReason.KEY) {
            checkWithin(delayed.delay().compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : delayed.delay());
        } else if (keyed) {
            checkNow();
        }
    }

    /** A job of this queue is not held any more. */
    void released(HeldJob heldJob) {
        if (heldJob.isDelayed()) {
            places.remove(heldJob);
        }
        if (heldJob.crashes() == 1) {
            suspects.decrementAndGet();
        }
    }
}
