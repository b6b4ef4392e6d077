package io.postrider.gateway;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How many connections there may be, all in all and of one subject of one project. Those that have not said who they are wait in a
 * room of their own and take no place from the others; when it is full, the one that has waited longest leaves for the next to come,
 * so that silent sockets keep nobody out. Safe to share.
 */
final class Places {
    private static final Duration SOON = Duration.ofSeconds(5);

    /** By then a {@link RollCall} has freed the places of those who are gone. */
    private static final Duration AFTER_ROLL_CALL = Duration.ofSeconds(2);

    /** For so many places, one may wait without a token. */
    private static final int UNNAMED = 4;

    private final int most;
    private final int mostOfOne;
    private final AtomicInteger taken = new AtomicInteger();
    private final ConcurrentMap<Owner, Integer> byOwner = new ConcurrentHashMap<>();

    // Under its own lock; the first has waited longest.
    private final Set<Seat> waiting = new LinkedHashSet<>();

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

    /** A seat for somebody who has not said their name; another one that waits is sent away if there is none left. */
    Seat take() {
        Seat seat = new Seat();
        Runnable leave = () -> {};
        synchronized (waiting) {
            if (waiting.size() >= Math.max(1, most / UNNAMED)) {
                leave = sendAway();
            }
            waiting.add(seat);
        }
        leave.run();
        return seat;
    }

    /** The one that has waited longest, of those that wait for a word of their client. */
    private Runnable sendAway() {
        for (Seat seat : waiting) {
            Runnable leave = seat.sentAway;
            if (leave != null) {
                waiting.remove(seat);
                return leave;
            }
        }
        throw Refusal.unavailable("too many connections are waiting to say who they are; come back in a moment", SOON);
    }

    private boolean waits(Seat seat) {
        synchronized (waiting) {
            return waiting.remove(seat);
        }
    }

    /** With those that wait. */
    int taken() {
        synchronized (waiting) {
            return taken.get() + waiting.size();
        }
    }

    /** One connection's place. Given back once, however often it is left. */
    final class Seat {
        private final AtomicBoolean left = new AtomicBoolean();
        private volatile @Nullable Runnable sentAway;
        private @Nullable Owner owner;
        private boolean counted;

        /** May be sent away in favour of somebody else, by this. */
        void waitUntil(Runnable sentAwayBy) {
            sentAway = sentAwayBy;
        }

        /** Whose it is; refused with 503 if no place is left, with 429 if they have too many. */
        synchronized void name(Identity identity) {
            if (owner != null || left.get()) {
                return;
            }
            waits(this);
            owner = Owner.of(identity);
            int own = byOwner.merge(owner, 1, Integer::sum);
            if (own > mostOfOne) {
                throw Refusal.tooMany(
                        "you have as many connections as one may have, " + mostOfOne + "; close another first",
                        AFTER_ROLL_CALL);
            }
            counted = true;
            if (taken.incrementAndGet() > most) {
                throw Refusal.unavailable(
                        "this gateway has as many connections as it may, " + most + "; try another", SOON);
            }
        }

        synchronized void leave() {
            if (left.compareAndSet(false, true)) {
                waits(this);
                if (counted) {
                    taken.decrementAndGet();
                }
                if (owner != null) {
                    byOwner.computeIfPresent(owner, (name, count) -> count == 1 ? null : count - 1);
                }
            }
        }
    }
}
