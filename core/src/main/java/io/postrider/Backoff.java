package io.postrider;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Exponential backoff: how long to wait after the nth failure in a row. The first wait is the base; each further one is twice as
 * long, up to the cap. Immutable.
 */
public record Backoff(Duration base, Duration cap) {
    /** Returns the wait after this attempt, counted from 1, in whole milliseconds and at least one. */
    public Duration exact(int attempt) {
        long longest = cap.toMillis();
        long wait = base.toMillis();
        for (int i = 1; i < attempt && wait < longest; i++) {
            wait *= 2;
        }
        return Duration.ofMillis(Math.max(1, Math.min(wait, longest)));
    }

    /** Returns the same wait randomised to 50–100 %, so that simultaneous failures are not retried simultaneously. */
    public Duration jittered(int attempt) {
        long wait = exact(attempt).toMillis();
        return Duration.ofMillis(ThreadLocalRandom.current().nextLong(wait / 2, wait + 1));
    }
}
