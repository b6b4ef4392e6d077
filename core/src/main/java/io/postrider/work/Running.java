package io.postrider.work;

import org.jspecify.annotations.Nullable;

/** A job that runs in a thread, and who may interrupt it: never after it has ended, when the thread is at something else. */
final class Running {
    private final Thread thread;
    private final long beganAt = System.nanoTime();
    private boolean ended;
    private @Nullable Why why;

    /** Why it was interrupted. */
    enum Why {
        TIMEOUT,
        CANCELLED
    }

    Running(Thread thread) {
        this.thread = thread;
    }

    /** How long it has run, in nanoseconds. */
    long nanos() {
        return System.nanoTime() - beganAt;
    }

    synchronized void interrupt(Why reason) {
        if (!ended && why == null) {
            why = reason;
            thread.interrupt();
        }
    }

    /** From now on it is not interrupted. Gives why it was. To be called by its own thread; may be repeated. */
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
