package io.postrider.internal.work;

import io.postrider.internal.claim.Claim;
import io.postrider.internal.claim.FoundJob;
import java.util.List;

/**
 * Positions of a claim that are not read yet: those after one position, up to another.
 *
 * @param worker the number under which they were claimed
 * @param uncounted whether the claim was made without reading, so that the jobs of each key have not been counted
 */
record Slice(Claim claim, long worker, long after, long upto, boolean uncounted) {
    int size() {
        return (int) (upto - after);
    }

    /** The same positions in two halves. */
    List<Slice> halves() {
        long middle = after + (upto - after) / 2;
        return List.of(
                new Slice(claim, worker, after, middle, uncounted), new Slice(claim, worker, middle, upto, uncounted));
    }

    /** What is left after these jobs have been read. */
    Slice rest(List<FoundJob> found) {
        long last = found.isEmpty()
                ? after
                : found.get(found.size() - 1).heldJob().job().position();
        return new Slice(claim, worker, last, upto, uncounted);
    }

    @Override
    public String toString() {
        return (after + 1) + ".." + upto + " of " + claim.topic();
    }
}
