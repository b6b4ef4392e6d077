package io.postrider.server.api;

import io.postrider.gateway.Identity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Limits the bytes that are held for callers: in total, half of that for one project, and a quarter for one user. A caller that
 * holds nothing gets any size while no other caller holds anything, or while the total leaves room for it. Thread-safe.
 */
public final class MemoryShares {
    private final long most;

    // Guarded by this.
    private final Map<String, Long> held = new HashMap<>();
    private long total;

    /** At most this many bytes in total. */
    public MemoryShares(long most) {
        this.most = most;
    }

    private record Share(String name, long most) {}

    /** Bytes that are held now. */
    public synchronized long bytes() {
        return total;
    }

    /** Whether the caller's own share is used up. */
    synchronized boolean isFull(Identity who) {
        Share own = sharesOf(who).get(0);
        return held(own) >= own.most();
    }

    /** Holds this many bytes if all shares of the caller have room for it. */
    public synchronized boolean tryHold(Identity who, long size) {
        if (!fits(total, size, most) || !sharesOf(who).stream().allMatch(s -> fits(held(s), size, s.most()))) {
            return false;
        }
        hold(who, size);
        return true;
    }

    /**
     * Holds the wanted bytes, but at most half of those that are free, so that some remain for the next caller. Waits until
     * {@code least} bytes may be held, and returns 0 if that takes longer than the time. A caller that is the only one does not wait.
     */
    synchronized long take(Identity who, long least, long wanted, long waitNanos) throws InterruptedException {
        long until = System.nanoTime() + waitNanos;
        long room = room(who);
        while (room < least && total > 0) {
            long left = until - System.nanoTime();
            if (left <= 0) {
                return 0;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
            room = room(who);
        }
        long taken = Math.max(least, Math.min(wanted, room));
        hold(who, taken);
        return taken;
    }

    private long room(Identity who) {
        long room = total == 0 ? most : (most - total) / 2;
        for (Share share : sharesOf(who)) {
            room = held(share) == 0 ? room : Math.min(room, (share.most() - held(share)) / 2);
        }
        return room;
    }

    /** Holds this many bytes, beyond the limit if necessary. */
    synchronized void hold(Identity who, long size) {
        if (size == 0) {
            return; // a share without bytes is not kept
        }
        total += size;
        notifyAll();
        for (Share share : sharesOf(who)) {
            held.merge(share.name(), size, (was, more) -> was + more == 0 ? null : was + more);
        }
    }

    /** Call this once for the bytes that were held. */
    public void release(Identity who, long size) {
        hold(who, -size);
    }

    /** The caller's own share comes first. */
    private List<Share> sharesOf(Identity who) {
        Share shared = new Share(FairShares.nameOf(who), most / 2);
        return who.reach() == Identity.Reach.USER
                ? List.of(new Share("user " + who.subject() + " of " + who.project(), most / 4), shared)
                : List.of(shared);
    }

    private static boolean fits(long held, long size, long most) {
        return held == 0 || held + size <= most;
    }

    private long held(Share share) {
        return held.getOrDefault(share.name(), 0L);
    }
}
