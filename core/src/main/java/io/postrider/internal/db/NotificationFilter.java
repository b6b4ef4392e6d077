package io.postrider.internal.db;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The stream from the server without its notifications. They are counted here and never reach the driver, which would keep all of
 * them with their payloads until they are fetched. Any role may notify, and the server's queue holds 8 GB; 80,000 payloads of
 * 7.9 KB were enough to crash a node with 256 MB.
 *
 * <p>After the login every message of the server is one byte for its type and four for its length, then its content. A
 * notification ({@code A}) contains the process that sent it, the channel and the payload. Used by one thread.
 */
final class NotificationFilter extends InputStream {
    /** More bytes of unknown payloads than this within {@link #WINDOW} are a flood. */
    static final long FLOOD_BYTES = 4 << 20;

    private static final Duration WINDOW = Duration.ofSeconds(10);

    /**
     * The server answers a statement only after it has sent every pending notification. If a flood takes longer than this, the
     * connection is abandoned. On a local connection 1 GB takes about 1.5 s.
     */
    private static final Duration LONGEST_FLOOD = Duration.ofSeconds(1);

    private static final int HEADER = 5;
    private static final int LONGEST_PAYLOAD = 64;
    private static final int MOST_PER_PAYLOAD = 1_000;

    private final Socket socket;
    private final InputStream source;
    private final byte[] buffer = new byte[64 << 10];
    private final Map<String, Integer> received = new TreeMap<>();
    private Set<String> accepted = Set.of();
    private boolean filtering;
    private int ownPid;
    private boolean givenUp;
    private int at;
    private int end;

    /** The remaining bytes of a message that the driver reads. */
    private int passing;

    private long burst;
    private long burstBegan;
    private long dropped;
    private long windowBegan;
    private int droppedFrom;

    NotificationFilter(Socket socket) throws IOException {
        this.socket = socket;
        this.source = socket.getInputStream();
    }

    /** From now on counts notifications with these payloads and drops all others, including all that its own session sends. */
    void accept(Set<String> payloads, int newOwnPid) {
        accepted = payloads;
        ownPid = newOwnPid;
        filtering = true;
    }

    /** From now on the driver gets every message: the connection may go back to a pool. */
    void stop() {
        filtering = false;
        accepted = Set.of();
        received.clear();
    }

    /** The payloads received since the last call. */
    List<String> take() {
        List<String> taken = new ArrayList<>();
        received.forEach((payload, times) -> taken.addAll(Collections.nCopies(times, payload)));
        received.clear();
        return taken;
    }

    boolean isFlooded() {
        return dropped > FLOOD_BYTES;
    }

    long droppedBytes() {
        return dropped;
    }

    /** The server process that sent the last payload that was dropped. */
    int droppedFrom() {
        return droppedFrom;
    }

    void forgetFlood() {
        dropped = 0;
    }

    /**
     * Waits for a payload, up to a time. Returns earlier if a flood begins, or if there is a message for the driver.
     *
     * @return whether the driver has something to read
     */
    boolean await(int millis) throws IOException {
        long deadline = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        int before = socket.getSoTimeout();
        burst = 0;
        try {
            while (received.isEmpty() && passing == 0 && !isFlooded()) {
                long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
                if (left < 0) {
                    break;
                }
                socket.setSoTimeout((int) Math.max(1, left));
                if (!next()) {
                    throw new EOFException("the server has closed the connection");
                }
            }
            while (passing == 0 && end - at >= HEADER && end - at >= size()) {
                next(); // more messages that have already arrived
            }
        } catch (SocketTimeoutException e) {
            // nothing, or only a part of a message: the part is kept
        } finally {
            socket.setSoTimeout(before);
        }
        return passing > 0;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (passing == 0) {
            if (!next()) {
                return -1;
            }
        }
        if (at == end && !fill()) {
            return -1;
        }
        int most = Math.min(length, Math.min(passing, end - at));
        System.arraycopy(buffer, at, to, offset, most);
        at += most;
        passing -= most;
        return most;
    }

    @Override
    public int available() {
        return Math.min(passing, end - at);
    }

    @Override
    public void close() throws IOException {
        source.close();
    }

    /** Takes the next message if it is a notification, otherwise lets it pass; false at the end of the stream. */
    private boolean next() throws IOException {
        if (!ensure(HEADER)) {
            return false;
        }
        int size = size();
        if (size < HEADER) {
            throw new IOException("a message of the server has the length " + (size - 1));
        }
        // A payload has less than 8,000 bytes and a channel less than 64, so a longer one is not from PostgreSQL.
        if (!filtering || buffer[at] != 'A' || size > buffer.length) {
            burst = 0;
            passing = size;
            return true;
        }
        if (!ensure(size)) {
            return false;
        }
        notified(at + HEADER, at + size);
        at += size;
        return true;
    }

    private void notified(int from, int to) throws IOException {
        int pid = int4(from);
        int payload = afterZero(from + 4, to);
        int length = afterZero(payload, to) - 1 - payload;
        String text = length < 0 || length > LONGEST_PAYLOAD
                ? null // too long to be one of ours
                : new String(buffer, payload, length, StandardCharsets.UTF_8);
        if (text != null && accepted.contains(text)) {
            if (pid != ownPid) {
                received.merge(text, 1, (old, one) -> Math.min(MOST_PER_PAYLOAD, old + one));
            }
            return;
        }
        drop(to - from, pid);
    }

    private void drop(int bytes, int pid) throws IOException {
        long now = System.nanoTime();
        if (dropped == 0 || now - windowBegan > WINDOW.toNanos() && !isFlooded()) {
            windowBegan = now;
            dropped = 0;
        }
        dropped += bytes;
        droppedFrom = pid;
        if (burst == 0) {
            burstBegan = now;
        }
        burst += bytes;
        if (burst > FLOOD_BYTES && now - burstBegan > LONGEST_FLOOD.toNanos()) {
            givenUp = true;
            socket.close(); // with everything that was not read
            throw givenUp();
        }
    }

    private int afterZero(int from, int to) {
        int next = from;
        while (next < to && buffer[next] != 0) {
            next++;
        }
        return Math.min(to, next) + 1;
    }

    private int size() {
        int length = int4(at + 1);
        return length < 0 || length == Integer.MAX_VALUE ? 0 : length + 1;
    }

    private int int4(int from) {
        return (buffer[from] & 0xff) << 24
                | (buffer[from + 1] & 0xff) << 16
                | (buffer[from + 2] & 0xff) << 8
                | buffer[from + 3] & 0xff;
    }

    private boolean ensure(int bytes) throws IOException {
        while (end - at < bytes) {
            if (!fill()) {
                return false;
            }
        }
        return true;
    }

    private boolean fill() throws IOException {
        if (givenUp) {
            throw givenUp();
        }
        if (at == end) {
            at = 0;
            end = 0;
        } else if (at > 0) {
            System.arraycopy(buffer, at, buffer, 0, end - at);
            end -= at;
            at = 0;
        }
        int read = source.read(buffer, end, buffer.length - end);
        end += Math.max(0, read);
        return read > 0;
    }

    private static IOException givenUp() {
        return new IOException("the connection was given up because of a flood of notifications");
    }
}
