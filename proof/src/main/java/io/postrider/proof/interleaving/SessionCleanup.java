package io.postrider.proof.interleaving;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Makes all sessions idle after a failed schedule, so that the next one can run: rolls back the idle ones, which frees those that
 * wait for them; cancels the steps that still run; rolls back each session when its step has ended.
 */
final class SessionCleanup<R> {
    private static final long GRACE_NANOS = 50_000_000;
    private static final long PAUSE_NANOS = 200_000;

    private final InterleavingOptions<R> options;
    private final List<SessionThread<R>> threads;

    SessionCleanup(InterleavingOptions<R> options, List<SessionThread<R>> threads) {
        this.options = options;
        this.threads = threads;
    }

    /** Whether every session is idle again; errors on the way are added to the failure. */
    boolean freesAll(InterleavingException failure) {
        // An interrupted conductor could not wait, and would leave the sessions as they are.
        boolean interrupted = Thread.interrupted();
        threads.stream().filter(SessionThread::isIdle).forEach(thread -> rollBack(thread, failure));
        boolean free = allComeBackWithin(GRACE_NANOS, failure);
        if (!free) {
            threads.stream().filter(thread -> !thread.isIdle()).forEach(thread -> cancel(thread, failure));
            free = allComeBackWithin(options.patience().toNanos(), failure);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return free;
    }

    private boolean allComeBackWithin(long nanos, InterleavingException failure) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            for (SessionThread<R> thread : threads) {
                if (thread.hasEnded()) {
                    suppress(thread.take(), failure);
                    rollBack(thread, failure);
                }
            }
            if (threads.stream().allMatch(SessionThread::isIdle)) {
                return true;
            }
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
        return false;
    }

    private void rollBack(SessionThread<R> thread, InterleavingException failure) {
        thread.hand(options.rollback());
        long start = System.nanoTime();
        while (!thread.hasEnded()
                && System.nanoTime() - start < options.patience().toNanos()) {
            thread.awaitEnd(PAUSE_NANOS);
        }
        if (thread.hasEnded()) {
            suppress(thread.take(), failure);
        }
    }

    private void cancel(SessionThread<R> thread, InterleavingException failure) {
        try {
            options.cancel().run(thread.resource());
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
        thread.thread().interrupt();
    }

    private static void suppress(@Nullable Throwable outcome, InterleavingException failure) {
        if (outcome != null) {
            failure.addSuppressed(outcome);
        }
    }
}
