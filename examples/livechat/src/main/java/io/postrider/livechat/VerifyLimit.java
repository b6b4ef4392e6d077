package io.postrider.livechat;

import java.util.HashMap;
import java.util.Map;

/**
 * Limits how many verifications run at once, for each guest and in total: each holds a thread and a connection that the rest of
 * the process needs, and goes on after its client has left. Those beyond the limit are refused and do not wait. Thread-safe.
 */
final class VerifyLimit {
    /** A page has one at a time; two tabs may share a guest. */
    static final int OF_A_GUEST = 2;

    /** A quarter of the server's 16 connections. */
    static final int IN_TOTAL = 4;

    // Guarded by this.
    private final Map<Guest, Integer> running = new HashMap<>();
    private int total;

    /** A place, until it is closed. */
    interface Place extends AutoCloseable {
        @Override
        void close();
    }

    /** Refused with 429 if the guest has too many, with 503 if all guests together do. */
    synchronized Place enter(Guest guest) {
        if (running.getOrDefault(guest, 0) >= OF_A_GUEST) {
            throw Refusal.tooMany("More than " + OF_A_GUEST + " verifications at once; wait for their answers.", 1);
        }
        if (total >= IN_TOTAL) {
            throw Refusal.busy();
        }
        total++;
        running.merge(guest, 1, Integer::sum);
        return () -> leave(guest);
    }

    private synchronized void leave(Guest guest) {
        total--;
        running.computeIfPresent(guest, (key, count) -> count == 1 ? null : count - 1);
    }
}
