package io.postrider.internal.retain;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether retention can trust the database's clock. A clock that jumps 40 days ahead makes all data old at once, and
 * removed data does not come back when the clock is corrected. After a jump nothing is removed for an hour, or until the clock is
 * corrected. Not thread-safe.
 */
final class ClockGuard {
    private static final Logger log = LoggerFactory.getLogger(ClockGuard.class);

    private static final Duration JUMP = Duration.ofHours(1);
    private static final Duration HOLD = Duration.ofHours(1);

    private final LongSupplier nanos;
    private @Nullable Instant believed;
    private long believedAt;
    private boolean jumped;
    private long jumpedAt;

    /** @param nanos a monotonic clock, such as {@link System#nanoTime} */
    ClockGuard(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** @param now the time of the database's clock */
    boolean isBelieved(Instant now) {
        long at = nanos.getAsLong();
        Instant last = believed;
        boolean ahead =
                last != null && now.isAfter(last.plusNanos(at - believedAt).plus(JUMP));
        if (ahead && !jumped) {
            jumpedAt = at;
            log.error(
                    "clock_jumped from={} to={} nothing is removed for {}; correct the clock if it is wrong",
                    last,
                    now,
                    HOLD);
        }
        jumped = ahead && at - jumpedAt < HOLD.toNanos();
        if (!jumped) {
            believed = now;
            believedAt = at;
        }
        return !jumped;
    }
}
