package io.postrider.server.settings;

/** What a process runs. */
public enum Role {
    /** The HTTP API under {@code /v1}. */
    API,
    /** Listeners, relays, the read model, workers. */
    WORKER,
    /** Streams to browsers. */
    GATEWAY
}
