package io.postrider.gateway;

/**
 * A hook for metrics. Every method does nothing by default. An implementation must be fast, thread-safe, and must not throw.
 */
public interface GatewayWatch {
    /** Ignores everything. */
    GatewayWatch NOTHING = new GatewayWatch() {};

    /** A connection was accepted. */
    default void opened(String topic, Transport.Form form) {}

    /** A connection ended: the hub closed it for this reason, or {@link DisconnectReason#GONE} if the client left. */
    default void closed(String topic, Transport.Form form, DisconnectReason reason) {}

    /** A request was refused with this HTTP status. */
    default void refused(int status) {}

    /** The responses to this many WebSocket upgrades were never sent; their slots are free again. */
    default void upgradesLost(int upgrades) {}

    /** An event arrived from the feed and was queued for this many connections. */
    default void published(String topic, int connections) {}

    /** This many events were replayed to one connection from memory. */
    default void replayedFromMemory(String topic, int events) {}

    /** This many events were replayed to one connection from the read model. */
    default void replayedFromHistory(String topic, int events) {}

    /** A client sent a position from which it cannot resume. */
    default void snapshotNeeded(String topic) {}

    /** A client did not read fast enough: the send buffer of its connection was full, and the connection is being closed. */
    default void overflowed(String topic, long queuedBytes) {}
}
