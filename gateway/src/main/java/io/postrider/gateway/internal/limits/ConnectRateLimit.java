package io.postrider.gateway.internal.limits;

import io.postrider.gateway.Refusal;
import io.postrider.gateway.internal.limits.ConnectionLimits.Owner;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Limits how often an owner may open a stream: N times per minute, in a burst or spread out. {@link ConnectionLimits} does not
 * cover this, because a slot is free again as soon as its connection is closed. Thread-safe.
 */
public final class ConnectRateLimit {
    /** Each connection of an owner may be reopened this often per minute. */
    private static final int TIMES = 10;

    private static final int AT_LEAST = 200;
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    /** By then the limit allows several more: 16 if it is 200 a minute. */
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    private final int most;
    private final LongSupplier clock;

    // Guarded by this: the time at which the used part of an owner's minute is free again.
    private final Map<Owner, Long> unusedAt = new HashMap<>();
    private long sweepAt;

    public ConnectRateLimit(int connectionsOfOne, LongSupplier nanoTime) {
        this.most = (int) Math.max(AT_LEAST, Math.min(Integer.MAX_VALUE, (long) TIMES * connectionsOfOne));
        this.clock = nanoTime;
        this.sweepAt = nanoTime.getAsLong() + MINUTE;
    }

    /** Refused with 429 if the owner has opened too many. */
    public synchronized void take(Owner owner) {
        long now = clock.getAsLong();
        sweep(now);
        long used = Math.max(0, unusedAt.getOrDefault(owner, now) - now);
        if (used + each() > MINUTE) {
            throw Refusal.tooMany(
                    "you have opened more than " + most
                            + " streams in a minute; keep them open, or open them less often",
                    RETRY_AFTER);
        }
        unusedAt.put(owner, now + used + each());
    }

    /** Returns the permit, because the stream did not start. */
    public synchronized void giveBack(Owner owner) {
        unusedAt.computeIfPresent(owner, (name, at) -> at - each());
    }

    public synchronized int owners() {
        return unusedAt.size();
    }

    private long each() {
        return MINUTE / most;
    }

    /** Removes owners whose whole minute is free again. */
    private void sweep(long now) {
        if (now - sweepAt >= 0) {
            sweepAt = now + MINUTE;
            unusedAt.values().removeIf(at -> at - now <= 0);
        }
    }
}
