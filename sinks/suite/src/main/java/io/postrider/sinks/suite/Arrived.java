package io.postrider.sinks.suite;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An event as read back from the sink's destination. The data is the exact text of the payload. */
public record Arrived(
        String topic,
        long position,
        UUID id,
        String type,
        @Nullable String key,
        String data) {}
