package io.postrider.work;

import io.postrider.ClaimedJob;
import org.jspecify.annotations.Nullable;

/**
 * A job that this node has claimed.
 *
 * @param worker the number under which it was claimed
 * @param claim the claim it belongs to; null: it goes by itself
 * @param topic the lane
 * @param uniqueKey what it holds in unique_job until it is finished
 */
record Holding(
        long worker,
        @Nullable Claim claim,
        String topic,
        ClaimedJob job,
        @Nullable String uniqueKey,
        int crashes) {
    Place place() {
        return new Place(topic, job.position());
    }

    /** What tells jobs apart. */
    record Place(String topic, long position) {}
}
