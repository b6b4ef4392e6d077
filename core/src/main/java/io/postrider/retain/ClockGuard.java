package io.postrider.retain;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the database's clock can be believed by those who remove what is old. A clock that jumps 40 days ahead makes everything old at
 * once; what is removed then does not come back when the clock is set right. After a jump nothing is removed for an hour, or until
 * the clock is where it was. Not for several threads.
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

    /** @param nanos a clock that nobody sets, such as {@link System#nanoTime} */
    ClockGuard(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** @param now what the database's clock says */
    boolean isBelieved(Instant now) {
        long at = nanos.getAsLong();
        Instant last = believed;
        boolean ahead =
                last != null && now.isAfter(last.plusNanos(at - believedAt).plus(JUMP));
        if (ahead && !jumped) {
            jumpedAt = at;
            log.error(
                    "clock_jumped from={} to={} nothing is removed for {}; set the clock right if this is wrong",
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
