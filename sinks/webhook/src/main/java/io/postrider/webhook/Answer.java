package io.postrider.webhook;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An answer of HTTP/1.1, read from somebody who may not mean well. The status decides what becomes of the event, and stands when
 * the head is complete. The body is read for two things only: a few words of it in an error, and to find its end, so that the
 * connection can be used again. Neither is worth more than {@link #BODY} bytes.
 */
final class Answer {
    /** All lines of the head together. Servers allow their clients 8 to 16 KiB. */
    static final int HEAD = 32 << 10;

    static final int BODY = 64 << 10;
    private static final int SHOWN = 200;
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.([0-9]) ([1-9][0-9]{2})(?: .*)?");
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,18}");
    private static final Pattern HEX = Pattern.compile("[0-9A-Fa-f]{1,8}");

    private final int status;
    private final boolean keeps;
    private final Map<String, String> headers;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private boolean whole;

    private Answer(int status, boolean keeps, Map<String, String> headers) {
        this.status = status;
        this.keeps = keeps;
        this.headers = headers;
    }

    /**
     * Up to the empty line. Answers before the answer (100, 103) are passed over; they count for the limit.
     *
     * @throws EOFException if it ends before
     * @throws IOException if it is no HTTP, or too long
     */
    static Answer head(InputStream in) throws IOException {
        int[] left = {HEAD};
        while (true) {
            var line = STATUS.matcher(line(in, left));
            if (!line.matches()) {
                throw new IOException("the answer is not HTTP/1.1");
            }
            Map<String, String> headers = headers(in, left);
            int status = Integer.parseInt(line.group(2));
            if (status >= 200 || status == 101) {
                boolean close = headers.getOrDefault("connection", "")
                        .toLowerCase(Locale.ROOT)
                        .contains("close");
                return new Answer(status, line.group(1).equals("1") && !close, headers);
            }
        }
    }

    /** Reads what comes of the body. That it breaks off changes nothing but that the connection is of no more use. */
    void body(InputStream in, Duration most) {
        long end = System.nanoTime() + most.toNanos();
        try {
            String coding = headers.get("transfer-encoding");
            String length = headers.get("content-length");
            if (status == 204 || status == 304) {
                whole = true;
            } else if (coding != null) {
                whole = coding.equalsIgnoreCase("chunked") && length == null && chunks(in, end);
            } else if (length != null && DIGITS.matcher(length).matches()) {
                whole = copy(in, Long.parseLong(length), end);
            } else {
                copy(in, BODY, end);
            }
        } catch (IOException e) {
            whole = false;
        }
    }

    int status() {
        return status;
    }

    /** Whether the end of the answer is known and both sides go on. */
    boolean leavesOpen() {
        return keeps && whole;
    }

    /** Where it wants to send us. */
    String location() {
        return unquoted(clean(headers.getOrDefault("location", "nowhere")));
    }

    /** How long the endpoint wants to be left alone, an hour at most: it must not stop a relay for ever by one header. */
    @Nullable
    Duration retryAfter(Clock clock) {
        String value = headers.get("retry-after");
        if (value == null) {
            return null;
        }
        Duration wait;
        try {
            wait = DIGITS.matcher(value).matches()
                    ? Duration.ofSeconds(Long.parseLong(value))
                    : Duration.between(
                            clock.instant(), ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME));
        } catch (DateTimeException e) {
            return null; // as if it were not there: neither a number nor a date
        }
        if (wait.isNegative() || wait.isZero()) {
            return null;
        }
        return wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait;
    }

    /** The beginning of the body, on one line. */
    String excerpt() {
        byte[] bytes = body.toByteArray();
        return unquoted(clean(new String(bytes, 0, Math.min(bytes.length, 4 * SHOWN), StandardCharsets.UTF_8)));
    }

    /** A text log shows it as {@code error="…"}: a quote would end that, and what follows would look like further fields. */
    private static String unquoted(String text) {
        return text.replace('"', '\'');
    }

    /** Nothing that breaks a line, moves a cursor or turns the direction of writing; and not much of it. */
    static String clean(String text) {
        String clean = text.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}\\s]+", " ").strip();
        if (clean.codePointCount(0, clean.length()) <= SHOWN) {
            return clean;
        }
        return clean.substring(0, clean.offsetByCodePoints(0, SHOWN)) + "…";
    }

    private static Map<String, String> headers(InputStream in, int[] left) throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (String line = line(in, left); !line.isEmpty(); line = line(in, left)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
                headers.merge(name, line.substring(colon + 1).strip(), (one, other) -> one + ", " + other);
            } else {
                headers.put("connection", "close"); // a folded line or worse: believe no length after that
            }
        }
        return headers;
    }

    private static String line(InputStream in, int[] left) throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("the answer ended before its head was complete");
            }
            if (--left[0] < 0) {
                throw new IOException("the head of the answer has more than " + HEAD + " bytes");
            }
            if (next == '\n') {
                int end = line.length();
                return end > 0 && line.charAt(end - 1) == '\r' ? line.substring(0, end - 1) : line.toString();
            }
            line.append((char) next);
        }
    }

    private boolean chunks(InputStream in, long end) throws IOException {
        int[] left = {HEAD};
        while (true) {
            String size = line(in, left).split(";", 2)[0].strip();
            if (!HEX.matcher(size).matches()) {
                return false;
            }
            long length = Long.parseLong(size, 16);
            if (length == 0) {
                headers(in, left);
                return true;
            }
            if (!copy(in, length, end) || !line(in, left).isEmpty()) {
                return false;
            }
        }
    }

    /** Whether all of it came, within what we read at all. */
    private boolean copy(InputStream in, long length, long end) throws IOException {
        byte[] buffer = new byte[8 << 10];
        long left = length;
        while (left > 0 && body.size() < BODY && System.nanoTime() - end < 0) {
            int most = (int) Math.min(Math.min(left, buffer.length), BODY - body.size());
            int got = in.read(buffer, 0, most);
            if (got < 0) {
                return false;
            }
            body.write(buffer, 0, got);
            left -= got;
        }
        return left == 0;
    }
}
