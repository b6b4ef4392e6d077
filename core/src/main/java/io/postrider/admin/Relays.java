package io.postrider.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists relays and tests their sinks. A relay is a listener: {@link Listeners} pauses, resumes and resets it and switches its mode. Thread-safe. */
public interface Relays {
    /** Every relay in the database. */
    List<Status> list();

    /**
     * Asks the node that runs a relay to test its sink, and waits for the result. This also works for a paused relay.
     *
     * @param most how long to wait
     * @throws io.postrider.PostriderException of kind CONFLICT if no node answers in time
     */
    Tested test(String relay, Duration most);

    /**
     * The result of a test.
     *
     * @param found what the sink reports about itself, if it could be reached
     * @param error why it could not be reached
     */
    record Tested(@Nullable String found, @Nullable String error, Instant at) {}

    /** The status of a relay: a row of the view {@code relays}. */
    record Status(
            String name,
            String topic,
            String sink,
            String state,
            long position,
            long head,
            long lag,
            @Nullable Instant lastProgressAt,
            @Nullable Instant unavailableSince,
            int attempts,
            @Nullable Instant retryAfter,
            @Nullable String lastError,
            long setbacks,
            long deadLetters,
            boolean paused,
            @Nullable String owner,
            @Nullable Instant testedAt,
            @Nullable String testFound,
            @Nullable String testError,
            String mode,
            @Nullable Long shadowFrom,
            @Nullable Long liveFrom) {}
}
