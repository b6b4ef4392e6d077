package io.postrider.internal.shadow;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event that a listener in shadow would have sent.
 *
 * @param otherId the id by which another publisher may know it
 */
record Recorded(
        long position,
        UUID event,
        long message,
        long payload,
        @Nullable String otherId) {}
