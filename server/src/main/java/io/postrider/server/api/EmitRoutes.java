package io.postrider.server.api;

import io.postrider.Event;
import io.postrider.gateway.Identity;
import io.postrider.server.openapi.EventSchemas;
import io.postrider.server.openapi.Operation;
import io.postrider.server.openapi.Parameter;
import io.postrider.server.openapi.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** Emits one event, or several in one transaction. */
final class EmitRoutes {
    private static final int MOST = 1_000;
    private static final Set<String> FIELDS = EventSchemas.NEW_EVENT.fields();

    private static final Schema ONE_OR_MORE = Schema.oneOf(
            EventSchemas.NEW_EVENT,
            Schema.list(EventSchemas.NEW_EVENT).with("minItems", 1).with("maxItems", MOST));

    private final Writing writing;

    EmitRoutes(Writing writing) {
        this.writing = writing;
    }

    List<Route> routes() {
        return List.of(Route.post("/v1/topics/{topic}/events", Need.ANYONE, this::emit)
                .checked((who, places) -> writing.refuseTopicAtOnce(who, places.getOrDefault("topic", "")))
                .described(Operation.of(
                                "events", "emit", "Emit one event, or a batch of up to 1000 in one transaction.")
                        .noting("A token with reach user may emit only to the topics that the server's settings list; a"
                                + " token with reach project also to topics that already exist.")
                        .takes(Parameter.path("topic", "Topic name."))
                        .body(ONE_OR_MORE)
                        .created(Schema.oneOf(EventSchemas.EMITTED, EventSchemas.EMITTED_BATCH))));
    }

    /** Answers after the commit, not before. */
    private Answer emit(Call call) throws Exception {
        String topic = call.place("topic");
        writing.rates().take(call.who()); // first, because a refused name may cost a lookup
        writing.refuseTopic(call.who(), topic);
        Emission emission = call.read(body -> emission(call.who(), topic, body));
        List<Event> events = emission.events();
        writing.rates().takeMore(call.who(), events);
        writing.transaction(call.who(), null, connection -> {
            writing.postrider().emitAll(connection, events);
            return true;
        });
        writing.wroteTopic(topic);
        return Answer.created(
                emission.isBatch()
                        ? JsonText.object().set("ids", ids(events))
                        : id(events.get(0).id()));
    }

    /** The events that a body asks to emit; their payloads are text. */
    private record Emission(List<Event> events, boolean isBatch) {}

    private Emission emission(Identity who, String topic, JsonNode body) {
        if (!body.isArray()) {
            return new Emission(List.of(event(who, topic, body, "the body")), false);
        }
        if (body.isEmpty() || body.size() > MOST) {
            throw Problem.badRequest("a batch must have 1.." + MOST + " events, had " + body.size());
        }
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < body.size(); i++) {
            events.add(event(who, topic, body.get(i), "event " + (i + 1) + " of the batch"));
        }
        return new Emission(events, true);
    }

    private Event event(Identity who, String topic, JsonNode node, String where) {
        Fields fields = Fields.of(node, where, FIELDS);
        Event event = Event.of(topic, fields.text("type"), fields.payload(writing.payloadCap()))
                .withKey(Writing.ofProject(who, fields.textOrNull("key")))
                .withProject(Writing.project(who, fields.textOrNull("project_id")))
                .withUser(Writing.user(who, fields.textOrNull("user_id")))
                .withAggregate(fields.textOrNull("aggregate_type"), fields.textOrNull("aggregate_id"))
                .withHeaders(fields.texts("headers"));
        UUID id = fields.idOrNull("id");
        if (id != null && who.reach() == Identity.Reach.USER) {
            throw Problem.forbidden(
                    "a token with reach user may not choose the id of an event",
                    "Omit it, and the server assigns one; or use a token with reach project.");
        }
        return id == null ? event : event.withId(id);
    }

    private static ArrayNode ids(List<Event> events) {
        ArrayNode ids = JsonText.array();
        events.forEach(event -> ids.add(event.id().toString()));
        return ids;
    }

    private static JsonNode id(UUID id) {
        return JsonText.object().put("id", id.toString());
    }
}
