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
 * An HTTP/1.1 response, read from an untrusted server. The status decides what happens to the event, and is final when the head
 * is complete. The body is read only to quote its beginning in an error and to find its end, so that the connection can be
 * reused. At most {@link #BODY} bytes are read for that.
 */
final class Answer {
    /** The maximum size of the head. Servers allow their clients 8 to 16 KiB. */
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
     * Reads up to the empty line. Interim responses (100, 103) are skipped but count towards the limit.
     *
     * @throws EOFException if it ends early
     * @throws IOException if it is not HTTP, or too long
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

    /** Reads the body as far as it arrives. If it breaks off, the only effect is that the connection cannot be reused. */
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

    /** Whether the end of the response is known and both sides keep the connection open. */
    boolean leavesOpen() {
        return keeps && whole;
    }

    /** The target of a redirect. */
    String location() {
        return unquoted(clean(headers.getOrDefault("location", "nowhere")));
    }

    /** The delay that the endpoint asks for, at most one hour: a single header must not stop a relay forever. */
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
            return null; // ignored: neither a number nor a date
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

    /** A text log shows it as {@code error="…"}: a quote would end the value, and the rest would look like further fields. */
    private static String unquoted(String text) {
        return text.replace('"', '\'');
    }

    /** Removes line breaks, control characters and changes of text direction, and shortens the text. */
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
                headers.put("connection", "close"); // a folded or malformed line: do not trust any length after it
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

    /** Whether the whole body arrived, within the limit. */
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
