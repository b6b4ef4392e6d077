package io.postrider.gateway;

/** Writes the frames of a subscriber to its socket. */
public interface Transport {
    /** The encoding of frames. Each event is encoded at most once per form. */
    enum Form {
        SSE,
        WEBSOCKET
    }

    Form form();

    /**
     * There are frames to write: call {@link FrameSource#next} until it returns null or the socket accepts no more. Called by one
     * of the hub's writer threads, one call at a time; must not block.
     */
    void flush();

    /** Closes the socket without a further frame. Must not block. */
    void abort();
}
