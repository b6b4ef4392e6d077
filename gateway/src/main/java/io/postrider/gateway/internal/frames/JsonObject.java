package io.postrider.gateway.internal.frames;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * The top-level members of a JSON object from an untrusted client, parsed with limits. A duplicate name is rejected: two parsers
 * that pick different values would allow a check to be bypassed. Immutable.
 */
public final class JsonObject {
    private static final Object OTHER = new Object();
    private static final Object NULL = new Object();
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(8)
                    .maxNameLength(200)
                    .maxNumberLength(30)
                    .maxStringLength(1 << 20)
                    .maxDocumentLength(1L << 20)
                    .build())
            .build();

    /** An object inside the object, as it was written. */
    private record Part(String text) {}

    private final Map<String, Object> members;

    private JsonObject(Map<String, Object> members) {
        this.members = members;
    }

    /** Throws {@link IllegalArgumentException} with the reason; the message contains nothing of the text. */
    public static JsonObject read(String text) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("it is not a JSON object");
            }
            Map<String, Object> members = new HashMap<>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                parser.nextToken();
                members.put(name, value(parser, text));
            }
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("unexpected text after the end");
            }
            return new JsonObject(members);
        } catch (JacksonException | ArithmeticException e) {
            throw new IllegalArgumentException("it is not valid JSON, or larger than allowed");
        }
    }

    private static Object value(JsonParser parser, String text) {
        return switch (parser.currentToken()) {
            case VALUE_STRING -> parser.getString();
            case VALUE_NUMBER_INT -> whole(parser);
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case START_ARRAY -> elements(parser, text);
            case START_OBJECT -> object(parser, text);
            case VALUE_NULL -> NULL;
            default -> OTHER;
        };
    }

    /** A number that is too large for a long is neither a valid position nor a valid time. */
    private static Object whole(JsonParser parser) {
        return parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? OTHER : (Object) parser.getLongValue();
    }

    private static Part object(JsonParser parser, String text) {
        long begin = parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        return new Part(
                text.substring((int) begin, (int) parser.currentLocation().getCharOffset()));
    }

    private static List<Object> elements(JsonParser parser, String text) {
        List<Object> elements = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            elements.add(value(parser, text));
        }
        return elements;
    }

    Set<String> names() {
        return Collections.unmodifiableSet(members.keySet());
    }

    public boolean has(String name) {
        return members.containsKey(name);
    }

    /** Whether the member is missing or null. */
    boolean isNothing(String name) {
        return !members.containsKey(name) || members.get(name) == NULL;
    }

    /** The string of this name; null if it is missing or not a string. */
    public @Nullable String text(String name) {
        return members.get(name) instanceof String text ? text : null;
    }

    /** The text of the object of this name; null if it is missing or not an object. */
    @Nullable
    String object(String name) {
        return members.get(name) instanceof Part part ? part.text() : null;
    }

    /** The number of this name, without its fraction; null if it is missing or not a number. */
    public @Nullable Long number(String name) {
        Object value = members.get(name);
        if (value instanceof Long whole) {
            return whole;
        }
        return value instanceof Double part && Math.abs(part) < 1e15 ? (Long) part.longValue() : null;
    }

    /** Whether the value of this name is an integer. */
    boolean isWhole(String name) {
        return members.get(name) instanceof Long;
    }

    /** The strings of this name, given as one string or as an array; null if it is missing or contains anything else. */
    public @Nullable List<String> texts(String name) {
        Object value = members.get(name);
        if (value instanceof String text) {
            return List.of(text);
        }
        return value instanceof List<?> list ? strings(list) : null;
    }

    private static @Nullable List<String> strings(List<?> list) {
        List<String> texts = new ArrayList<>();
        for (Object element : list) {
            if (!(element instanceof String text)) {
                return null;
            }
            texts.add(text);
        }
        return texts;
    }
}
