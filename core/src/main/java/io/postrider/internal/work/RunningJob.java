package io.postrider.internal.work;

import org.jspecify.annotations.Nullable;

/**
 * A job that runs in a thread, so that others can interrupt it. Never after it has ended, when the thread does something else.
 * Safe to share.
 */
final class RunningJob {
    private final Thread thread;
    private final long startedAt = System.nanoTime();
    private boolean ended;
    private @Nullable Why why;

    /** Why a job was interrupted. */
    enum Why {
        TIMEOUT,
        CANCELLED
    }

    RunningJob(Thread thread) {
        this.thread = thread;
    }

    /** How long it has run, in nanoseconds. */
    long nanos() {
        return System.nanoTime() - startedAt;
    }

    synchronized void interrupt(Why reason) {
        if (!ended && why == null) {
            why = reason;
            thread.interrupt();
        }
    }

    /** From now on it is not interrupted. Returns why it was. To be called by its own thread; may be repeated. */
    synchronized @Nullable Why end() {
        if (!ended) {
            ended = true;
            if (why != null) {
                Thread.interrupted(); // meant for the handler, not for what follows
            }
        }
        return why;
    }
}
