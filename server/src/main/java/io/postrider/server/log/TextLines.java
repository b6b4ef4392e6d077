package io.postrider.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.logging.structured.StructuredLogFormatter;

/**
 * Writes one line of text per event, and stack traces below it. Control characters of messages are escaped: an error message of a
 * Redis server with a line break looked like a second line of the log, and one with ESC changed what a terminal showed.
 */
public final class TextLines implements StructuredLogFormatter<ILoggingEvent> {
    private static final int MOST_CAUSES = 20;

    @Override
    public String format(ILoggingEvent line) {
        StringBuilder text = new StringBuilder(256)
                .append(Instant.ofEpochMilli(line.getTimeStamp()))
                .append(String.format(Locale.ROOT, " %-5s [", line.getLevel()));
        escaped(text, line.getThreadName());
        text.append("] ").append(line.getLoggerName()).append(" : ");
        escaped(text, line.getFormattedMessage());
        text.append('\n');
        @Nullable IThrowableProxy thrown = line.getThrowableProxy();
        for (int i = 0; thrown != null && i < MOST_CAUSES; i++) {
            text.append(i == 0 ? "" : "Caused by: ").append(thrown.getClassName());
            if (thrown.getMessage() != null) {
                escaped(text.append(": "), thrown.getMessage());
            }
            text.append('\n');
            for (StackTraceElementProxy step : thrown.getStackTraceElementProxyArray()) {
                text.append('\t').append(step.getSTEAsString()).append('\n');
            }
            thrown = thrown.getCause();
        }
        return text.toString();
    }

    private static void escaped(StringBuilder text, @Nullable String message) {
        String given = String.valueOf(message);
        for (int i = 0; i < given.length(); i++) {
            char c = given.charAt(i);
            if (c == '\n') {
                text.append("\\n");
            } else if (c == '\t' || !isControl(c)) {
                text.append(c);
            } else {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            }
        }
    }

    /** Also line separators and changes of text direction, which are no control characters for Java. */
    private static boolean isControl(char c) {
        int type = Character.getType(c);
        return type == Character.CONTROL
                || type == Character.FORMAT
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
    }
}
