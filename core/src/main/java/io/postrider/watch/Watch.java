package io.postrider.watch;

import io.postrider.ClaimedJob;
import io.postrider.LogEvent;
import java.time.Duration;

/**
 * What metrics and traces hook into. Every method does nothing by default and is called on the thread that did the work, so
 * an implementation must be quick, must not throw, and must bear being called by several threads.
 */
public interface Watch {
    /** Watches nothing. */
    Watch NOTHING = new Watch() {};

    /** Events were written in a transaction that has not committed yet. */
    default void emitted(String topic, int events) {}

    /** A pass gave positions to events. */
    default void sequenced(long events, Duration took) {}

    /** A listener finished a range of positions; events is how many of them it handled. */
    default void delivered(
            String listener, String topic, long fromPosition, long toPosition, int events, Duration took) {}

    /** A listener failed at an event, which will be tried again after the wait. */
    default void setBack(String listener, LogEvent event, int attempt, Duration wait, Throwable error) {}

    /** A listener gave an event up. */
    default void deadLettered(String listener, LogEvent event, int attempts, String error) {}

    /** The sink of a relay was not there, for so many tries in a row, and is tried again after the wait. */
    default void unavailable(String relay, int tries, Duration wait, Throwable error) {}

    /** The head of a topic moved, as this node saw it. */
    default void headMoved(String topic, long position) {}

    /** Another cluster or timeline continues the log: a promotion, a restore, an upgrade. Each node reports it. */
    default void eraOpened(int era, String reason) {}

    /** The new era lacks these positions of a topic, which this node has seen, and gives them to other events. */
    default void forgotten(String topic, long fromPosition, long toPosition) {}

    /** A worker begins a job. */
    default void jobBegun(ClaimedJob job) {}

    /** An attempt at a job is over, and that is written down. */
    default void jobEnded(ClaimedJob job, JobEnd end, Duration took) {}

    /** A worker looked for jobs that are due without having been told of any, and claimed so many. */
    default void jobsLookedFor(String queue, int claimed) {}

    /** The wire heard a notification: 'event' from a producer, 'log' from a sequencer. */
    default void notified(String what) {}
}
