package io.postrider.gateway;

import io.postrider.LogEvent;
import java.util.List;

/**
 * The source of a hub's events: the log itself ({@link LogFeed}), or a faster one that fills its gaps from the log. It delivers
 * every event of a topic, in order and without gaps.
 */
public interface Feed extends AutoCloseable {
    /**
     * Starts to follow a topic and returns at once. The receiver is called by one thread at a time.
     *
     * @param recent about how many of the topic's latest events to deliver before the first new one, so that clients that
     *     reconnect after a restart of the gateway do not have to query the read model
     */
    void follow(String topic, int recent, Receiver receiver);

    /**
     * The current last position of the topic in the log itself. May block; throws if the position cannot be determined. The hub
     * uses it for a client that is ahead of this feed: the client either came from a faster gateway, or has a position that never
     * existed.
     */
    long head(String topic) throws Exception;

    /** Stops following all topics. The receivers are no longer called when it returns. */
    @Override
    void close();

    /** The hub's side of a feed. Its methods may block while the hub is busy. */
    interface Receiver {
        /**
         * Called once, first: the topic is at this position, and these are the latest events up to it, without gaps, possibly
         * none.
         */
        void begins(long position, List<LogEvent> recent) throws InterruptedException;

        /**
         * The next events. Events that were delivered before are skipped; a gap is an error of the feed and disconnects all
         * clients.
         */
        void events(List<LogEvent> events) throws InterruptedException;

        /**
         * The log was replaced or truncated and now ends at {@code head}; events that were delivered after that position may no
         * longer exist. See {@link io.postrider.admin.Log.Follower#changed}.
         */
        void changed(long head) throws InterruptedException;
    }
}
