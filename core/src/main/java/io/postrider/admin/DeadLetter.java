package io.postrider.admin;

import io.postrider.LogEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event that a listener has given up on, or a job that failed permanently.
 *
 * @param errorCode the code that the handler gave, or the class of its exception; null for a listener's dead letter that an
 *     earlier version wrote
 * @param error the error, as one line
 * @param stack the stack trace of the last failure; null if there was none or the reader may not see it
 */
public record DeadLetter(
        long id,
        String listener,
        LogEvent event,
        int attempts,
        @Nullable String errorCode,
        String error,
        Instant diedAt,
        @Nullable String stack) {}
