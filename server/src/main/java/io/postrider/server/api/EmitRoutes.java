package io.postrider.server.api;

import io.postrider.Event;
import io.postrider.gateway.Identity;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** Into the log: one event, or several in one transaction. */
final class EmitRoutes {
    private static final int MOST = 1_000;
    private static final Set<String> FIELDS = Set.of(
            "id", "type", "payload", "key", "project_id", "user_id", "aggregate_type", "aggregate_id", "headers");

    private final Writing writing;

    EmitRoutes(Writing writing) {
        this.writing = writing;
    }

    List<Route> routes() {
        return List.of(Route.post("/v1/topics/{topic}/events", Need.ANYONE, this::emit));
    }

    /** Answered when it is committed, not before. */
    private Answer emit(Call call) {
        String topic = call.place("topic");
        writing.refuseTopic(call.who(), topic);
        writing.rates().take(call.who());
        Emission emission = call.read(body -> emission(call.who(), topic, body));
        List<Event> events = emission.events();
        writing.rates().takeMore(call.who(), events.size() - 1);
        writing.database().transaction(session -> {
            writing.postrider().emitAll(session.connection(), events);
            return true;
        });
        writing.wroteTopic(topic);
        return Answer.created(
                emission.isBatch()
                        ? JsonText.object().set("ids", ids(events))
                        : id(events.get(0).id()));
    }

    /** What a body asks to emit; the payloads are text. */
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
                    "a token that reaches a user may not choose the id of an event",
                    "Omit it, and the server assigns one; or use a token that reaches a project.");
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
