package io.postrider.admin;

import io.postrider.LogEvent;
import java.util.List;

/**
 * Reads the log itself: its topics, their first and last positions, a range of positions, and new events. Reads are not recorded,
 * so the log does not know what a reader has read; use a listener for that. Thread-safe.
 */
public interface Log {
    /** The last position of a topic; 0 if nothing was ever emitted to it. */
    long head(String topic);

    /** The oldest position that retention has kept; head + 1 if it has kept none. */
    long oldest(String topic);

    /** The topics that have at least one position, in the order of their names. Lanes of queues are topics too. */
    List<String> topics(int most);

    /** Whether a topic exists: it has a position, or a listener. */
    boolean hasTopic(String topic);

    /**
     * Reads the events after a position; empty if the position is the head.
     *
     * @param most the maximum number of events; fewer are returned if they are large
     * @throws io.postrider.PostriderException of kind CONFLICT if an event in this range has been removed
     */
    List<LogEvent> read(String topic, long after, int most);

    /**
     * Gives positions to the events that are committed now, as a running node does. A tool calls it so that its next read is
     * complete even if no node is running. Waits while another session assigns positions.
     */
    void sequence();

    /**
     * Follows a topic from after a position, on a started node, until the subscription is closed. One thread calls the follower.
     * It gets every event once and in order, even if the connection is lost in between.
     */
    default Subscription follow(String topic, long after, Follower follower) {
        return follow(topic, after, List.of(), follower);
    }

    /**
     * The same for a follower that has already read the last events up to that position. After a failover or a restore, it is
     * notified which of them are still in the log.
     *
     * @param before the events that it has read last
     */
    Subscription follow(String topic, long after, List<LogEvent> before, Follower follower);

    /** Receives the events of a topic. If a call throws, the same events are delivered again after a while. */
    interface Follower {
        /** The next events, in order and without a gap, except for events that retention removed before they were read. */
        void read(List<LogEvent> events) throws Exception;

        /**
         * The log has changed: it was restored from a dump, or a standby that lacked its end was promoted. Events read after this
         * position are no longer in it, and other events may have their positions now. Reading continues after this position.
         */
        default void changed(long position) {}
    }
}
