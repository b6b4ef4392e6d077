package io.postrider.bench.realtime;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.util.Arrays;

/**
 * One stream, read as a browser does: the head of the response, its chunks, and the frames in them.
 *
 * <pre>
 * HEAD    until the empty line; must be a 200 in chunks.
 * SIZE    the line with a chunk's size, in hexadecimal.
 * DATA    this many bytes of frames.
 * END     the line break after them; then SIZE.
 * </pre>
 */
final class CrowdClient {
    private static final byte[] ID = "\"id\":\"".getBytes(US_ASCII);
    private static final byte[] CUT = "event: cut".getBytes(US_ASCII);
    private static final int UUID_LENGTH = 36;

    private enum Place {
        HEAD,
        SIZE,
        DATA,
        END
    }

    private final CrowdGroup group;
    private final int index;
    private final StringBuilder head = new StringBuilder();
    private Place place = Place.HEAD;
    private int chunk;
    private byte[] frame = new byte[1024];
    private int length;
    private boolean settled;

    CrowdClient(CrowdGroup group, int index) {
        this.group = group;
        this.index = index;
    }

    /** The result of a read. */
    void take(byte[] bytes, int count, long now) throws IOException {
        int at = 0;
        while (at < count) {
            switch (place) {
                case HEAD -> readHead(bytes[at++]);
                case SIZE -> readSize(bytes[at++]);
                case END -> place = bytes[at++] == '\n' ? Place.SIZE : Place.END;
                case DATA -> {
                    int part = Math.min(chunk, count - at);
                    readData(bytes, at, at + part, now);
                    at += part;
                    chunk -= part;
                    place = chunk == 0 ? Place.END : Place.DATA;
                }
            }
        }
    }

    void closed(Exception why) {
        System.err.println("client " + index + ": " + why);
        group.closed();
    }

    private void readHead(byte next) throws IOException {
        head.append((char) next);
        int end = head.length();
        if (end >= 4 && head.substring(end - 4).equals("\r\n\r\n")) {
            String text = head.toString();
            if (!text.startsWith("HTTP/1.1 200") || !text.contains("chunked")) {
                throw new IOException("was answered: " + text.strip());
            }
            place = Place.SIZE;
        }
    }

    private void readSize(byte next) throws IOException {
        if (next == '\n') {
            if (chunk == 0) {
                throw new IOException("the answer has ended");
            }
            place = Place.DATA;
        } else if (next != '\r') {
            chunk = chunk * 16 + Character.digit(next, 16);
        }
    }

    private void readData(byte[] bytes, int from, int to, long now) throws IOException {
        if (length + to - from > frame.length) {
            frame = Arrays.copyOf(frame, (length + to - from) * 2);
        }
        for (int i = from; i < to; i++) {
            byte next = bytes[i];
            frame[length++] = next;
            if (next == '\n' && length > 1 && frame[length - 2] == '\n') {
                frameRead(now);
                length = 0;
            }
        }
    }

    private void frameRead(long now) throws IOException {
        if (!settled) {
            settled = true;
            group.settled();
        }
        int id = find(ID);
        if (id >= 0) {
            String text = new String(frame, id + ID.length, UUID_LENGTH, US_ASCII);
            java.util.UUID parsed = java.util.UUID.fromString(text);
            group.had(index, parsed.getMostSignificantBits(), (int) parsed.getLeastSignificantBits(), now);
        } else if (find(CUT) >= 0) {
            throw new IOException("was cut: " + new String(frame, 0, length, US_ASCII).strip());
        }
    }

    private int find(byte[] what) {
        for (int at = 0; at + what.length <= length; at++) {
            int same = 0;
            while (same < what.length && frame[at + same] == what[same]) {
                same++;
            }
            if (same == what.length) {
                return at;
            }
        }
        return -1;
    }
}
