package io.postrider.internal.listen;

import io.postrider.Backoff;
import io.postrider.Listener;
import io.postrider.PostriderException;
import io.postrider.internal.listen.BatchStep.Batch;
import io.postrider.internal.listen.SetbacksAhead.Setback;
import io.postrider.internal.log.LogRange;
import io.postrider.internal.threads.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One listener on this node: take → read → sort → handle → settle, again and again.
 *
 * <pre>
 * WAITING      another node runs it, or it is paused or detached. Nothing is held. Leaves when the node's connection gets its lock.
 * RUNNING      ranges of up to a batch, never across an event that is set back. If it is known which event failed, that event is
 *              set back and those before it are settled first. If not, the batch is halved until the event is alone. A sink gets
 *              about one second's worth at once, so that the relay soon notices a pause.
 * CAREFUL      the first batch of positions after a tenure that did not end in order: an event there may have killed the process.
 *              Each event is handled alone, its attempt counted and committed before. Leaves behind that batch.
 * BLOCKED      the event after the cursor is set back. Known to have arrived: the cursor moves past it. No attempts left: it
 *              becomes a dead letter in the transaction that moves the cursor past it. Policy block: waits until it is due and
 *              tries it alone, counted. Policies park and skip: the cursor moves past it, and it is tried again behind the cursor.
 * SHADOW       positions up to the cursor's {@code shadowUpto}: everything except the sending ({@link ShadowStep}). Retries behind the
 *              cursor wait. Leaves when the cursor is there, or an operator goes live, which the next record notices.
 * UNAVAILABLE  the sink of a relay is. No event is to blame and no attempt counts; the sink is tried again after a wait that
 *              grows to 10 s, or as long as it asks for. A crash here leaves a row that the successor clears.
 * </pre>
 *
 * Between the ranges, {@link Retries} tries the setbacks behind the cursor. A crash at any point leaves the cursor, the setbacks and,
 * for a transactional listener, all effects as of the last settlement. A relay sends the events after it again, except those
 * that its sink says it has.
 */
