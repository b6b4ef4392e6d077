package io.postrider.gateway.jakarta;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Collects the pieces of one message, as UTF-8 and never in more memory than the message may have. As characters, an unfinished
 * hello of an anonymous client took 65 KB. Not thread-safe.
 */
final class MessageBuffer {
    private static final byte[] EMPTY = {};

    private final int most;
    private byte[] bytes = EMPTY;
    private int length;
    private String half = ""; // the first half of a character whose second half is in the next piece

    /** For messages of at most this many bytes. */
    MessageBuffer(int most) {
        this.most = most;
    }

    /** Adds a piece; false if the message is too large with it, and then nothing is added. */
    boolean add(String piece) {
        String text = half + piece;
        int end = text.length();
        if (end > 0 && Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        byte[] more = text.substring(0, end).getBytes(StandardCharsets.UTF_8);
        if (more.length > most - length) {
            return false;
        }
        if (length + more.length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.min(most, Math.max(length + more.length, 2 * bytes.length)));
        }
        System.arraycopy(more, 0, bytes, length, more.length);
        length += more.length;
        half = text.substring(end);
        return true;
    }

    /** The message, which is not kept. */
    String take() {
        String text = new String(bytes, 0, length, StandardCharsets.UTF_8) + half;
        clear();
        return text;
    }

    void clear() {
        bytes = EMPTY;
        length = 0;
        half = "";
    }

    /** Bytes of memory that the message takes. */
    int capacity() {
        return bytes.length;
    }
}
