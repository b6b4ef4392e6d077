package io.postrider.proof.interleaving;

import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Conducts one run of one schedule. */
final class ScheduleRun<R> {
    private static final int NOBODY = -1;
    private static final long LONGEST_PAUSE_NANOS = 20_000_000;

    private final InterleavingOptions<R> options;
    private final List<Session<R>> sessions;
    private final List<SessionThread<R>> threads;
    private final Schedule schedule;
    private final Trace trace = new Trace();
    /** The turns not yet taken, in order: the first {@link #left} of them. */
    private final int[] turns;

    private int left;
    /** The number of steps that each session has begun. */
    private final int[] begun;

    ScheduleRun(
            InterleavingOptions<R> options,
            List<Session<R>> sessions,
            List<SessionThread<R>> threads,
            Schedule schedule) {
        this.options = options;
        this.sessions = sessions;
        this.threads = threads;
        this.schedule = schedule;
        begun = new int[sessions.size()];
        left = schedule.length();
        turns = new int[left];
        for (int turn = 0; turn < left; turn++) {
            turns[turn] = schedule.session(turn);
        }
    }

    Trace run() {
        while (true) {
            int session = takeFirstFreeTurn();
            if (session != NOBODY) {
                begin(session);
            } else if (anyUnderWay()) {
                awaitAnyEnd();
            } else {
                return trace;
            }
            collectFreed();
        }
    }

    private int takeFirstFreeTurn() {
        for (int turn = 0; turn < left; turn++) {
            int session = turns[turn];
            if (threads.get(session).isIdle()) {
                System.arraycopy(turns, turn + 1, turns, turn, --left - turn);
                return session;
            }
        }
        return NOBODY;
    }

    private void begin(int session) {
        Step<R> step = sessions.get(session).steps().get(begun[session]++).step();
        threads.get(session).hand(step);
        if (awaitEndOrBlock(session)) {
            trace.ended(session, begun[session]);
            take(session);
        } else {
            trace.blocked(session, begun[session]);
        }
    }

    /**
     * Waits for the blocked steps that the last one has unblocked, and those that they unblock in turn, so that no two steps run
     * at once. If one step unblocks two that need the same row, the server chooses the first, and not always the same: of 1,680
     * schedules of three sessions on one row, 17 went differently the second time.
     */
    private void collectFreed() {
        boolean again = true;
        while (again) {
            again = false;
            for (int session = 0; session < threads.size(); session++) {
                if (!threads.get(session).isIdle() && !isStillBlocked(session)) {
                    again |= collect(session);
                }
            }
        }
    }

    private boolean isStillBlocked(int session) {
        return !threads.get(session).hasEnded() && isBlocked(session);
    }

    private boolean collect(int session) {
        if (!awaitEndOrBlock(session)) {
            return false;
        }
        trace.endedLate(session, begun[session]);
        take(session);
        return true;
    }

    /** Waits until a step has ended (true) or is blocked (false). */
    private boolean awaitEndOrBlock(int session) {
        SessionThread<R> thread = threads.get(session);
        long start = System.nanoTime();
        long pause = options.firstAsk().toNanos();
        long nextAsk = pause;
        while (true) {
            thread.awaitEnd(Math.max(1, nextAsk - (System.nanoTime() - start)));
            if (thread.hasEnded()) {
                return true;
            }
            long waited = System.nanoTime() - start;
            if (waited >= nextAsk) {
                if (isBlocked(session)) {
                    // It may have been unblocked and have ended during the check.
                    return thread.hasEnded();
                }
                refuseToWaitLongerThan(waited, () -> describe(session) + " neither ended nor blocked");
                pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
                nextAsk = waited + pause;
            }
            refuseInterrupt();
        }
    }

    /** No turn can be taken, because all sessions wait for each other or for something outside: only waiting can help. */
    private void awaitAnyEnd() {
        long start = System.nanoTime();
        long pause = options.firstAsk().toNanos();
        while (threads.stream().noneMatch(SessionThread::hasEnded)) {
            refuseToWaitLongerThan(System.nanoTime() - start, () -> "stuck: " + describeUnderWay());
            refuseInterrupt();
            LockSupport.parkNanos(this, pause);
            pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
        }
    }

    private boolean anyUnderWay() {
        return threads.stream().anyMatch(thread -> !thread.isIdle());
    }

    private boolean isBlocked(int session) {
        SessionThread<R> thread = threads.get(session);
        try {
            // A thread that has not woken up for its step yet also waits, but for the processor.
            return thread.isRunning() && options.blocked().isBlocked(thread.resource(), thread.thread());
        } catch (Exception e) {
            throw failure("the probe failed on " + describe(session), e);
        }
    }

    private void take(int session) {
        Throwable failure = threads.get(session).take();
        if (failure != null) {
            throw failure(describe(session) + " failed: " + failure, failure);
        }
    }

    private void refuseToWaitLongerThan(long waited, Supplier<String> what) {
        if (waited > options.patience().toNanos()) {
            throw failure(what.get() + " within " + options.patience().toMillis() + " ms", null);
        }
    }

    private void refuseInterrupt() {
        if (Thread.currentThread().isInterrupted()) {
            throw failure("interrupted", null);
        }
    }

    private InterleavingException failure(String what, @Nullable Throwable cause) {
        return new InterleavingException(what, schedule, trace.toString(), cause);
    }

    private String describeUnderWay() {
        StringJoiner waiting = new StringJoiner(", ", "", " did not end");
        for (int session = 0; session < threads.size(); session++) {
            if (!threads.get(session).isIdle()) {
                waiting.add(describe(session));
            }
        }
        return waiting.toString();
    }

    /** As {@code B2 (sequencer: number)}. */
    private String describe(int session) {
        Session<R> who = sessions.get(session);
        return "" + Schedule.letter(session) + begun[session] + " (" + who.name() + ": "
                + who.steps().get(begun[session] - 1).what() + ")";
    }
}
