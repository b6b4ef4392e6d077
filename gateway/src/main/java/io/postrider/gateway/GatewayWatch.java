package io.postrider.gateway;

/**
 * What metrics hook into. Every method does nothing by default; an implementation must be quick, must not throw, and must bear
 * being called by several threads.
 */
public interface GatewayWatch {
    /** Watches nothing. */
    GatewayWatch NOTHING = new GatewayWatch() {};

    /** Somebody was let in. */
    default void opened(String topic, Transport.Form form) {}

    /** A connection is over: cut by the hub for this reason, or {@link Cut#GONE} if the other side left. */
    default void closed(String topic, Transport.Form form, Cut reason) {}

    /** Somebody was refused at the door, with this HTTP status. */
    default void refused(int status) {}

    /** An event came from the feed and was put into the outboxes of so many connections. */
    default void published(String topic, int connections) {}

    /** So many events were repeated for one connection from memory. */
    default void replayedFromMemory(String topic, int events) {}

    /** So many events were repeated for one connection from the read model. */
    default void replayedFromHistory(String topic, int events) {}

    /** Somebody came with a position that nothing can go on from. */
    default void snapshotNeeded(String topic) {}

    /** A connection did not take what was sent: its outbox was full, and it is being cut. */
    default void overflowed(String topic, long queuedBytes) {}
}
