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
    private final boolean ofHistory;

    private EncodedFrame(long position, String text, byte[] bytes, @Nullable DisconnectReason last, boolean ofHistory) {
        this.ofHistory = ofHistory;
        this.position = position;
        this.text = text;
        this.bytes = bytes;
        this.last = last;
    }

    static EncodedFrame of(Transport.Form form, long position, String text, @Nullable DisconnectReason last) {
        return form == Transport.Form.SSE
                ? new EncodedFrame(position, "", text.getBytes(StandardCharsets.UTF_8), last, false)
                : new EncodedFrame(position, text, NO_BYTES, last, false);
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

    /** The same frame of an event that was read for one stream, so that its memory is counted. */
    public EncodedFrame ofHistory() {
        return new EncodedFrame(position, text, bytes, last, true);
    }

    public boolean isOfHistory() {
        return ofHistory;
    }

    /** Size in a queue, in bytes. A string with one character outside Latin-1 takes two bytes for each of its characters. */
    public int size() {
        return 2 * text.length() + bytes.length;
    }
}
