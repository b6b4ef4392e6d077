package io.postrider.server.api;

import io.postrider.support.Suggestion;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The fields of a JSON object in a request, read by name and type; each error names its field. An unknown field is
 * refused too, with the nearest known name: otherwise a misspelt field would be an option that silently does nothing.
 */
final class Fields {
    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private final JsonNode object;
    private final String where;

    private Fields(JsonNode object, String where) {
        this.object = object;
        this.where = where;
    }

    /** Reads an object that has no other fields than these. */
    static Fields of(JsonNode node, String where, Set<String> known) {
        if (!node.isObject()) {
            throw Problem.badRequest(where + " must be a JSON object");
        }
        for (String name : node.propertyNames()) {
            if (!known.contains(name)) {
                throw Problem.badRequest(
                        where + " has an unknown field '" + shown(name) + "'" + Suggestion.hint(name, known));
            }
        }
        return new Fields(node, where);
    }

    /** Whether the field is given, be it as null. */
    boolean names(String name) {
        return object.has(name);
    }

    boolean has(String name) {
        return object.hasNonNull(name);
    }

    String text(String name) {
        String value = textOrNull(name);
        if (value == null) {
            throw Problem.badRequest(where + " lacks the field '" + name + "'");
        }
        return value;
    }

    @Nullable
    String textOrNull(String name) {
        JsonNode value = object.get(name);
        if (value == null || value.isNull()) {
            return null;
        }
        if (!value.isString()) {
            throw refused(name, "must be a string");
        }
        return storable(name, value.stringValue());
    }

    /** Checked here because the database does not report which field is at fault. */
    private String storable(String name, String text) {
        if (text.indexOf('\0') >= 0) {
            throw refused(name, "must not have NUL (U+0000), which PostgreSQL cannot store");
        }
        return text;
    }

    /** Any JSON, as text of at most this many bytes. */
    String payload(int cap) {
        String payload = json("payload");
        if (payload.getBytes(StandardCharsets.UTF_8).length > cap) {
            throw Problem.payloadTooLarge(where + ": payload is larger than the limit of " + cap + " bytes");
        }
        return payload;
    }

    /** Any JSON, as text. */
    String json(String name) {
        JsonNode value = object.get(name);
        if (value == null) {
            throw Problem.badRequest(where + " lacks the field '" + name + "'");
        }
        return JsonText.text(value);
    }

    boolean flag(String name) {
        JsonNode value = object.get(name);
        if (value == null || value.isNull()) {
            return false;
        }
        if (!value.isBoolean()) {
            throw refused(name, "must be true or false");
        }
        return value.booleanValue();
    }

    @Nullable
    Long numberOrNull(String name) {
        JsonNode value = object.get(name);
        if (value == null || value.isNull()) {
            return null;
        }
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw refused(name, "must be a whole number");
        }
        return value.longValue();
    }

    @Nullable
    Instant timeOrNull(String name) {
        String value = textOrNull(name);
        return value == null ? null : time(where + ": " + name, value);
    }

    @Nullable
    Duration durationOrNull(String name) {
        String value = textOrNull(name);
        try {
            return value == null ? null : Duration.parse(value);
        } catch (DateTimeException e) {
            throw refused(name, "must be a duration such as PT10M");
        }
    }

    @Nullable
    UUID idOrNull(String name) {
        String value = textOrNull(name);
        return value == null ? null : id(where + ": " + name, value);
    }

    /** An object of strings. */
    Map<String, String> texts(String name) {
        JsonNode value = object.get(name);
        if (value == null || value.isNull()) {
            return Map.of();
        }
        if (!value.isObject()) {
            throw refused(name, "must be an object of strings");
        }
        Map<String, String> texts = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
            if (!entry.getValue().isString()) {
                throw refused(name, "must be an object of strings; '" + shown(entry.getKey()) + "' is not a string");
            }
            texts.put(
                    storable(name, entry.getKey()),
                    storable(name, entry.getValue().stringValue()));
        }
        return texts;
    }

    /** An array of whole numbers; empty if missing. */
    List<Long> numbers(String name, int most) {
        JsonNode value = object.get(name);
        if (value == null || value.isNull()) {
            return List.of();
        }
        if (!value.isArray() || value.size() > most) {
            throw refused(name, "must be an array of at most " + most + " whole numbers");
        }
        List<Long> numbers = new ArrayList<>();
        for (JsonNode one : value) {
            if (!one.isIntegralNumber() || !one.canConvertToLong()) {
                throw refused(name, "must be an array of whole numbers");
            }
            numbers.add(one.longValue());
        }
        return numbers;
    }

    Problem refused(String name, String why) {
        return Problem.badRequest(where + ": " + name + " " + why);
    }

    static UUID id(String what, String text) {
        try {
            if (text.length() == 36) {
                return UUID.fromString(text);
            }
        } catch (IllegalArgumentException e) {
            // refused below
        }
        throw Problem.badRequest(what + " must be an id such as 6f0e3b0e-1f0e-7b0e-8f0e-1f0e3b0e1f0e");
    }

    static Instant time(String what, String text) {
        Instant time;
        try {
            time = OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw Problem.badRequest(what + " must be a time such as 2026-05-01T12:00:00Z");
        }
        if (time.isBefore(EARLIEST) || time.isAfter(LATEST)) { // PostgreSQL has no year -999999999
            throw Problem.badRequest(what + " must be from year 1 to year 9999");
        }
        return time;
    }

    /** Shortened and without control characters: a client's text must not forge log lines. */
    static String shown(String text) {
        String brief = text.length() <= 60 ? text : text.substring(0, 57) + "...";
        return brief.replaceAll("[^\\x20-\\x7e]", "?");
    }
}
