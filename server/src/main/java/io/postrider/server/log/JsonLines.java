package io.postrider.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import io.postrider.JsonText;
import java.time.Instant;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.logging.structured.StructuredLogFormatter;

/**
 * Writes one JSON object per line. Postrider's own lines have the form {@code outbox_publish_failed listener={} position={}}: the
 * first word becomes {@code event}, each name with its value becomes a field, and the whole text becomes {@code message} for
 * human readers. The fields are taken from the pattern and its arguments, not from the formatted text, so that no value can pose
 * as a field. Our options objects, which are logged as a whole ({@code node_started {}}), are parsed from their own text: their
 * values are checked names and numbers.
 */
public final class JsonLines implements StructuredLogFormatter<ILoggingEvent> {
    private static final Pattern EVENT =
            Pattern.compile("[a-z][a-z0-9]*(?:(?:_[a-z0-9]+)+(?= |$)|(?= [a-z][a-z0-9_]*=))");
    private static final Pattern PLACE = Pattern.compile("(?:([a-z][a-z0-9_]*)=\"?)?\\{}");

    private static final Pattern OPTION = Pattern.compile("([a-z][a-z0-9_]*)=(\\[[^]]*]|\\S*)");
    private static final String OURS = "io.postrider";

    @Override
    public String format(ILoggingEvent line) {
        StringBuilder json = new StringBuilder(256).append("{\"time\":\"");
        json.append(Instant.ofEpochMilli(line.getTimeStamp())).append('"');
        text(json, "level", line.getLevel().toString().toLowerCase(Locale.ROOT));
        fields(json, line);
        text(json, "message", line.getFormattedMessage());
        text(json, "logger", line.getLoggerName());
        text(json, "thread", line.getThreadName());
        line.getMDCPropertyMap().forEach((name, value) -> text(json, "mdc." + name, value));
        @Nullable IThrowableProxy thrown = line.getThrowableProxy();
        if (thrown != null) {
            text(json, "error_type", thrown.getClassName());
            text(json, "stack_trace", ThrowableProxyUtil.asString(thrown));
        }
        return json.append("}\n").toString();
    }

    private static void fields(StringBuilder json, ILoggingEvent line) {
        String pattern = line.getMessage() == null ? "" : line.getMessage();
        Matcher event = EVENT.matcher(pattern);
        if (!line.getLoggerName().startsWith(OURS) || !event.lookingAt()) {
            return;
        }
        text(json, "event", event.group());
        Object @Nullable [] arguments = line.getArgumentArray();
        Matcher place = PLACE.matcher(pattern);
        for (int i = 0; arguments != null && i < arguments.length && place.find(); i++) {
            if (place.group(1) != null) {
                value(json, place.group(1), arguments[i]);
            } else if (arguments[i] != null && arguments[i].getClass().getName().startsWith(OURS)) {
                options(json, arguments[i].toString());
            }
        }
    }

    private static void options(StringBuilder json, String text) {
        Matcher option = OPTION.matcher(text);
        while (option.find()) {
            String value = option.group(2);
            if (value.matches("0|[1-9][0-9]{0,17}|true|false")) {
                json.append(',')
                        .append(JsonText.quoted(option.group(1)))
                        .append(':')
                        .append(value);
            } else {
                text(json, option.group(1), value);
            }
        }
    }

    private static void value(StringBuilder json, String name, @Nullable Object value) {
        if (value instanceof Long || value instanceof Integer || value instanceof Boolean) {
            json.append(',').append(JsonText.quoted(name)).append(':').append(value);
        } else if (value != null) {
            text(json, name, value.toString());
        }
    }

    private static void text(StringBuilder json, String name, String value) {
        json.append(',').append(JsonText.quoted(name)).append(':').append(JsonText.quoted(value));
    }
}
