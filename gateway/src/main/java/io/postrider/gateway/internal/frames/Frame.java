package io.postrider.gateway.internal.frames;

import io.postrider.gateway.DisconnectReason;
import io.postrider.gateway.Transport;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** One encoded frame, shared by all recipients. Immutable. */
public final class Frame {
    private static final byte[] NO_BYTES = {};

    private final long position;
    private final String text;
    private final byte[] bytes;
    private final @Nullable DisconnectReason last;

    private Frame(long position, String text, byte[] bytes, @Nullable DisconnectReason last) {
        this.position = position;
        this.text = text;
        this.bytes = bytes;
        this.last = last;
    }

    static Frame of(Transport.Form form, long position, String text, @Nullable DisconnectReason last) {
        return form == Transport.Form.SSE
                ? new Frame(position, "", text.getBytes(StandardCharsets.UTF_8), last)
                : new Frame(position, text, NO_BYTES, last);
    }

    /** The resume position of a client that has received it. */
    public long position() {
        return position;
    }

    /** For WebSocket: the message; otherwise empty. */
    public String text() {
        return text;
    }

    /** For SSE: the shared bytes, which must not be modified; otherwise empty. */
    public byte[] bytes() {
        return bytes;
    }

    /** The reason if this frame ends the stream, otherwise null. */
    public @Nullable DisconnectReason last() {
        return last;
    }

    /** Size in a queue. */
    public int size() {
        return text.length() + bytes.length;
    }
}
