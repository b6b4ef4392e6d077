package io.postrider.server.api;

import io.postrider.Envelope;
import io.postrider.LogEvent;
import io.postrider.admin.EventFilter;
import io.postrider.admin.EventLog;
import io.postrider.server.openapi.ErrorResponse;
import io.postrider.server.openapi.EventSchemas;
import io.postrider.server.openapi.Operation;
import io.postrider.server.openapi.Parameter;
import io.postrider.server.openapi.Schema;
import java.util.List;
import java.util.UUID;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads events from the read model, within the caller's reach. The database itself returns no row outside of it. */
final class EventRoutes {
    /** The filters that every query for events accepts: see {@link #selection}. */
    static final Parameter[] SELECTION = {
        Parameter.query("type", "Only events of this type."),
        Parameter.query("project_id", "Only events of this project, within the token's reach."),
        Parameter.query("user_id", "Only events of this user, within the token's reach."),
        Parameter.query("aggregate_type", "Only events of this aggregate type."),
        Parameter.query("aggregate_id", "Only events of this aggregate id.")
    };

    private static final Parameter AFTER = Parameter.query(
            "after",
            "Only events after this position.",
            Schema.integer().with("minimum", 0).with("default", 0));

    private final EventLog eventLog;

    EventRoutes(Reading reading) {
        this.eventLog = reading.postrider().eventLog();
    }

    List<Route> routes() {
        return List.of(
                Route.get("/v1/topics/{topic}/events", Need.ANYONE, this::list)
                        .described(Operation.of(
                                        "events",
                                        "readEvents",
                                        "List the events of a topic in the order of their positions, from the event log.")
                                .takes(Parameter.path("topic", "Topic name."))
                                .takes(SELECTION)
                                .takes(AFTER, Parameter.LIMIT)
                                .answers(EventSchemas.EVENT_PAGE)),
                Route.get("/v1/events/{id}", Need.ANYONE, this::show)
                        .described(Operation.of("events", "showEvent", "Get one event from the event log.")
                                .takes(Parameter.path("id", "Event id.", Schema.uuid()))
                                .answers(EventSchemas.EVENT)
                                .fails(ErrorResponse.NOT_FOUND)));
    }

    /** In the order of the topic. The next page begins at {@code after} of the answer. */
    private Answer list(Call call) {
        String topic = call.place("topic");
        long after = call.number("after", 0, 0, Long.MAX_VALUE);
        List<LogEvent> events = eventLog.read(
                Callers.reach(call.who()), selection(call).withTopic(topic), after, call.limit(), call.pageBytes());
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

    /** An empty answer would suggest that there are no events. Jobs are read by other routes. */
    static void refuseUnrecorded(EventLog eventLog, String topic) {
        if (!topic.startsWith("queue:") && eventLog.isUnrecorded(topic)) {
            throw Problem.of(
                    409,
                    "topic " + Fields.shown(topic) + " has events, but is not recorded in the event log",
                    "The operator can name it in postrider.event-log.topics, or raise postrider.event-log.topic-limit.");
        }
    }

    /** The filter of a request that takes {@link #SELECTION}. */
    static EventFilter selection(Call call) {
        return EventFilter.all()
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
