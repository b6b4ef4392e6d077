package io.postrider.admin;

import io.postrider.StartPoint;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists, pauses and resets listeners and switches their mode, on whichever node they run. Thread-safe. */
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
     * Puts a listener into shadow mode: it does everything except the sending, and records what it would have sent. Waits until the
     * node that runs it has recorded what it sent before. A go-live at a later position is withdrawn. Returns the first position
     * in shadow.
     *
     * @param most how long to wait
     * @throws io.postrider.PostriderException of kind CONFLICT if the node does not follow in time; the request stays
     */
    long shadow(String listener, Duration most);

    /**
     * Ends shadow mode: the listener sends from the position after its cursor on. Takes effect at once on every node, in the
     * database: no event is both recorded in shadow and sent, and none is skipped. Returns the first position that it sends.
     */
    long goLive(String listener);

    /**
     * Ends shadow mode at this position. If it is after the cursor, the listener stays in shadow up to there. If it is not, the
     * cursor moves back and what was recorded from there on is deleted; it must be in the shadow phase.
     */
    long goLive(String listener, long position);

    /**
     * Compares what a listener has recorded in shadow mode with what another publisher has sent.
     *
     * @param most the maximum number of recorded events to compare, the latest ones. 1..1000000
     */
    Comparison compare(String listener, Publisher publisher, int most);

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
     * @param mode live, or shadow: it sends nothing
     * @param shadowFrom the first position of its shadow phase, the current one or the last; null: it was never in shadow
     * @param liveFrom the first position that it sends after it; null while no end is set
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
            @Nullable String owner,
            String mode,
            @Nullable Long shadowFrom,
            @Nullable Long liveFrom) {}
}
