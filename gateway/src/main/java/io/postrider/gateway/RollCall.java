package io.postrider.gateway;

import io.postrider.gateway.Places.Owner;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Looks whether the streams of one owner are still there, when another of theirs is refused for want of a place. A stream that
 * was closed shows only when it is written to, and a heartbeat is up to 15 s away: who loads a page again and again would be
 * kept out by streams that nobody reads. Hub thread only.
 */
final class RollCall {
    /** However often they are refused: one who hammers does not make us write more. */
    private static final Duration REST = Duration.ofSeconds(1);

    /** The first write to a socket that was closed is taken; it is answered by a reset, and the next one fails. */
    private static final Duration RESET = Duration.ofMillis(300);

    private final Hub hub;
    private final Set<Owner> resting = new HashSet<>();

    RollCall(Hub hub) {
        this.hub = hub;
    }

    void call(Owner owner) {
        if (resting.add(owner)) {
            hub.later(REST, () -> resting.remove(owner));
            hub.later(RESET, () -> beat(owner));
            beat(owner);
        }
    }

    /** Where something waits to be written, that will show it: nobody is cut as slow for being called. */
    private void beat(Owner owner) {
        for (Subscriber subscriber : hub.open()) {
            if (subscriber.owner.equals(owner)
                    && subscriber.welcomed
                    && subscriber.outbox().bytes() == 0) {
                hub.beat(subscriber);
            }
        }
    }
}
