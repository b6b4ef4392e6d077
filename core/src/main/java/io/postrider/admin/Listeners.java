package io.postrider.admin;

import io.postrider.StartPoint;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists, pauses and resets listeners, on whichever node they run. Thread-safe. */
public interface Listeners {
    /** Every listener in the database. */
    List<Status> list();

    /** Pauses a listener on every node until it is resumed. */
    void pause(String listener);

    /** Resumes a paused listener. */
    void resume(String listener);

    /**
     * Moves a listener to another position in its topic: forward, past events that it will never handle, or back, to handle
     * events again. Dead letters, and setbacks (events that wait for a retry) before the old cursor, remain; setbacks that a
     * forward reset passes are dropped. Returns its new cursor.
     */
    long reset(String listener, StartPoint to);

    /** The cursor that {@link #reset} would set. */
    long cursorAt(String listener, StartPoint to);

    /**
     * The status of a listener: a row of the view {@code listeners}.
     *
     * @param position its cursor: the last position that it has finished
     * @param head the last position of its topic
     * @param attempts how many times in a row the event that blocks the listener has failed; 0 if none blocks it
     * @param retryAfter when the listener tries that event again; null if no event blocks it
     * @param setbacks how many events wait for a retry
     * @param detachedAt when retention removed events that the listener had not handled, which stops it until it is reset; null
     *     if that has not happened
     * @param owner the node that runs it; null if none does
     */
    record Status(
            String name,
            String topic,
            String kind,
            String policy,
            long position,
            long head,
            long lag,
            @Nullable Instant lastProgressAt,
            int attempts,
            @Nullable Instant retryAfter,
            @Nullable String lastError,
            long setbacks,
            long deadLetters,
            boolean paused,
            @Nullable Instant detachedAt,
            @Nullable String owner) {}
}
