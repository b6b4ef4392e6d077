package io.postrider.server.api;

import io.postrider.gateway.Identity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Limits the bytes that are held for callers: in total, half of that for one project, and a quarter for one user. A caller that
 * holds nothing gets any size while nobody else holds anything, or while the total leaves room for it. Thread-safe.
 */
final class MemoryShares {
    private final long most;

    // Guarded by this.
    private final Map<String, Long> held = new HashMap<>();
    private long total;

    /** At most this many bytes in total. */
    MemoryShares(long most) {
        this.most = most;
    }

    private record Share(String name, long most) {}

    synchronized long bytes() {
        return total;
    }

    /** Whether the caller's own share is used up. */
    synchronized boolean isFull(Identity who) {
        Share own = sharesOf(who).get(0);
        return held(own) >= own.most();
    }

    /** Holds this many bytes if all shares of the caller have room for it. */
    synchronized boolean tryHold(Identity who, long size) {
        if (!fits(total, size, most) || !sharesOf(who).stream().allMatch(s -> fits(held(s), size, s.most()))) {
            return false;
        }
        hold(who, size);
        return true;
    }

    /** Holds this many bytes, beyond the limit if necessary. */
    synchronized void hold(Identity who, long size) {
        total += size;
        for (Share share : sharesOf(who)) {
            held.merge(share.name(), size, (was, more) -> was + more == 0 ? null : was + more);
        }
    }

    /** To be called once for what was held. */
    void release(Identity who, long size) {
        hold(who, -size);
    }

    /** The caller's own is the first. */
    private List<Share> sharesOf(Identity who) {
        Share shared = new Share(Readers.nameOf(who), most / 2);
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
