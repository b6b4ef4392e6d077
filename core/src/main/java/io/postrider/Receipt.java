package io.postrider;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a sink says of events that it was sent. The first {@link #taken} of them are safe there. If that is not all, the rest
 * was not tried yet ({@link #partly}); or the next one was <em>refused</em>, and that event is tried again by the relay's
 * attempts and policy; or the sink was <em>unavailable</em>: nothing is wrong with any event, so none is blamed for it, and the
 * relay waits until the sink is back, however long that takes. Immutable.
 */
public final class Receipt {
    /** Limits the wait that a sink may ask for: PostgreSQL's timestamps have a maximum. */
    private static final Duration LONGEST_REST = Duration.ofDays(36_500);

    private static final Receipt WHOLE = new Receipt(Integer.MAX_VALUE, null, false, null);

    private final int taken;
    private final @Nullable Throwable error;
    private final boolean unavailable;
    private final @Nullable Duration retryAfter;

    private Receipt(int taken, @Nullable Throwable error, boolean unavailable, @Nullable Duration retryAfter) {
        this.taken = Refuse.outside("taken", taken, 0, Integer.MAX_VALUE);
        this.error = error;
        this.unavailable = unavailable;
        this.retryAfter = retryAfter;
    }

    /** All of them are safe. */
    public static Receipt whole() {
        return WHOLE;
    }

    /**
     * So many are safe, and the rest was not tried: enough for now. For a sink that sends one by one and would take longer than a
     * second: a relay in the middle of a batch heeds no pause and no reset.
     */
    public static Receipt partly(int taken) {
        return new Receipt(Refuse.outside("taken", taken, 1, Integer.MAX_VALUE - 1), null, false, null);
    }

    /** So many are safe; the next one was refused. */
    public static Receipt refused(int taken, Throwable error) {
        return refused(taken, error, null);
    }

    /** So many are safe; the next one was refused, and is not wanted again before a while has passed. */
    public static Receipt refused(int taken, Throwable error, @Nullable Duration retryAfter) {
        return new Receipt(taken, Refuse.missing("error", error), false, retryAfter);
    }

    /** So many are safe; then the sink could not be reached, or wanted no more from anybody. */
    public static Receipt unavailable(int taken, Throwable error) {
        return unavailable(taken, error, null);
    }

    /** So many are safe; then the sink wanted no more before a while has passed. */
    public static Receipt unavailable(int taken, Throwable error, @Nullable Duration retryAfter) {
        return new Receipt(taken, Refuse.missing("error", error), true, retryAfter);
    }

    /** How many events, from the first on, are safe; more than were sent means all. */
    public int taken() {
        return taken;
    }

    public boolean isWhole() {
        return taken == Integer.MAX_VALUE && error == null;
    }

    /** Whether it is the sink that is at fault, and not an event. */
    public boolean isUnavailable() {
        return unavailable;
    }

    /** Why it is not whole; null also if it is partly. */
    public @Nullable Throwable error() {
        return error;
    }

    /** How long the sink wants to be left alone, if it says. */
    public @Nullable Duration retryAfter() {
        return retryAfter == null || retryAfter.compareTo(LONGEST_REST) < 0 ? retryAfter : LONGEST_REST;
    }

    @Override
    public String toString() {
        if (error == null) {
            return isWhole() ? "whole" : "partly: " + taken;
        }
        return (unavailable ? "unavailable" : "refused") + " after " + taken + ": " + error;
    }
}
