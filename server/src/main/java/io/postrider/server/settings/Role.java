package io.postrider.server.settings;

/** What a process does. */
public enum Role {
    /** HTTP under {@code /v1}. */
    API,
    /** Listeners, relays, the read model, workers. */
    WORKER,
    /** Streams to browsers. */
    GATEWAY
}
