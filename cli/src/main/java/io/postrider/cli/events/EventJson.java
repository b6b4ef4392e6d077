package io.postrider.cli.events;

import io.postrider.LogEvent;
import io.postrider.cli.text.JsonLine;

/** An event as a line of JSON; its fields have the names of the columns of the view {@code events}. */
public final class EventJson {
    private EventJson() {}

    static JsonLine line(LogEvent event) {
        return put(new JsonLine(), event);
    }

    public static JsonLine put(JsonLine line, LogEvent event) {
        return line.text("topic", event.topic())
                .number("position", event.position())
                .text("event_id", event.id().toString())
                .text("type", event.type())
                .text("key", event.key())
                .text("project_id", event.projectId())
                .text("user_id", event.userId())
                .text("aggregate_type", event.aggregateType())
                .text("aggregate_id", event.aggregateId())
                .time("created_at", event.createdAt())
                .raw("headers", event.headers())
                .raw("payload", event.payload());
    }
}
