package io.postrider.internal.work;

import io.postrider.Backoff;
import io.postrider.PostriderException;
import io.postrider.Worker;
import io.postrider.internal.claim.Claims;
import io.postrider.internal.claim.HeldCount;
import io.postrider.internal.claim.HeldJob;
import io.postrider.internal.db.SqlState;
import io.postrider.internal.settle.EndedJob;
import io.postrider.internal.threads.WakeSignal;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop of one queue on this node: claim jobs, read them, hand them out to the slots, claim again when they are settled.
 *
 * <pre>
 * WAITING   no worker number, the queue is paused, or nothing to claim. Nothing is held. Leaves on a signal (a head has moved, the
 *           node has connected, an operator has changed something), when a delayed job is due, and once a second at the latest.
 * CLAIMING  while there is room in the {@link Slots}: the next of the {@link Lanes} that has work, and due {@link DelayedJobs}.
 *           The first jobs come with the claim; the others are read in {@link Slices} while the next claim is made.
 * FULL      no room. Leaves when a job ends.
 * STOPPING  nothing is claimed. Jobs that have not started are returned without counting an attempt; running jobs continue.
 * </pre>
 *
 * A crash at any point leaves claims without settlements, which other nodes take over (hand_over_next.sql).
 */
final class QueueRun implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(QueueRun.class);
    private static final String TAKEN_OVER = "PR006";
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    /** If jobs still wait for a slot after this, they take longer than expected, and every slot gets a thread. */
    private static final Duration SLOW_JOBS = Duration.ofMillis(5);

    private final Worker worker;
    private final JobRun jobRun;
    private final NodeContext.Claiming claiming;
    private final WakeSignal signal = new WakeSignal();

    /** Claimed and not settled. */
    private final HeldCount held = new HeldCount();

    private final Lanes lanes;
    private final Slots slots;
    private final DelayedJobs delayedJobs;
    private final Dispatcher dispatcher;
    private final Slices slices;
    private final LostAnswers lostAnswers;
    private final RangeClaims ranges;

    /** The worker number of the last claim. */
    private long number;

    private volatile boolean running = true;
    private volatile boolean ended;

    QueueRun(Worker worker, JobRun jobRun, NodeContext node) {
        this.worker = worker;
        this.jobRun = jobRun;
        this.claiming = node.claiming();
        Claims claims = new Claims(node.database(), worker.queue());
        this.lanes = new Lanes(worker.queue(), node.heads());
        this.slots = new Slots(worker.slots(), jobRun, held, node.threads(), signal);
        this.delayedJobs = new DelayedJobs(worker, claims, lanes, slots, held, node);
        this.dispatcher = new Dispatcher(worker, slots, delayedJobs, node.settler());
        this.slices = new Slices(claims, slots, dispatcher, held, node.threads(), signal);
        this.lostAnswers = new LostAnswers(claims, claiming.openClaims());
        this.ranges = new RangeClaims(claims, lanes, slices, held, lostAnswers);
        lanes.topics().forEach(topic -> node.heads().whenMoved(topic, signal::send));
    }

    Worker worker() {
        return worker;
    }

    JobRun jobRun() {
        return jobRun;
    }

    /** The jobs that wait for a slot. */
    List<HeldJob> waiting() {
        return slots.waiting();
    }

    /** Whether no job is held: claimed and not settled. */
    boolean isIdle() {
        return held.count() == 0;
    }

    /** Whether jobs are held that were claimed under this number. */
    boolean holds(long claimedUnder) {
        return held.isAny(claimedUnder);
    }

    /** Something has changed: check now. */
    void wake() {
        delayedJobs.checkNow();
        lanes.retryNow();
        signal.send();
    }

    /** Claims nothing more, and returns the jobs that have not started. */
    void stop() {
        dispatcher.stop();
        slices.stop();
        running = false;
        signal.send();
    }

    /** Whether the loop has ended after {@link #stop} and no job is held. */
    boolean isOver() {
        return ended && isIdle();
    }

    @Override
    public void run() {
        try {
            work();
        } catch (InterruptedException e) {
            log.debug("closing", e);
        }
        try {
            handBack();
        } finally {
            ended = true;
        }
    }

    private void work() throws InterruptedException {
        int failures = 0;
        while (running) {
            long me = claiming.registration().number();
            try {
                Duration wait = claimSome(me);
                if (!wait.isZero()) {
                    await(wait);
                }
                failures = 0;
            } catch (RuntimeException | Error e) { // any: this node is registered for the queue and must go on claiming
                failed(me, ++failures, e);
                signal.await(BACKOFF.exact(failures).toNanos());
            }
        }
    }

    /** One round: claim what there is room for. Returns how long to wait for the signal; zero if there may be more to claim. */
    private Duration claimSome(long me) {
        begin(me);
        if (me != 0 && lostAnswers.giveBack(me, () -> delayedJobs.places(me))) {
            delayedJobs.checkNow();
        }
        int room = me == 0 ? 0 : slots.room(delayedJobs.isRated());
        slices.readPostponed(number);
        slices.startReaders();
        if (room <= 0) {
            return LONGEST_WAIT;
        }
        if (claiming.exclusive().isRequested()) {
            return delayedJobs.claimExclusive(me);
        }
        boolean claimed = delayedJobs.claim(me, room) | ranges.claimNext(me, room);
        return claimed ? Duration.ZERO : untilNextRound();
    }

    /**
     * After a change of the worker number, drops claimed jobs that have not started, and how far lanes are claimed: the server
     * may have lost these claims and given their positions to other jobs. Claims that it still has are handed over with the
     * number.
     */
    private void begin(long me) {
        if (me == 0 || me == number) {
            return;
        }
        List<HeldJob> waiting = slots.drain();
        for (HeldJob one : waiting) {
            delayedJobs.released(one);
            held.add(one.worker(), -1);
        }
        int dropped = waiting.size() + slices.drop();
        held.tidy(me);
        jobRun.forgetCancelled();
        lanes.forgetClaimed();
        number = me;
        delayedJobs.checkNow();
        lanes.retryNow();
        if (dropped > 0) {
            log.info("jobs_dropped queue={} jobs={} claimed under an earlier number", worker.queue(), dropped);
        }
        if (isIdle()) {
            delayedJobs.endExclusive();
        }
    }

    private Duration untilNextRound() {
        long nanos = Math.min(LONGEST_WAIT.toNanos(), delayedJobs.nanosUntilCheck());
        long retry = lanes.nanosUntilRetry();
        return Duration.ofNanos(Math.max(1, retry > 0 ? Math.min(nanos, retry) : nanos));
    }

    private void await(Duration wait) throws InterruptedException {
        signal.await(slots.hasWaiting() ? Math.min(wait.toNanos(), SLOW_JOBS.toNanos()) : wait.toNanos());
        if (slots.hasWaiting()) {
            slots.startAll();
        }
    }

    private void failed(long me, int failures, Throwable e) {
        if (SqlState.of(e).equals(TAKEN_OVER)) {
            claiming.registration().refused(me);
        }
        ranges.failed(e);
        if (e instanceof PostriderException) {
            log.warn("claiming_failed queue={} failures={} error=\"{}\"", worker.queue(), failures, e.getMessage());
        } else {
            log.error("claiming_failed queue={} failures={}", worker.queue(), failures, e);
        }
    }

    /** Jobs of this queue are settled. */
    void settled(List<EndedJob> jobs) {
        if (jobs.isEmpty()) {
            return;
        }
        for (EndedJob one : jobs) {
            lostAnswers.settled(one.heldJob());
            delayedJobs.settled(one);
        }
        lanes.retryNow();
        jobs.forEach(one -> held.add(one.heldJob().worker(), -1));
        if (isIdle()) {
            delayedJobs.endExclusive();
        }
        signal.send();
    }

    private void handBack() {
        slots.drain().forEach(dispatcher::handBack);
        slices.handBack();
    }
}
