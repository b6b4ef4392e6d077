package io.postrider.internal.retain;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides when to search for times that were written while the database's clock was ahead. Such rows exist only after the clock
 * was set back. The search reads 100,000 delayed jobs, so it runs only at the start of a node, three times in a minute after the
 * clock went back, and every ten minutes in case no node was running when that happened. Not thread-safe.
 */
final class ClockRepairTurns {
    private static final Duration SET_BACK = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration SELDOM = Duration.ofMinutes(10);

    /** A transaction that began before the clock was corrected may commit its times after the first search. */
    private static final int TURNS = 3;

    private final LongSupplier nanos;
    private @Nullable Instant last;
    private long lastAt;
    private long dueAt;
    private int turns = 1;

    /** @param nanos a monotonic clock, such as {@link System#nanoTime} */
    ClockRepairTurns(LongSupplier nanos) {
        this.nanos = nanos;
        this.dueAt = nanos.getAsLong();
    }

    /** @param now the time of the database's clock */
    boolean isDue(Instant now) {
        long at = nanos.getAsLong();
        if (last != null && now.isBefore(last.plusNanos(at - lastAt).minus(SET_BACK))) {
            turns = TURNS;
            dueAt = at;
        }
        last = now;
        lastAt = at;
        if (at - dueAt < 0) {
            return false;
        }
        dueAt = at + SOON.toNanos();
        return true;
    }

    /**
     * Records that a search succeeded; otherwise it is due again soon. If it found rows there may be more, because it takes
     * 10,000 at a time.
     */
    void searched(boolean found) {
        turns = found ? TURNS : turns - 1;
        if (turns <= 0) {
            turns = 1;
            dueAt = nanos.getAsLong() + SELDOM.toNanos();
        }
    }
}