final class ListenerRun implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(ListenerRun.class);
    private static final Backoff AFTER_FAILURE = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));

    /** After a request for shadow mode that was withdrawn: the node's connection soon reads that it is. */
    private static final Duration AGAIN = Duration.ofMillis(100);

    private final Listener listener;
    private final ListenerComponents parts;
    private final Suspender suspender;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Retries retries;
    private final Progress progress;
    private final SingleEventStep single;
    private final BatchStep batch;
    private final ShadowStep shadow;
    private Caution caution = Caution.NONE;
    private int failures;
    private volatile boolean running = true;

    ListenerRun(NodeServices node, Listener listener, Assignment assignment, Suspender suspender) {
        this.listener = listener;
        this.parts = new ListenerComponents(node, listener, assignment);
        this.suspender = suspender;
        this.retries = new Retries(parts);
        this.progress = new Progress(parts, retries);
        this.single = new SingleEventStep(parts, progress, retries);
        this.batch = new BatchStep(parts, progress, retries);
        this.shadow = new ShadowStep(parts, progress);
    }

    /**
     * What a crash or a bug demands of the positions after it.
     *
     * @param oneByOneUpto up to here each event is handled alone
     * @param recordEachUpto up to here each batch is recorded as it is sent: the event that killed the process may be further on
     *     than the first batch, and if the cursor stayed far behind it, each restart would come only one batch nearer
     */
    private record Caution(long oneByOneUpto, long recordEachUpto) {
        static final Caution NONE = new Caution(0, 0);
    }

    /** Finishes the current step and ends. */
    void stop() {
        running = false;
        parts.heads.nudge(listener.topic());
        parts.assignment.wake();
    }

    /** Waits until it has ended; false if it has not within this time. */
    boolean awaitEnd(Deadline deadline) throws InterruptedException {
        return ended.await(Math.max(0, deadline.nanosLeft()), TimeUnit.NANOSECONDS);
    }

    /** Makes steps until there is nothing to do; then gives the thread back, and a signal continues here on another one. */
    @Override
    public void run() {
        while (running) {
            if (tryStep() && suspend()) {
                return; // from here on, another thread may run this
            }
        }
        try {
            endTenure();
        } finally {
            ended.countDown();
        }
    }

    private boolean suspend() {
        ListenerWait.Wait wait = parts.wait.take();
        try {
            return wait != null && running && suspender.suspend(this, wait, () -> running);
        } catch (RuntimeException | Error e) { // out of memory or threads: the listener must not end with its lock held
            failures++;
            log.error("listener_failed listener={} failures={}", listener.name(), failures, e);
            recover();
            return false;
        }
    }

    /** Whether the step did not fail. */
    private boolean tryStep() {
        parts.wait.take(); // a step that failed may have left one
        try {
            step();
            failures = 0;
            return true;
        } catch (InterruptedException e) {
            running = false;
        } catch (PostriderException e) {
            failures++;
            log.warn("listener_failed listener={} failures={} error=\"{}\"", listener.name(), failures, e.getMessage());
            recover();
        } catch (RuntimeException | Error e) {
            // A bug, or the virtual machine is out of memory. An event may be the cause, so attempts count from
            // here.
            failures++;
            caution = new Caution(progress.cursor().scanned() + listener.batch(), caution.recordEachUpto());
            log.error("listener_failed listener={} failures={}", listener.name(), failures, e);
            recover();
        }
        return false;
    }

    private void recover() {
        progress.invalidate();
        try {
            TimeUnit.MILLISECONDS.sleep(AFTER_FAILURE.jittered(failures).toMillis());
        } catch (InterruptedException e) {
            running = false;
        }
    }

    /** One round. Every return before the last step means that there is nothing for that step yet. */
    private void step() throws InterruptedException {
        if (!take() || stepInShadow() || waitForSink()) {
            return;
        }
        retryBehindCursor();
        Setback setback = progress.ahead().first();
        long last = setback == null ? lastLive() : Math.min(lastLive(), setback.position() - 1);
        if (setback != null && setback.position() - 1 <= progress.cursor().position()) {
            single.unblock(setback);
            return;
        }
        boolean careful = progress.cursor().position() < caution.oneByOneUpto();
        int most = careful ? 1 : parts.batchSize.current();
        Optional<LogRange> read = read(last, most);
        if (read.isEmpty() || !parts.destination.resolveDoubt()) {
            return; // to a sink that cannot say what it has nothing is sent, and no attempt begins
        }
        LogRange range = read.get();
        if (careful && !retries.isParked(range.events().get(0))) {
            single.attempt(range.events().get(0), range.to());
            return;
        }
        boolean hasMore =
                parts.destination.isSlow() && !careful && range.events().size() == most;
        if (hasMore) {
            parts.readAhead.begin(range, most, progress.cursor().era());
        }
        Batch sorted = batch.sort(range, hasMore && progress.cursor().position() >= caution.recordEachUpto());
        HandlingResult result = batch.handle(sorted);
        batch.settle(sorted, result);
    }

    // ── take ────────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Whether the listener may run here now. */
    private boolean take() throws InterruptedException {
        if (parts.assignment.takeTest()) {
            parts.destination.test();
        }
        if (parts.assignment.takeReading()) {
            parts.destination.readPublished();
        }
        long acquisition = parts.assignment.acquisition();
        if (acquisition == Assignment.NOT_ACQUIRED) {
            endTenure();
            parts.wait.forAssignment(parts.assignment);
            return false;
        }
        if (parts.tenure.isOf(acquisition)) {
            progress.refresh();
        } else {
            beginTenure(acquisition);
        }
        return true;
    }

    private void beginTenure(long acquisition) {
        Tenure tenure = parts.tenure;
        tenure.begin();
        boolean careful = tenure.isAfterCrash();
        if (careful && !parts.assignment.isShared()) {
            tenure.endGhosts()
                    .forEach(pid -> log.warn(
                            "transaction_ended listener={} pid={} the session of a former owner was terminated",
                            listener.name(),
                            pid));
        }
        progress.reload();
        long position = progress.cursor().position();
        caution = careful ? new Caution(position + listener.batch(), parts.heads.head(listener.topic())) : Caution.NONE;
        tenure.complete(acquisition);
        log.info("listener_began listener={} position={} careful={}", listener.name(), position, careful);
    }

    private void endTenure() {
        if (!parts.tenure.isUnderWay()) {
            return;
        }
        parts.tenure.leave();
        try {
            progress.recordSent();
            parts.tenure.end();
        } catch (PostriderException e) {
            // the next tenure is careful without need
            log.debug("tenure of {} could not be ended: {}", listener.name(), e.getMessage());
        }
    }

    // ── shadow ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Whether the position after the cursor is in shadow; then records what would be sent. */
    private boolean stepInShadow() throws InterruptedException {
        if (parts.assignment.isShadowRequested() && !enterShadow()) {
            return true;
        }
        if (!progress.cursor().isShadow()) {
            return false;
        }
        Optional<LogRange> range = read(progress.cursor().shadowUpto(), listener.batch());
        if (range.isPresent()) {
            shadow.record(range.get());
        }
        return true;
    }

    /**
     * Follows a request for shadow mode, once everything that was sent is recorded. Events after the cursor that a crash or a failed
     * send has left in the sink are finished live first ({@link #lastLive}), so that no event is both sent and recorded as not sent.
     * False if the request is gone or the listener was moved.
     */
    private boolean enterShadow() throws InterruptedException {
        if (progress.cursor().isShadow() || parts.destination.isUnavailable()) {
            return true;
        }
        progress.recordSent();
        long position = progress.cursor().position();
        if (!parts.destination.resolveDoubt() || parts.destination.lastArrived() > position) {
            return true;
        }
        boolean entered = parts.ledger.enterShadow(progress.cursor());
        progress.reload();
        if (entered) {
            log.info("listener_shadow listener={} from={}", listener.name(), position + 1);
        } else {
            parts.wait.forNudge(AGAIN);
        }
        return entered;
    }

    /** The last position that may be sent now. */
    private long lastLive() {
        return parts.assignment.isShadowRequested() ? parts.destination.lastArrived() : Long.MAX_VALUE;
    }

    /** Whether the sink is unavailable; then waits for it. */
    private boolean waitForSink() throws InterruptedException {
        if (!parts.destination.isUnavailable()) {
            return false;
        }
        progress.recordSent();
        parts.wait.forNudge(parts.destination.untilNextTry());
        return true;
    }

    private void retryBehindCursor() throws InterruptedException {
        if (parts.assignment.takeDue() || retries.isDue()) {
            progress.recordSent();
            retries.tryDue(
                    progress.cursor().position(),
                    () -> running
                            && parts.tenure.isOf(parts.assignment.acquisition())
                            && !parts.destination.isUnavailable());
        }
    }

    // ── read ────────────────────────────────────────────────────────────────────────────────────────────────────────

    /** The next events up to a position; empty if there are none, or the era has changed. */
    private Optional<LogRange> read(long last, int most) throws InterruptedException {
        Cursor cursor = progress.cursor();
        LogRange range = parts.readAhead.read(cursor.scanned(), last, most, cursor.era());
        if (range.isEmpty()) {
            progress.recordScanned(cursor.scanned() == last);
            parts.wait.forEvents(
                    progress.cursor().scanned(),
                    progress.cursor().isShadow() ? ListenerWait.LONGEST : retries.untilDue());
        } else if (range.era() != cursor.era()) {
            progress.reload();
        } else if (range.events().isEmpty()) {
            progress.scannedTo(range.to());
            progress.recordScanned(range.to() == last);
        } else {
            return Optional.of(range);
        }
        return Optional.empty();
    }
}
