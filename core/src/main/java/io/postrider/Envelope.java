package io.postrider;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The format of an event outside the database: the attributes of CloudEvents 1.0, plus topic and position. Every sink, stream and
 * socket uses this format, so that a consumer can detect duplicates by {@code id}, or by {@code topic} and {@code position}.
 *
 * <p>Attribute names consist of lower-case letters only, as CloudEvents requires: {@code projectid}, not {@code project_id}.
 */
public final class Envelope {
    /** The media type of {@link #json}. */
    public static final String MEDIA_TYPE = "application/cloudevents+json";

    private Envelope() {}

    /**
     * Returns every attribute except the data, by name, in a fixed order. Attributes that the event does not have are omitted.
     */
    public static Map<String, String> attributes(LogEvent event) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("specversion", "1.0");
        attributes.put("id", event.id().toString());
        attributes.put("source", "/topics/" + event.topic());
        attributes.put("type", event.type());
        attributes.put("time", event.createdAt().toString());
        attributes.put("datacontenttype", "application/json");
        attributes.put("topic", event.topic());
        attributes.put("position", Long.toString(event.position()));
        put(attributes, "partitionkey", event.key());
        put(attributes, "projectid", event.projectId());
        put(attributes, "userid", event.userId());
        put(attributes, "aggregatetype", event.aggregateType());
        put(attributes, "aggregateid", event.aggregateId());
        put(attributes, "headers", event.headers().equals("{}") ? null : event.headers());
        return attributes;
    }

    /** Returns the event as one JSON object: the attributes, with the position as a number, and the payload as {@code data}. */
    public static String json(LogEvent event) {
        StringBuilder json = new StringBuilder(event.payload().length() + 400).append('{');
        attributes(event).forEach((name, value) -> {
            json.append('"').append(name).append("\":");
            json.append(name.equals("position") ? value : JsonText.quoted(value))
                    .append(',');
        });
        return json.append("\"data\":").append(event.payload()).append('}').toString();
    }

    private static void put(Map<String, String> attributes, String name, @Nullable String value) {
        if (value != null) {
            attributes.put(name, value);
        }
    }
}
