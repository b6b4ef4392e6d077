package io.postrider.gateway;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How many connections there may be, all in all, of one subject of one project, and of those who have not said who they are.
 * Safe to share.
 */
final class Places {
    private static final Duration SOON = Duration.ofSeconds(5);

    /** By then a {@link RollCall} has freed the places of those who are gone. */
    private static final Duration AFTER_ROLL_CALL = Duration.ofSeconds(2);

    /** One in so many places may be held without a token: whoever opens sockets and says nothing leaves the others theirs. */
    private static final int UNNAMED = 4;

    private final int most;
    private final int mostOfOne;
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger unnamed = new AtomicInteger();
    private final ConcurrentMap<Owner, Integer> byOwner = new ConcurrentHashMap<>();

    /** A user of one project is not the user of that name of another. */
    record Owner(@Nullable String project, String subject) {
        static Owner of(Identity identity) {
            return new Owner(identity.project(), identity.subject());
        }
    }

    Places(int most, int mostOfOne) {
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /** A seat for somebody who has not said their name; refused with 503 if there is none. */
    Seat take() {
        if (taken.incrementAndGet() > most) {
            taken.decrementAndGet();
            throw Refusal.unavailable(
                    "this gateway has as many connections as it may, " + most + "; try another", SOON);
        }
        if (unnamed.incrementAndGet() > Math.max(1, most / UNNAMED)) {
            unnamed.decrementAndGet();
            taken.decrementAndGet();
            throw Refusal.unavailable(
                    "too many connections are waiting to say who they are; come back in a moment", SOON);
        }
        return new Seat();
    }

    int taken() {
        return taken.get();
    }

    /** One connection's place. Given back once, however often it is left. */
    final class Seat {
        private final AtomicBoolean left = new AtomicBoolean();
        private @Nullable Owner owner;

        /** Whose it is; refused with 429 if they have too many. */
        synchronized void name(Identity identity) {
            if (owner != null || left.get()) {
                return;
            }
            unnamed.decrementAndGet();
            owner = Owner.of(identity);
            int own = byOwner.merge(owner, 1, Integer::sum);
            if (own > mostOfOne) {
                throw Refusal.tooMany(
                        "you have as many connections as one may have, " + mostOfOne + "; close another first",
                        AFTER_ROLL_CALL);
            }
        }

        synchronized void leave() {
            if (left.compareAndSet(false, true)) {
                taken.decrementAndGet();
                if (owner == null) {
                    unnamed.decrementAndGet();
                } else {
                    byOwner.computeIfPresent(owner, (name, count) -> count == 1 ? null : count - 1);
                }
            }
        }
    }
}
