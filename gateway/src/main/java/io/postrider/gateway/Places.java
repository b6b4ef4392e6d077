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
 * Limits the number of connections, in total and for each subject of a project. Connections that have not authenticated yet are
 * counted separately and take no place from the others. When too many of them wait, the one that has waited longest is closed for
 * the next one, so that silent sockets block nobody. Thread-safe.
 */
final class Places {
    private static final Duration SOON = Duration.ofSeconds(5);

    /** By then a {@link RollCall} has freed the places of those who are gone. */
    private static final Duration AFTER_ROLL_CALL = Duration.ofSeconds(2);

    /** One connection may wait without a token for each N places. */
    private static final int UNNAMED = 4;

    private final int most;
    private final int mostOfOne;
    private final AtomicInteger taken = new AtomicInteger();
    private final ConcurrentMap<Owner, Integer> byOwner = new ConcurrentHashMap<>();

    // Guarded by its own lock; the first has waited longest.
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

    /** A seat for a connection that has not authenticated yet. If none is left, another waiting connection is closed. */
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

    /** The longest-waiting connection among those that wait for their client's first message. */
    private Runnable sendAway() {
        for (Seat seat : waiting) {
            Runnable leave = seat.sentAway;
            if (leave != null) {
                waiting.remove(seat);
                return leave;
            }
        }
        throw Refusal.unavailable("too many connections are waiting to authenticate; try again in a moment", SOON);
    }

    private boolean waits(Seat seat) {
        synchronized (waiting) {
            return waiting.remove(seat);
        }
    }

    /** Includes waiting connections. */
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

        /** Sets the callback that closes this connection in favour of another one. */
        void waitUntil(Runnable sentAwayBy) {
            sentAway = sentAwayBy;
        }

        /** Assigns the seat to its owner; refused with 503 if no place is left, with 429 if the owner has too many. */
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
                        "this gateway has reached its limit of " + most + " connections; try another", SOON);
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
