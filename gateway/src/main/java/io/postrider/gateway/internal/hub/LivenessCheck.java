package io.postrider.gateway.internal.hub;

import io.postrider.gateway.internal.limits.ConnectionLimits.Owner;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Checks whether the streams of an owner are still open when a new one is refused for too many connections. A closed stream is
 * noticed only by a write, and the next heartbeat may be 15 s away: a user who reloads a page repeatedly would be locked out by
 * streams that nobody reads. Hub thread only.
 */
final class LivenessCheck {
    /** The minimum interval per owner, so that repeated attempts do not cause more writes. */
    private static final Duration REST = Duration.ofSeconds(1);

    /** The first write to a closed socket succeeds and is answered by a reset; the second one fails. */
    private static final Duration RESET = Duration.ofMillis(300);

    private final HubCore hub;
    private final Set<Owner> resting = new HashSet<>();

    LivenessCheck(HubCore hub) {
        this.hub = hub;
    }

    void call(Owner owner) {
        if (resting.add(owner)) {
            hub.later(REST, () -> resting.remove(owner));
            hub.later(RESET, () -> beat(owner));
            beat(owner);
        }
    }

    /** Skips streams with a non-empty outbox: the pending write shows the same, and the check must not make it overflow. */
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
