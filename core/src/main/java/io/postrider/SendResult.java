package io.postrider;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a sink to the events that it was sent. The first {@link #taken} events are stored safely. If these are not all,
 * then either the rest was not tried yet ({@link #partly}); or the next event was <em>refused</em>, and the relay retries it by
 * its attempts and policy; or the sink was <em>unavailable</em>: no event is to blame, and the relay waits until the sink is
 * back, however long that takes. Immutable.
 */
public final class SendResult {
    /** Limits the wait that a sink may ask for: PostgreSQL's timestamps have a maximum. */
    private static final Duration LONGEST_WAIT = Duration.ofDays(36_500);

    private static final SendResult WHOLE = new SendResult(Integer.MAX_VALUE, null, false, null);

    private final int taken;
    private final @Nullable Throwable error;
    private final boolean unavailable;
    private final @Nullable Duration retryAfter;

    private SendResult(int taken, @Nullable Throwable error, boolean unavailable, @Nullable Duration retryAfter) {
        this.taken = Refuse.outside("taken", taken, 0, Integer.MAX_VALUE);
        this.error = error;
        this.unavailable = unavailable;
        this.retryAfter = retryAfter;
    }

    /** All events are stored safely. */
    public static SendResult whole() {
        return WHOLE;
    }

    /**
     * The first {@code taken} events are stored safely, and the rest was not tried. For a sink that sends one event at a time and would
     * take longer than a second: during a batch a relay notices neither a pause nor a reset.
     */
    public static SendResult partly(int taken) {
        return new SendResult(Refuse.outside("taken", taken, 1, Integer.MAX_VALUE - 1), null, false, null);
    }

    /** The first {@code taken} events are stored safely; the next one was refused. */
    public static SendResult refused(int taken, Throwable error) {
        return refused(taken, error, null);
    }

    /** The same; the refused event must not be sent again before {@code retryAfter} has passed. */
    public static SendResult refused(int taken, Throwable error, @Nullable Duration retryAfter) {
        return new SendResult(taken, Refuse.missing("error", error), false, retryAfter);
    }

    /**
     * The first {@code taken} events are stored safely; then the sink could not be reached, or accepted no more events from any
     * client.
     */
    public static SendResult unavailable(int taken, Throwable error) {
        return unavailable(taken, error, null);
    }

    /** The same; the sink accepts no more before {@code retryAfter} has passed. */
    public static SendResult unavailable(int taken, Throwable error, @Nullable Duration retryAfter) {
        return new SendResult(taken, Refuse.missing("error", error), true, retryAfter);
    }

    /** How many events, counted from the first, are stored safely; more than were sent means all. */
    public int taken() {
        return taken;
    }

    public boolean isWhole() {
        return taken == Integer.MAX_VALUE && error == null;
    }

    /** Whether the sink is to blame, and not an event. */
    public boolean isUnavailable() {
        return unavailable;
    }

    /** Why not all events were taken; null also for {@link #partly}. */
    public @Nullable Throwable error() {
        return error;
    }

    /** How long the sink asks the relay to wait; null if it does not. */
    public @Nullable Duration retryAfter() {
        return retryAfter == null || retryAfter.compareTo(LONGEST_WAIT) < 0 ? retryAfter : LONGEST_WAIT;
    }

    @Override
    public String toString() {
        if (error == null) {
            return isWhole() ? "whole" : "partly: " + taken;
        }
        return (unavailable ? "unavailable" : "refused") + " after " + taken + ": " + error;
    }
}
