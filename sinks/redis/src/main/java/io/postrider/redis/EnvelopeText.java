package io.postrider.redis;

import io.postrider.LogEvent;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * Parses the text of {@link io.postrider.Envelope#json} back into an event. The payload is cut out of the text unchanged, so that
 * no number is rounded and no key is reordered.
 */
final class EnvelopeText {
    /** Core accepts payloads of up to 64 MiB with a nesting depth of 1,000; the envelope adds one level. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(1_001)
                    .maxStringLength(65 << 20)
                    .maxNumberLength(65 << 20)
                    .maxNameLength(65 << 20)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private EnvelopeText() {}

    /** The event; empty if the text is not an envelope. */
    static Optional<LogEvent> read(String text) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            return Optional.of(read(parser, text));
        } catch (JacksonException | IllegalArgumentException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private static LogEvent read(JsonParser parser, String text) {
        expect(parser.nextToken() == JsonToken.START_OBJECT);
        Map<String, String> attributes = new HashMap<>();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            if (name.equals("data")) {
                attributes.put(name, raw(parser, text));
            } else {
                expect(value == (name.equals("position") ? JsonToken.VALUE_NUMBER_INT : JsonToken.VALUE_STRING));
                attributes.put(name, parser.getString());
            }
        }
        expect(parser.currentToken() == JsonToken.END_OBJECT && parser.nextToken() == null);
        return event(attributes);
    }

    /** The kind of the value that begins here. */
    private static String raw(JsonParser parser, String text) {
        int from = (int) parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        parser.finishToken();
        return text.substring(from, (int) parser.currentLocation().getCharOffset())
                .strip();
    }

    private static LogEvent event(Map<String, String> attributes) {
        expect("1.0".equals(attributes.get("specversion")));
        long position = Long.parseLong(given(attributes, "position"));
        expect(position > 0);
        return new LogEvent(
                given(attributes, "topic"),
                position,
                UUID.fromString(given(attributes, "id")),
                given(attributes, "type"),
                given(attributes, "data"),
                attributes.get("partitionkey"),
                attributes.get("projectid"),
                attributes.get("userid"),
                attributes.get("aggregatetype"),
                attributes.get("aggregateid"),
                attributes.getOrDefault("headers", "{}"),
                Instant.parse(given(attributes, "time")));
    }

    private static String given(Map<String, String> attributes, String name) {
        @Nullable String value = attributes.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " is missing");
        }
        return value;
    }

    private static void expect(boolean holds) {
        if (!holds) {
            throw new IllegalArgumentException("not an envelope");
        }
    }
}
