package io.postrider.work;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The claims of this node, on all its queues, that are not settled. Each new claim says which is the oldest of them
 * ({@code claim.open_n}), and whoever takes the worker over begins to look there: so it must be the oldest of <em>all</em> queues.
 * Counted for each queue by itself, a job of one was forgotten when another queue's claim was the last before a kill -9.
 *
 * <p>A claim that another queue is just making has a number that nobody here knows yet; but it is drawn after the latest that is
 * known, so it is at least one more. The same holds for one whose answer was lost.
 *
 * <p>All of this concerns one worker number, the latest. When the server may have lost commits that this class remembers, the
 * node gets a new number and this class starts empty. Thread-safe.
 */
final class OpenClaims {
    /** The number under which the claims were made. */
    private long worker;

    /** How many positions of a claim are not settled. */
    private final TreeMap<Long, Long> left = new TreeMap<>();

    private final Map<Object, Long> asking = new HashMap<>();
    private final Map<Object, Long> doubted = new HashMap<>();
    private long latest;

    /**
     * What the server is told with a claim.
     *
     * @param oldest the oldest claim that may be open
     * @param latest the greatest number ever got: the new one must be greater, also if a crash of the server has forgotten it
     */
    record Asked(long oldest, long latest) {}

    /**
     * A queue is about to claim. Gives the oldest claim that may be open. If none is known, not the claim that is about to be
     * made: another queue may ask after us and draw its number before us. Of an earlier number nothing is known.
     */
    synchronized Asked ask(Object queue, long by) {
        if (by > worker) {
            worker = by;
            left.clear();
            asking.clear();
            doubted.clear();
        }
        if (by < worker) {
            return new Asked(0, latest);
        }
        long oldest = left.isEmpty() ? latest + 1 : left.firstKey();
        for (Map<Object, Long> floors : List.of(asking, doubted)) {
            for (long floor : floors.values()) {
                oldest = Math.min(oldest, floor);
            }
        }
        asking.put(queue, latest + 1);
        return new Asked(oldest, latest);
    }

    /** It has got this claim, or none. */
    synchronized void answer(Object queue, long by, @Nullable Claim claim) {
        if (claim != null) {
            latest = Math.max(latest, claim.n());
        }
        if (by == worker) {
            asking.remove(queue);
            if (claim != null) {
                left.put(claim.n(), claim.size());
            }
        }
    }

    /** The answer did not come: there may be a claim. */
    synchronized void doubt(Object queue) {
        Long floor = asking.remove(queue);
        if (floor != null) {
            doubted.merge(queue, floor, Math::min);
        }
    }

    /** What was doubtful has been found and given back, or never was. */
    synchronized void believe(Object queue) {
        doubted.remove(queue);
    }

    /** One position of a claim is settled. */
    synchronized void settled(long by, Claim claim) {
        if (by == worker) {
            left.computeIfPresent(claim.n(), (n, open) -> open == 1 ? null : open - 1);
        }
    }

    /** The unsettled claims of this number; empty for an earlier number, of which nothing is known. */
    synchronized Optional<List<Long>> numbers(long by) {
        if (by < worker) {
            return Optional.empty();
        }
        return Optional.of(by == worker ? List.copyOf(left.keySet()) : List.of());
    }
}
