package io.postrider.internal.listen;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets listeners wait without a thread. Before Java 21 each of them would hold one: 2,000 idle listeners were 2,000 threads.
 * Thread-safe.
 */
record Suspender(Executor threads, ScheduledExecutorService timer) {
    private static final Logger log = LoggerFactory.getLogger(Suspender.class);

    /**
     * Continues a task on another thread after a wait.
     *
     * @param wanted whether to wait at all; it is read after the wait has begun, so that a change before a signal is not missed
     * @return false if there is nothing to wait for. Otherwise the task may already be running on another thread
     */
    boolean suspend(Runnable task, ListenerWait.Wait wait, BooleanSupplier wanted) {
        if (wait.most().isZero() || wait.most().isNegative()) {
            return false;
        }
        Suspension suspension = new Suspension(this, task, wait.signal());
        try {
            suspension.timeout = timer.schedule(suspension, wait.most().toNanos(), TimeUnit.NANOSECONDS);
            boolean waits = wait.signal().once(suspension) && wanted.getAsBoolean();
            if (!waits && suspension.end()) {
                return false;
            }
        } catch (RuntimeException | Error e) { // the timer has no thread; it may have kept the task all the same
            if (suspension.end()) {
                throw e;
            }
            return true;
        }
        if (suspension.ended.get()) {
            wait.signal().forget(suspension); // the timer was faster than the call of once
        }
        return true;
    }

    /** One wait: ended by its signal or its timer, whichever is first. */
    private static final class Suspension implements Runnable {
        private final Suspender by;
        private final Runnable task;
        private final ListenerWait.Signal signal;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable Future<?> timeout;

        Suspension(Suspender by, Runnable task, ListenerWait.Signal signal) {
            this.by = by;
            this.task = task;
            this.signal = signal;
        }

        @Override
        public void run() {
            if (end()) {
                resume();
            }
        }

        /** Without a thread for it now, the task is resumed a second later: nobody else would do it. */
        private void resume() {
            try {
                by.threads.execute(task);
            } catch (RejectedExecutionException e) {
                log.debug("closing", e); // must not reach whoever sent the signal
            } catch (OutOfMemoryError e) {
                later();
            }
        }

        private void later() {
            try {
                by.timer.schedule(this::resume, 1, TimeUnit.SECONDS);
            } catch (RejectedExecutionException e) {
                log.debug("closing", e);
            }
        }

        /** Whether the caller is the one who ends it, and has to continue the task. */
        boolean end() {
            if (!ended.compareAndSet(false, true)) {
                return false;
            }
            Future<?> pending = timeout;
            if (pending != null) {
                pending.cancel(false);
            }
            signal.forget(this);
            return true;
        }
    }
}
