package io.postrider.internal.threads;

import java.time.Duration;

/**
 * A moment on the monotonic clock of this process. {@link System#nanoTime} may be negative and may overflow, so two of its values
 * are only ever subtracted, never compared. Immutable.
 */
public final class Deadline {
    private final long at;

    private Deadline(long at) {
        this.at = at;
    }

    /** A deadline that has just passed. */
    public static Deadline now() {
        return new Deadline(System.nanoTime());
    }

    /** A deadline this far from now, at most 292 years. */
    public static Deadline in(Duration wait) {
        return new Deadline(System.nanoTime() + wait.toNanos());
    }

    public boolean isPassed() {
        return System.nanoTime() - at >= 0;
    }

    /** Nanoseconds until it passes; zero or negative if it has. */
    public long nanosLeft() {
        return at - System.nanoTime();
    }

    /** The earlier of the two. */
    public Deadline earlier(Deadline other) {
        return at - other.at <= 0 ? this : other;
    }
}
