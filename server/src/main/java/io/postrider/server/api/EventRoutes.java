package io.postrider.server.api;

import io.postrider.Envelope;
import io.postrider.LogEvent;
import io.postrider.history.EventLog;
import io.postrider.history.Selection;
import java.util.List;
import java.util.UUID;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Out of the log: the read model, within the caller's reach. The database itself gives no row outside of it. */
final class EventRoutes {
    private final EventLog eventLog;

    EventRoutes(Reading reading) {
        this.eventLog = reading.eventLog();
    }

    List<Route> routes() {
        return List.of(
                Route.get(
                        "/v1/topics/{topic}/events",
                        Need.ANYONE,
                        this::list,
                        "type",
                        "project_id",
                        "user_id",
                        "aggregate_type",
                        "aggregate_id",
                        "after",
                        "limit"),
                Route.get("/v1/events/{id}", Need.ANYONE, this::show));
    }

    /** In the order of the topic. {@code after} of the answer is where the next page begins. */
    private Answer list(Call call) {
        String topic = call.place("topic");
        long after = call.number("after", 0, 0, Long.MAX_VALUE);
        List<LogEvent> events =
                eventLog.read(Callers.reach(call.who()), selection(call).withTopic(topic), after, call.limit());
        if (events.isEmpty()) {
            refuseUnrecorded(eventLog, topic);
        }
        ArrayNode array = JsonText.array();
        events.forEach(event -> array.addRawValue(JsonText.raw(Envelope.json(event))));
        ObjectNode answer = JsonText.object();
        answer.set("events", array);
        return Answer.ok(answer.put(
                "after",
                events.isEmpty() ? after : events.get(events.size() - 1).position()));
    }

    /** An empty answer would look as if there were no events. Jobs are read by other routes. */
    static void refuseUnrecorded(EventLog eventLog, String topic) {
        if (!topic.startsWith("queue:") && eventLog.isUnrecorded(topic)) {
            throw Problem.of(
                    409,
                    "topic " + Fields.shown(topic) + " has events, but is not recorded in the event log",
                    "The operator can name it in postrider.event-log.topics, or raise postrider.event-log.topic-limit.");
        }
    }

    /** What every question about events may narrow. */
    static Selection selection(Call call) {
        return Selection.all()
                .withType(call.text("type"))
                .withProject(call.text("project_id"))
                .withUser(call.text("user_id"))
                .withAggregate(call.text("aggregate_type"), call.text("aggregate_id"));
    }

    private Answer show(Call call) {
        UUID id = call.id();
        return eventLog.find(Callers.reach(call.who()), id)
                .map(event -> Answer.text(Envelope.json(event)))
                .orElseThrow(() -> Problem.notFound("event " + id));
    }
}
