package io.postrider.server.http;

import java.nio.ByteBuffer;

/**
 * Refuses heads of requests that Tomcat accepts although a proxy may read them differently: a line that ends with LF alone, a header
 * that is folded over several lines, and Content-Length together with Transfer-Encoding. The scanner follows the bytes of one
 * connection, bodies included, so that it knows where the next head begins. It overwrites the offending byte with NUL, for which
 * Tomcat answers 400 and closes the connection. Tomcat reads a connection from one thread at a time.
 */
final class HeadScanner {
    private static final byte[] LENGTH = ascii("content-length");
    private static final byte[] CODING = ascii("transfer-encoding");
    private static final long MOST = Long.MAX_VALUE / 32;

    private enum State {
        /** Before a request line; empty lines are skipped. */
        START,
        REQUEST_LINE,
        LINE_START,
        NAME,
        VALUE,
        BODY,
        CHUNK_SIZE,
        CHUNK_EXTENSION,
        CHUNK_DATA,
        TRAILER,
        /** Not HTTP, refused, or a WebSocket. */
        UNKNOWN
    }

    private State state = State.START;
    private boolean afterReturn;
    private int column;
    private boolean maybeLength;
    private boolean maybeCoding;
    private boolean hasLength;
    private boolean hasCoding;
    private long left;

    private static byte[] ascii(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }

    /** Scans the bytes from this index up to the position of the buffer. */
    void scan(ByteBuffer bytes, int begin) {
        int end = bytes.position();
        int i = begin;
        while (i < end && state != State.UNKNOWN) {
            if (state == State.BODY || state == State.CHUNK_DATA) {
                i += skip(end - i);
                continue;
            }
            byte b = bytes.get(i);
            if (!accept(b)) {
                bytes.put(i, (byte) 0);
                state = State.UNKNOWN;
            }
            afterReturn = b == '\r';
            i++;
        }
    }

    private int skip(int available) {
        int skipped = (int) Math.min(left, available);
        left -= skipped;
        if (left == 0) {
            state = state == State.BODY ? State.START : State.CHUNK_SIZE;
        }
        return skipped;
    }

    /** False if the byte makes the head ambiguous. */
    private boolean accept(byte b) {
        return switch (state) {
            case START, REQUEST_LINE, LINE_START, NAME, VALUE -> b == '\n' ? endLine() : inHead(b);
            case CHUNK_SIZE, CHUNK_EXTENSION -> inChunkSize(b);
            case TRAILER -> inTrailer(b);
            default -> true;
        };
    }

    private boolean inHead(byte b) {
        switch (state) {
            case START -> {
                if (b == ' ' || b == '\t') {
                    return false;
                }
                if (b != '\r') {
                    begin(b);
                }
            }
            case LINE_START -> {
                if (b == ' ' || b == '\t') {
                    return false;
                }
                if (b != '\r') {
                    column = 0;
                    maybeLength = true;
                    maybeCoding = true;
                    state = State.NAME;
                    inName(b);
                }
            }
            case NAME -> inName(b);
            case VALUE -> inValue(b);
            default -> {}
        }
        return true;
    }

    /** A frame of a WebSocket, which may follow its handshake at once, does not begin with a letter. */
    private void begin(byte b) {
        hasLength = false;
        hasCoding = false;
        left = 0;
        state = b > ' ' && b < 127 ? State.REQUEST_LINE : State.UNKNOWN;
    }

    private void inName(byte b) {
        if (b == ':') {
            maybeLength &= column == LENGTH.length;
            maybeCoding &= column == CODING.length;
            state = State.VALUE;
            return;
        }
        byte lower = b >= 'A' && b <= 'Z' ? (byte) (b + 32) : b;
        maybeLength &= column < LENGTH.length && LENGTH[column] == lower;
        maybeCoding &= column < CODING.length && CODING[column] == lower;
        column++;
    }

    private void inValue(byte b) {
        if (maybeLength && b >= '0' && b <= '9') {
            left = Math.min(MOST, left * 10 + (b - '0'));
        }
    }

    private boolean endLine() {
        if (!afterReturn) {
            return false;
        }
        if (state == State.VALUE) {
            hasLength |= maybeLength;
            hasCoding |= maybeCoding;
            if (hasLength && hasCoding) {
                return false;
            }
        }
        if (state == State.LINE_START) {
            endHead();
        } else if (state != State.START) {
            state = State.LINE_START;
        }
        return true;
    }

    private void endHead() {
        if (hasCoding) {
            left = 0;
            state = State.CHUNK_SIZE;
        } else {
            state = left > 0 ? State.BODY : State.START;
        }
    }

    /** Malformed chunks are left to Tomcat, which refuses them. */
    private boolean inChunkSize(byte b) {
        int digit = Character.digit(b, 16);
        if (b == '\n') {
            column = 0;
            state = left == 0 ? State.TRAILER : State.CHUNK_DATA;
            left += left == 0 ? 0 : 2; // and the line break after the data
        } else if (b == ';') {
            state = State.CHUNK_EXTENSION;
        } else if (state == State.CHUNK_SIZE && digit >= 0) {
            left = Math.min(MOST, left * 16 + digit);
        }
        return true;
    }

    private boolean inTrailer(byte b) {
        if (b != '\n') {
            column += b == '\r' ? 0 : 1;
        } else if (column > 0) {
            column = 0;
        } else {
            state = State.START;
        }
        return true;
    }
}
