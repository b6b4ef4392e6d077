package io.postrider.internal.claim;

import java.time.Duration;
import java.util.Map;

/**
 * Which delayed jobs of a queue there are to claim.
 *
 * @param waits how long until the next job of each tier is due; a tier without jobs is missing
 * @param keyed whether jobs wait for others of their key
 * @param rated whether the queue limits how many jobs begin in a period
 */
public record NextDue(Map<Tier, Duration> waits, boolean keyed, boolean rated) {
    public boolean isDue(Tier tier) {
        return Duration.ZERO.equals(waits.get(tier));
    }
}
