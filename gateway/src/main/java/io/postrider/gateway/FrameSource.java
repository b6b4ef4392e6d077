package io.postrider.gateway;

import org.jspecify.annotations.Nullable;

/** The outgoing frames of one stream, as its {@link Transport} sees them. Safe to share. */
public interface FrameSource {
    /** The next frame to write; null if there is none, and {@link Transport#flush} is called when there is one. */
    @Nullable
    Frame next();

    /** The socket accepts more data; {@link Transport#flush} will be called. */
    void writable();

    /** Ends the stream because of something the client did. */
    void cut(DisconnectReason why);
}
