package io.postrider;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job as its handler receives it. Immutable and thread-safe.
 *
 * @param attempt the number of this attempt, from 1
 * @param position its position in the lane of its priority
 */
public record ClaimedJob(
        UUID id,
        String queue,
        Priority priority,
        String type,
        String payload,
        @Nullable String key,
        @Nullable String projectId,
        @Nullable String userId,
        String headers,
        Instant createdAt,
        int attempt,
        long position) {}
