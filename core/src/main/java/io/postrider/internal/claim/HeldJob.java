package io.postrider.internal.claim;

import io.postrider.ClaimedJob;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job that this node has claimed and not settled yet.
 *
 * @param worker the worker number under which it was claimed
 * @param claim the claim it belongs to; null if it is a delayed job, which is claimed individually by its row in {@code delayed}
 * @param claimedAt when the row of a delayed job was claimed; null if it belongs to a claim. A settlement of an earlier claim of the
 *     same row, repeated because its answer was lost, must not settle this one
 * @param topic the lane
 * @param uniqueKey the key that it holds in {@code unique_job} until it is finished
 * @param crashes how many workers have ended while they held it, whether it had started or not
 */
public record HeldJob(
        long worker,
        @Nullable Claim claim,
        @Nullable Instant claimedAt,
        String topic,
        ClaimedJob job,
        @Nullable String uniqueKey,
        int crashes) {
    public boolean isDelayed() {
        return claim == null;
    }

    public Place place() {
        return new Place(topic, job.position());
    }

    /** Identifies a job. Its id does not: several jobs may have the same. */
    public record Place(String topic, long position) {}
}
