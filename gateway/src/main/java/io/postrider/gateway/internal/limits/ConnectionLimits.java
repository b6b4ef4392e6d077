package io.postrider.gateway.internal.limits;

import io.postrider.gateway.Identity;
import io.postrider.gateway.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of connections, in total and for each subject of a project. Connections that have not authenticated yet are
 * counted separately. When too many of them wait, the oldest is closed in favour of the next one, so that idle sockets block
 * nobody. A connection that waits too long is closed as well, including one whose WebSocket upgrade was never completed, which
 * the container does not report. Thread-safe.
 */
public final class ConnectionLimits {
    private static final Duration SOON = Duration.ofSeconds(5);

    /** By then the liveness check has freed the slots of closed connections. */
    private static final Duration AFTER_ROLL_CALL = Duration.ofSeconds(2);

    /** One unauthenticated connection is allowed per N slots. */
    private static final int UNNAMED = 4;

    private final int most;
    private final int mostOfOne;
    private final AtomicInteger taken = new AtomicInteger();
    private final ConcurrentMap<Owner, Integer> byOwner = new ConcurrentHashMap<>();

    // Guarded by its own lock; the first entry is the oldest.
    private final Set<Slot> waiting = new LinkedHashSet<>();

    /** The same subject in two projects is two owners. */
    public record Owner(@Nullable String project, String subject) {
        public static Owner of(Identity identity) {
            return new Owner(identity.project(), identity.subject());
        }
    }

    public ConnectionLimits(int most, int mostOfOne) {
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /** A slot for a connection that has not authenticated yet. If none is left, another waiting connection is closed. */
    public Slot take() {
        Slot slot = new Slot();
        Waiter longest = null;
        synchronized (waiting) {
            if (waiting.size() >= Math.max(1, most / UNNAMED)) {
                Iterator<Slot> slots = waiting.iterator();
                longest = slots.next().waiter;
                slots.remove();
            }
            waiting.add(slot);
        }
        if (longest != null) {
            longest.makeRoom();
        }
        return slot;
    }

    /** Closes connections that have waited this long. Returns how many of them had not been opened. */
    public int expire(Duration limit) {
        List<Waiter> late = new ArrayList<>();
        int lost = 0;
        synchronized (waiting) {
            long now = System.nanoTime();
            Iterator<Slot> slots = waiting.iterator();
            while (slots.hasNext()) {
                Slot slot = slots.next();
                if (now - slot.began < limit.toNanos()) {
                    break; // all that follow are newer
                }
                slots.remove();
                if (slot.waiter == null) {
                    lost++;
                } else {
                    late.add(slot.waiter);
                }
            }
        }
        late.forEach(Waiter::expire);
        return lost;
    }

    /** A connection that waits for its client's first message. */
    public interface Waiter {
        /** Closes the connection in favour of another one, whose thread calls this and must not be held up. */
        void makeRoom();

        /** Closes the connection because the message has not come in time. */
        public void expire();
    }

    private boolean waits(Slot slot) {
        synchronized (waiting) {
            return waiting.remove(slot);
        }
    }

    /** Includes waiting connections. */
    public int taken() {
        synchronized (waiting) {
            return taken.get() + waiting.size();
        }
    }

    /** The slot of one connection. It is released once, however often {@code leave} is called. */
    public final class Slot {
        private final AtomicBoolean left = new AtomicBoolean();
        private final long began = System.nanoTime();
        private @Nullable Waiter waiter; // guarded by the lock of the waiting connections
        private @Nullable Owner owner;
        private boolean counted;

        /** The connection is open and waits. It is closed at once if its slot was given to another one before it was open. */
        public void await(Waiter opened) {
            synchronized (waiting) {
                if (waiting.contains(this)) {
                    waiter = opened;
                    return;
                }
            }
            opened.makeRoom();
        }

        /** Assigns the slot to its owner; refused with 503 if no slot is free, with 429 if the owner has too many. */
        public synchronized void name(Identity identity) {
            if (owner != null || left.get()) {
                return;
            }
            waits(this);
            owner = Owner.of(identity);
            int own = byOwner.merge(owner, 1, Integer::sum);
            if (own > mostOfOne) {
                throw Refusal.tooMany(
                        "the limit of " + mostOfOne + " connections per subject is reached; close another first",
                        AFTER_ROLL_CALL);
            }
            counted = true;
            if (taken.incrementAndGet() > most) {
                throw Refusal.unavailable(
                        "this gateway has reached its limit of " + most + " connections; try another", SOON);
            }
        }

        public synchronized void leave() {
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
