package io.postrider.internal.work;

import io.postrider.internal.claim.HeldJob;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The delayed jobs that this node holds, by the number they were claimed under. Each is counted: a job that is due again at once can
 * be claimed before the settlement of its last run is reported here, and that report must not remove the new claim. Safe to share.
 */
final class HeldPlaces {
    private final Map<Claimed, Integer> claims = new ConcurrentHashMap<>();

    /** It may be claimed again under another number while it still runs under this one. */
    private record Claimed(long worker, HeldJob.Place place) {
        static Claimed of(HeldJob heldJob) {
            return new Claimed(heldJob.worker(), heldJob.place());
        }
    }

    void add(HeldJob heldJob) {
        claims.merge(Claimed.of(heldJob), 1, Integer::sum);
    }

    void remove(HeldJob heldJob) {
        claims.computeIfPresent(Claimed.of(heldJob), (claimed, count) -> count == 1 ? null : count - 1);
    }

    /** The places of the jobs that are held under a number. */
    List<HeldJob.Place> of(long worker) {
        return claims.keySet().stream()
                .filter(one -> one.worker() == worker)
                .map(Claimed::place)
                .toList();
    }
}
