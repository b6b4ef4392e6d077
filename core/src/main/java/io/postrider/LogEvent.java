package io.postrider;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event as a listener gets it: with its place in the log. Immutable, safe to share among threads.
 *
 * @param position its place in the topic: 1, 2, 3 … with no hole, the same for every listener
 * @param createdAt when it was written, by the database's clock; positions follow commits, so this may go back
 */
public record LogEvent(
        String topic,
        long position,
        UUID id,
        String type,
        String payload,
        @Nullable String key,
        @Nullable String projectId,
        @Nullable String userId,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        String headers,
        Instant createdAt) {}
