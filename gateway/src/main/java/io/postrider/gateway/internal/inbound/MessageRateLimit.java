package io.postrider.gateway.internal.inbound;

import io.postrider.gateway.Refusal;
import io.postrider.gateway.internal.limits.ConnectionLimits.Owner;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Limits how fast an owner may send messages, over all its connections: a burst, and a rate after that. Thread-safe.
 */
final class MessageRateLimit {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long SWEEP = Duration.ofMinutes(1).toNanos();

    private final int perSecond;
    private final long burst;
    private final long each;
    private final LongSupplier clock;

    // Guarded by this: the time at which the used part of an owner's burst is free again.
    private final Map<Owner, Long> unusedAt = new HashMap<>();
    private long sweepAt;

    MessageRateLimit(int atOnce, int perSecond, LongSupplier nanoTime) {
        this.perSecond = perSecond;
        this.each = SECOND / perSecond;
        this.burst = atOnce * each;
        this.clock = nanoTime;
        this.sweepAt = nanoTime.getAsLong() + SWEEP;
    }

    /** Refused with 429 if the owner sends too fast. */
    synchronized void take(Owner owner) {
        long now = clock.getAsLong();
        sweep(now);
        long used = Math.max(0, unusedAt.getOrDefault(owner, now) - now);
        if (used + each > burst) {
            throw Refusal.tooMany(
                    "you have sent more than " + perSecond + " messages a second; send this one again in a moment",
                    Duration.ofSeconds(1));
        }
        unusedAt.put(owner, now + used + each);
    }

    private void sweep(long now) {
        if (now - sweepAt >= 0) {
            sweepAt = now + SWEEP;
            unusedAt.values().removeIf(at -> at - now <= 0);
        }
    }
}
