package io.postrider.gateway;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** One piece of a stream, ready for the socket and shared by all who get it. Immutable. */
public final class Frame {
    private static final byte[] NO_BYTES = {};

    private final long position;
    private final String text;
    private final byte[] bytes;
    private final @Nullable Cut last;

    private Frame(long position, String text, byte[] bytes, @Nullable Cut last) {
        this.position = position;
        this.text = text;
        this.bytes = bytes;
        this.last = last;
    }

    static Frame of(Transport.Form form, long position, String text, @Nullable Cut last) {
        return form == Transport.Form.SSE
                ? new Frame(position, "", text.getBytes(StandardCharsets.UTF_8), last)
                : new Frame(position, text, NO_BYTES, last);
    }

    /** The resume point of somebody who has it. */
    public long position() {
        return position;
    }

    /** For WebSocket: the message; else empty. */
    public String text() {
        return text;
    }

    /** For SSE: the bytes, shared and not to be changed; else empty. */
    public byte[] bytes() {
        return bytes;
    }

    /** Why the stream ends with this frame; null: it goes on. */
    public @Nullable Cut last() {
        return last;
    }

    /** How much it holds in a queue. */
    int size() {
        return text.length() + bytes.length;
    }
}
