package io.postrider.gateway;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** How many connections there may be, all in all and of one subject. Safe to share. */
final class Places {
    private static final Duration SOON = Duration.ofSeconds(5);

    private final int most;
    private final int mostOfOne;
    private final AtomicInteger taken = new AtomicInteger();
    private final ConcurrentMap<String, Integer> bySubject = new ConcurrentHashMap<>();

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
        return new Seat();
    }

    int taken() {
        return taken.get();
    }

    /** One connection's place. Given back once, however often it is left. */
    final class Seat {
        private final AtomicBoolean left = new AtomicBoolean();
        private @Nullable String subject;

        /** Whose it is; refused with 429 if they have too many. */
        synchronized void name(String newSubject) {
            int own = bySubject.merge(newSubject, 1, Integer::sum);
            subject = newSubject;
            if (own > mostOfOne) {
                throw Refusal.tooMany(
                        "you have as many connections as one may have, " + mostOfOne + "; close another first", SOON);
            }
        }

        synchronized void leave() {
            if (left.compareAndSet(false, true)) {
                taken.decrementAndGet();
                if (subject != null) {
                    bySubject.computeIfPresent(subject, (name, count) -> count == 1 ? null : count - 1);
                }
            }
        }
    }
}
