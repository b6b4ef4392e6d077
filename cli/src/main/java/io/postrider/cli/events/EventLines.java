package io.postrider.cli.events;

import io.postrider.Event;
import io.postrider.PostriderException;
import io.postrider.cli.text.JsonScanner;
import io.postrider.support.Suggestion;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Parses events from lines of JSON. Errors name the line. Keeps only one slice of the lines in memory. */
final class EventLines {
    private static final int SLICE = 1_000;
    private static final Set<String> FIELDS = Set.of(
            "topic",
            "type",
            "payload",
            "key",
            "project_id",
            "user_id",
            "aggregate_type",
            "aggregate_id",
            "headers",
            "event_id");

    /** Fields that {@code tail} prints and that a new event gets its own values for. */
    private static final Set<String> PASSED_OVER = Set.of("position", "created_at");

    private final BufferedReader reader;
    private final String source;
    private final @Nullable String topic;
    private final @Nullable String type;
    private int line;

    /** The topic and the type, if given, override those of the lines. */
    EventLines(InputStream in, String source, @Nullable String topic, @Nullable String type) {
        this.reader = new BufferedReader(
                new InputStreamReader(in, StandardCharsets.UTF_8.newDecoder())); // fails on malformed UTF-8
        this.source = source;
        this.topic = topic;
        this.type = type;
    }

    void inSlices(Consumer<List<Event>> to) throws IOException {
        List<Event> slice = new ArrayList<>(SLICE);
        for (String text = next(); text != null; text = next()) {
            if (!text.isBlank()) {
                slice.add(event(text));
            }
            if (slice.size() == SLICE) {
                hand(slice, to);
            }
        }
        hand(slice, to);
    }

    /** An error of the database names the topic at best; this adds the lines. */
    private void hand(List<Event> slice, Consumer<List<Event>> to) {
        if (slice.isEmpty()) {
            return;
        }
        try {
            to.accept(slice);
        } catch (PostriderException e) {
            throw new PostriderException(
                    e.kind(),
                    source + ", in the " + slice.size() + " lines up to line " + line + ": " + e.getMessage(),
                    e);
        }
        slice.clear();
    }

    private @Nullable String next() throws IOException {
        try {
            String text = reader.readLine();
            line += text == null ? 0 : 1;
            return text;
        } catch (CharacterCodingException e) {
            throw PostriderException.refused(source + " is not UTF-8, after line " + line);
        }
    }

    private Event event(String text) {
        try {
            Map<String, String> fields = JsonScanner.object(text);
            for (String name : fields.keySet()) {
                if (!FIELDS.contains(name) && !PASSED_OVER.contains(name)) {
                    throw wrong("unknown field \"" + name + "\"" + Suggestion.hint(name, FIELDS), null);
                }
            }
            return event(fields);
        } catch (JsonScanner.NotJson e) {
            throw wrong("not a JSON object: " + e.getMessage(), e);
        } catch (PostriderException e) {
            throw e.getMessage() != null && e.getMessage().startsWith(where())
                    ? e
                    : wrong(String.valueOf(e.getMessage()), e);
        }
    }

    private Event event(Map<String, String> fields) throws JsonScanner.NotJson {
        Event event = Event.of(
                        required("topic", topic, fields),
                        required("type", type, fields),
                        fields.getOrDefault("payload", "{}"))
                .withKey(text("key", fields))
                .withProject(text("project_id", fields))
                .withUser(text("user_id", fields))
                .withAggregate(text("aggregate_type", fields), text("aggregate_id", fields));
        String headers = fields.getOrDefault("headers", "{}");
        event = headers.equals("null") ? event : event.withHeaders(headers);
        @Nullable String id = text("event_id", fields);
        return id == null ? event : event.withId(uuid(id));
    }

    private String required(String name, @Nullable String given, Map<String, String> fields)
            throws JsonScanner.NotJson {
        @Nullable String value = given == null ? text(name, fields) : given;
        if (value == null) {
            throw wrong("no \"" + name + "\"; give it in the line, or for all lines on the command line", null);
        }
        return value;
    }

    private @Nullable String text(String name, Map<String, String> fields) throws JsonScanner.NotJson {
        @Nullable String json = fields.get(name);
        if (json != null && !json.equals("null") && !json.startsWith("\"")) {
            throw wrong("\"" + name + "\" must be a string", null);
        }
        return json == null ? null : JsonScanner.string(json);
    }

    private UUID uuid(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw wrong("\"event_id\" must be a UUID", e);
        }
    }

    private String where() {
        return source + ", line " + line + ": ";
    }

    private PostriderException wrong(String what, @Nullable Throwable cause) {
        return new PostriderException(PostriderException.Kind.REFUSED, where() + what + "; nothing was written", cause);
    }
}
