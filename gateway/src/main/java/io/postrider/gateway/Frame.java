package io.postrider.gateway;

import org.jspecify.annotations.Nullable;

/** One encoded frame, shared by all recipients. Immutable. */
public interface Frame {
    /** The resume position of a client that has received it. */
    long position();

    /** For WebSocket: the message; otherwise empty. */
    String text();

    /** For SSE: the shared bytes, which must not be modified; otherwise empty. */
    byte[] bytes();

    /** The reason if this frame ends the stream, otherwise null. */
    @Nullable
    DisconnectReason last();
}
