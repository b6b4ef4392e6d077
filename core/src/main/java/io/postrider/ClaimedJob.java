package io.postrider;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job as its handler gets it. Immutable, safe to share among threads.
 *
 * @param attempt which attempt this is, from 1
 * @param position its place in the lane of the queue; with the queue it names the job as well as the id does
 */
public record ClaimedJob(
        UUID id,
        String queue,
        String type,
        String payload,
        @Nullable String key,
        @Nullable String projectId,
        @Nullable String userId,
        String headers,
        Instant createdAt,
        int attempt,
        long position) {}
