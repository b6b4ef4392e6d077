package io.postrider.admin;

import io.postrider.ClaimedJob;
import io.postrider.LogEvent;
import java.time.Duration;
import java.util.List;

/**
 * Receives the activity of a node, for metrics and traces. Every method does nothing by default. The thread that did the work
 * calls it, so an implementation must be fast and thread-safe. An exception that it throws is logged and ignored.
 */
public interface Watch {
    /** Ignores everything. */
    Watch NOTHING = new Watch() {};

    /** Events were written in a transaction that has not committed yet. */
    default void emitted(String topic, int events) {}

    /** A pass gave positions to events. */
    default void sequenced(long events, Duration took) {}

    /**
     * A listener starts to handle these events, each for the first time on this node; not again for retries. The time since
     * {@link LogEvent#createdAt} is how long they have waited: from the insert, by the database's clock, so it includes the time until
     * the transaction committed.
     */
    default void pickedUp(String listener, List<LogEvent> events) {}

    /**
     * A listener finished a range of positions.
     *
     * @param events how many events in the range it handled
     */
    default void delivered(
            String listener, String topic, long fromPosition, long toPosition, int events, Duration took) {}

    /** A listener failed at an event and retries it after the wait. */
    default void setBack(String listener, LogEvent event, int attempt, Duration wait, Throwable error) {}

    /** A listener gave up on an event, which is a dead letter now. */
    default void deadLettered(String listener, LogEvent event, int attempts, String error) {}

    /**
     * The sink of a relay, or the system that its handler calls, is unavailable and is retried after the wait.
     *
     * @param tries failed tries in a row
     */
    default void unavailable(String relay, int tries, Duration wait, Throwable error) {}

    /** The head of a topic moved, as this node saw it. */
    default void headMoved(String topic, long position) {}

    /** Another cluster or timeline continues the log, after a promotion, a restore or an upgrade. Each node reports it. */
    default void eraOpened(int era, String reason) {}

    /** This node has seen these positions of a topic, but the new era does not contain them and gives them to other events. */
    default void forgotten(String topic, long fromPosition, long toPosition) {}

    /** A worker starts a job. */
    default void jobBegun(ClaimedJob job) {}

    /**
     * A worker starts a job that could run as soon as it was committed, for the first time. Called in addition to {@link #jobBegun},
     * but not for jobs that were delayed: until their time, by their key, or for a retry. The time since
     * {@link ClaimedJob#createdAt} is how long the job has waited: from the insert, by the database's clock, so it includes the time
     * until the transaction committed.
     */
    default void jobPickedUp(ClaimedJob job) {}

    /** An attempt at a job has ended, and its outcome is committed. */
    default void jobEnded(ClaimedJob job, JobEnd end, Duration took) {}

    /**
     * A worker polled for jobs that are due, without a notification.
     *
     * @param claimed how many jobs it claimed
     */
    default void jobsLookedFor(String queue, int claimed) {}

    /**
     * The connection of the node received a notification.
     *
     * @param what {@code event} from a producer, {@code log} from a sequencer
     */
    default void notified(String what) {}
}
