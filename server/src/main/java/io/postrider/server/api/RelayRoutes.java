package io.postrider.server.api;

import io.postrider.admin.Relays;
import io.postrider.server.openapi.CommonSchemas;
import io.postrider.server.openapi.ErrorResponse;
import io.postrider.server.openapi.ListenerSchemas;
import io.postrider.server.openapi.Operation;
import io.postrider.server.openapi.Parameter;
import io.postrider.server.openapi.RelaySchemas;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Relays: show their state and test their sinks. Pauses, resumes and resets them like listeners, but refuses other listeners. */
final class RelayRoutes {
    /** Mostly waits for another node, and holds no connection meanwhile. */
    static final String TEST = "/v1/relays/{name}/test";

    private static final Duration LONGEST_TEST = Duration.ofSeconds(15);

    private final Relays relays;
    private final Reading reading;
    private final ListenerRoutes listeners;

    RelayRoutes(Changing changing, Reading reading, ListenerRoutes listeners) {
        this.relays = changing.postrider().relays();
        this.reading = reading;
        this.listeners = listeners;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/v1/relays", Need.OPERATOR, this::list)
                        .described(Operation.of("relays", "listRelays", "List all relays.")
                                .answers(RelaySchemas.RELAYS)),
                Route.post("/v1/relays/{name}/pause", Need.OPERATOR, call -> listeners.pause(relay(call), true))
                        .described(pausing("pauseRelay", "Pause a relay.")),
                Route.post("/v1/relays/{name}/resume", Need.OPERATOR, call -> listeners.pause(relay(call), false))
                        .described(pausing("resumeRelay", "Resume a paused relay.")),
                Route.post("/v1/relays/{name}/reset", Need.OPERATOR, call -> listeners.reset(relay(call)))
                        .described(steering("resetRelay", "Move a relay to another position in its topic.")
                                .body(ListenerSchemas.RESET)
                                .answers(ListenerSchemas.WAS_RESET)),
                Route.post(TEST, Need.OPERATOR, this::test)
                        .described(steering("testRelay", "Test the sink of a relay, on the node that runs it.")
                                .body(CommonSchemas.NOTHING)
                                .answers(RelaySchemas.TESTED)
                                .fails(ErrorResponse.CONFLICT)));
    }

    private static Operation pausing(String id, String summary) {
        return steering(id, summary).body(CommonSchemas.NOTHING).answers(CommonSchemas.PAUSED);
    }

    private static Operation steering(String id, String summary) {
        return Operation.of("relays", id, summary)
                .takes(Parameter.path("name", "Relay name."))
                .fails(ErrorResponse.NOT_FOUND);
    }

    private Call relay(Call call) {
        String name = call.place("name");
        if (relays.list().stream().noneMatch(one -> one.name().equals(name))) {
            throw Problem.of(404, "no relay " + Fields.shown(name), "GET /v1/relays lists them.");
        }
        return call;
    }

    private Answer list(Call call) {
        ArrayNode relays = JsonText.array();
        reading.postrider().relays().list().forEach(one -> relays.add(json(one)));
        return Answer.ok(JsonText.object().set("relays", relays));
    }

    private Answer test(Call call) {
        call.fields();
        String name = relay(call).place("name");
        Relays.Tested tested = relays.test(name, LONGEST_TEST);
        return Answer.ok(JsonText.object()
                .put("name", name)
                .put("ok", tested.error() == null)
                .put("found", tested.found())
                .put("error", tested.error())
                .put("at", tested.at().toString()));
    }

    private static ObjectNode json(Relays.Status relay) {
        return JsonText.object()
                .put("name", relay.name())
                .put("topic", relay.topic())
                .put("sink", relay.sink())
                .put("state", relay.state())
                .put("position", relay.position())
                .put("head", relay.head())
                .put("lag", relay.lag())
                .put("last_progress_at", Callers.text(relay.lastProgressAt()))
                .put("unavailable_since", Callers.text(relay.unavailableSince()))
                .put("attempts", relay.attempts())
                .put("retry_after", Callers.text(relay.retryAfter()))
                .put("last_error", relay.lastError())
                .put("setbacks", relay.setbacks())
                .put("dead_letters", relay.deadLetters())
                .put("paused", relay.paused())
                .put("owner", relay.owner())
                .put("tested_at", Callers.text(relay.testedAt()))
                .put("test_found", relay.testFound())
                .put("test_error", relay.testError())
                .put("mode", relay.mode())
                .put("shadow_from", relay.shadowFrom())
                .put("live_from", relay.liveFrom());
    }
}
