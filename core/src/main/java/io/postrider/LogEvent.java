package io.postrider;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event as a listener receives it, with its position in the log. Immutable and thread-safe.
 *
 * @param position its position in the topic: 1, 2, 3 … without gaps, the same for every listener
 * @param createdAt when it was written, by the database's clock. Positions follow the order of commits, so this time can be
 *     earlier than that of the event before
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
