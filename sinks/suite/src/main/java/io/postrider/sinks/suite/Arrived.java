package io.postrider.sinks.suite;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An event as it was read back from where the sink has put it. The data is the text of the payload, to the character. */
public record Arrived(
        String topic,
        long position,
        UUID id,
        String type,
        @Nullable String key,
        String data) {}
