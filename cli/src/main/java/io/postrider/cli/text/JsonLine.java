package io.postrider.cli.text;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** One JSON object on one line, its fields in the order in which they are added. Null is written as null. */
public final class JsonLine {
    /** Always six digits, like PostgreSQL, so that lines sort by time. */
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final StringBuilder json = new StringBuilder("{");

    public JsonLine text(String name, @Nullable String value) {
        name(name);
        if (value == null) {
            json.append("null");
        } else {
            string(json, value);
        }
        return this;
    }

    public JsonLine number(String name, long value) {
        name(name).append(value);
        return this;
    }

    public JsonLine bool(String name, boolean value) {
        name(name).append(value);
        return this;
    }

    public JsonLine time(String name, @Nullable Instant value) {
        return text(name, value == null ? null : time(value));
    }

    public JsonLine texts(String name, List<String> values) {
        name(name).append('[');
        for (int i = 0; i < values.size(); i++) {
            json.append(i == 0 ? "" : ",");
            string(json, values.get(i));
        }
        json.append(']');
        return this;
    }

    public JsonLine numbers(String name, List<? extends Number> values) {
        name(name).append(values.toString().replace(" ", ""));
        return this;
    }

    /** Adds JSON unchanged, for instance a payload. */
    public JsonLine raw(String name, String value) {
        name(name);
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '\n' || c == '\r' || c == '\t') {
                json.append(' '); // between tokens: inside a string it would already be escaped
            } else if (PrintableText.isHarmful(c)) {
                escape(json, c); // only possible inside a string, where the escape means the same
            } else {
                json.append(c);
            }
        }
        return this;
    }

    @Override
    public String toString() {
        return json + "}";
    }

    public static String time(Instant time) {
        return TIME.format(time);
    }

    private StringBuilder name(String name) {
        if (json.length() > 1) {
            json.append(',');
        }
        string(json, name);
        return json.append(':');
    }

    private static void string(StringBuilder json, String value) {
        json.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> json.append("\\\"");
                case '\\' -> json.append("\\\\");
                case '\n' -> json.append("\\n");
                case '\r' -> json.append("\\r");
                case '\t' -> json.append("\\t");
                default -> {
                    if (PrintableText.isHarmful(c)) {
                        escape(json, c);
                    } else {
                        json.append(c);
                    }
                }
            }
        }
        json.append('"');
    }

    private static void escape(StringBuilder json, char c) {
        json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
    }
}
