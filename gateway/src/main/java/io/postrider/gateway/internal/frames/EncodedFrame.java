package io.postrider.gateway.internal.frames;

import io.postrider.gateway.DisconnectReason;
import io.postrider.gateway.Frame;
import io.postrider.gateway.Transport;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A frame whose text is encoded once, for the form of its transport. */
public final class EncodedFrame implements Frame {
    private static final byte[] NO_BYTES = {};

    private final long position;
    private final String text;
    private final byte[] bytes;
    private final @Nullable DisconnectReason last;

    private EncodedFrame(long position, String text, byte[] bytes, @Nullable DisconnectReason last) {
        this.position = position;
        this.text = text;
        this.bytes = bytes;
        this.last = last;
    }

    static EncodedFrame of(Transport.Form form, long position, String text, @Nullable DisconnectReason last) {
        return form == Transport.Form.SSE
                ? new EncodedFrame(position, "", text.getBytes(StandardCharsets.UTF_8), last)
                : new EncodedFrame(position, text, NO_BYTES, last);
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public String text() {
        return text;
    }

    @Override
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public @Nullable DisconnectReason last() {
        return last;
    }

    /** Size in a queue. */
    public int size() {
        return text.length() + bytes.length;
    }
}
