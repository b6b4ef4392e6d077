package io.postrider.internal.claim;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The claims of this node, on all its queues, that are not settled. Each new claim names the oldest of them
 * ({@code claim.open_n}), and a takeover of this worker starts there: so it must be the oldest of <em>all</em> queues. When each
 * queue counted its own, a job of one queue was forgotten because another queue's claim was the last before a kill -9.
 *
 * <p>While another queue is claiming, the number of its claim is not known here yet. But that number is drawn after the latest one
 * that is known, so it is greater. The same holds for a claim whose answer was lost.
 *
 * <p>All of this concerns one worker number, the latest. When the server may have lost commits that this class remembers, the
 * node gets a new number and this class starts empty. Thread-safe.
 */
public final class OpenClaims {
    /** The number under which the claims were made. */
    private long worker;

    /** How many positions of each claim are not settled. */
    private final TreeMap<Long, Long> unsettled = new TreeMap<>();

    /** For each queue that is claiming, or whose last answer was lost, the smallest number that its claim can have. */
    private final Map<Object, Long> asking = new HashMap<>();

    private final Map<Object, Long> doubted = new HashMap<>();
    private long latest;

    /**
     * The information that is sent to the server with a claim.
     *
     * @param oldestOpen the oldest claim that may be open
     * @param latest the greatest number this node ever got: the new one must be greater, even if a crash of the server has
     *     forgotten that number
     */
    public record Bounds(long oldestOpen, long latest) {}

    /**
     * A queue is about to claim. If no open claim is known, the oldest is not the claim that is about to be made: another queue may
     * ask after this one and draw its number before it. Of an earlier worker number nothing is known.
     */
    public synchronized Bounds ask(Object queue, long by) {
        if (by > worker) {
            worker = by;
            unsettled.clear();
            asking.clear();
            doubted.clear();
        }
        if (by < worker) {
            return new Bounds(0, latest);
        }
        long oldest = unsettled.isEmpty() ? latest + 1 : unsettled.firstKey();
        for (Map<Object, Long> smallest : List.of(asking, doubted)) {
            for (long n : smallest.values()) {
                oldest = Math.min(oldest, n);
            }
        }
        asking.put(queue, latest + 1);
        return new Bounds(oldest, latest);
    }

    /** The queue has got this claim, or none. */
    public synchronized void answer(Object queue, long by, @Nullable Claim claim) {
        if (claim != null) {
            latest = Math.max(latest, claim.n());
        }
        if (by == worker) {
            asking.remove(queue);
            if (claim != null) {
                unsettled.put(claim.n(), claim.size());
            }
        }
    }

    /** The answer did not arrive: there may be a claim. */
    public synchronized void doubt(Object queue) {
        Long smallest = asking.remove(queue);
        if (smallest != null) {
            doubted.merge(queue, smallest, Math::min);
        }
    }

    /** The doubtful claim has been found and given back, or was never made. */
    public synchronized void believe(Object queue) {
        doubted.remove(queue);
    }

    /** One position of a claim is settled. */
    public synchronized void settled(long by, Claim claim) {
        if (by == worker) {
            unsettled.computeIfPresent(claim.n(), (n, open) -> open == 1 ? null : open - 1);
        }
    }

    /** The unsettled claims of this number; empty for an earlier number, of which nothing is known. */
    public synchronized Optional<List<Long>> numbers(long by) {
        if (by < worker) {
            return Optional.empty();
        }
        return Optional.of(by == worker ? List.copyOf(unsettled.keySet()) : List.of());
    }
}
