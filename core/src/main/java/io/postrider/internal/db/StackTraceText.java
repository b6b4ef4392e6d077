package io.postrider.internal.db;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A stack trace as text that a row can hold: with its causes, without suppressed exceptions, at most {@value #LONGEST} bytes of
 * UTF-8. Each cause has a bounded number of frames, so that the root cause is in the text however deep the first stack is.
 */
public final class StackTraceText {
    /** Bytes of one stack trace. */
    public static final int LONGEST = 8_192;

    private static final int MOST_CAUSES = 8;
    private static final int MOST_FRAMES = 60;
    private static final int MOST_FRAMES_OF_A_CAUSE = 20;
    private static final int LONGEST_MESSAGE = 500;
    private static final String CUT = "\n... cut";

    private StackTraceText() {}

    /** The text; null for no error. */
    public static @Nullable String of(@Nullable Throwable error) {
        if (error == null) {
            return null;
        }
        StringBuilder text = new StringBuilder();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        StackTraceElement[] enclosing = {};
        Throwable cause = error;
        for (int i = 0; cause != null && i < MOST_CAUSES && seen.add(cause); i++) {
            text.append(i == 0 ? "" : "\nCaused by: ").append(headline(cause));
            StackTraceElement[] frames = cause.getStackTrace();
            append(text, frames, enclosing, i == 0 ? MOST_FRAMES : MOST_FRAMES_OF_A_CAUSE);
            int suppressed = cause.getSuppressed().length;
            if (suppressed > 0) {
                text.append("\n\t... ").append(suppressed).append(" suppressed");
            }
            enclosing = frames;
            cause = cause.getCause();
        }
        return shortened(text.toString().replace('\0', '?'));
    }

    /** {@code getMessage()} may return megabytes, or throw. */
    private static String headline(Throwable error) {
        String message;
        try {
            message = String.valueOf(error);
        } catch (RuntimeException e) {
            message = error.getClass().getName();
        }
        return message.length() <= LONGEST_MESSAGE ? message : message.substring(0, LONGEST_MESSAGE) + "...";
    }

    /** Omits the last frames that the enclosing trace shares, as the runtime does. */
    private static void append(
            StringBuilder text, StackTraceElement[] frames, StackTraceElement[] enclosing, int most) {
        int own = frames.length;
        for (int other = enclosing.length;
                own > 0 && other > 0 && frames[own - 1].equals(enclosing[other - 1]);
                own--) {
            other--;
        }
        int shown = Math.min(own, most);
        for (int i = 0; i < shown; i++) {
            text.append("\n\tat ").append(frames[i]);
        }
        if (shown < frames.length) {
            text.append("\n\t... ").append(frames.length - shown).append(" more");
        }
    }

    private static String shortened(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= LONGEST) {
            return text;
        }
        int end = LONGEST - CUT.length();
        while (end > 0 && (bytes[end] & 0xC0) == 0x80) {
            end--; // not in the middle of a character
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8) + CUT;
    }
}
