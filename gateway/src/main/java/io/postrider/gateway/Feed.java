package io.postrider.gateway;

import io.postrider.LogEvent;
import java.util.List;

/**
 * Where a hub's events come from: the log itself ({@link LogFeed}), or something quicker that is repaired from the log. However
 * it gets them, it hands over every event of a topic, in order, without a hole.
 */
public interface Feed extends AutoCloseable {
    /**
     * Begins with a topic, and returns at once. The receiver is called by one thread at a time.
     *
     * @param recent about how many of the topic's last events are wanted before the first new one, so that clients who
     *     come back after a restart of the gateway need not ask the read model
     */
    void follow(String topic, int recent, Receiver receiver);

    /**
     * The last position of the topic in the log itself, as of now. May block; throws if it cannot be told. By it the hub
     * knows a client that is ahead of this feed, because it came from a quicker gateway, from one whose position never was.
     */
    long head(String topic) throws Exception;

    /** Ends all following. The receivers are not called any more when it returns. */
    @Override
    void close();

    /** The hub's end of a feed. Its methods may wait while the hub is busy. */
    interface Receiver {
        /**
         * Comes first, once: the topic is at this position; these are the last events up to it, without a hole, maybe none.
         */
        void begins(long position, List<LogEvent> recent) throws InterruptedException;

        /** The next events. Those that were handed over before are passed over; a hole is the feed's fault, and cuts everybody. */
        void events(List<LogEvent> events) throws InterruptedException;

        /**
         * The log is not the one it was; it ends at {@code head} now, and what was handed over after that may not be there any
         * more. See {@link io.postrider.log.Log.Follower#changed}.
         */
        void changed(long head) throws InterruptedException;
    }
}
