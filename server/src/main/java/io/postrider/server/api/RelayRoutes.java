package io.postrider.server.api;

import io.postrider.Postrider;
import io.postrider.listen.Relays;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Relays: how they stand and whether their sinks answer. Paused, resumed and reset as any listener, but only if they are one. */
final class RelayRoutes {
    private static final Duration LONGEST_TEST = Duration.ofSeconds(15);

    private final Postrider postrider;
    private final Reading reading;
    private final ListenerRoutes listeners;

    RelayRoutes(Postrider postrider, Reading reading, ListenerRoutes listeners) {
        this.postrider = postrider;
        this.reading = reading;
        this.listeners = listeners;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/v1/relays", Need.OPERATOR, this::list),
                Route.post("/v1/relays/{name}/pause", Need.OPERATOR, call -> listeners.pause(relay(call), true)),
                Route.post("/v1/relays/{name}/resume", Need.OPERATOR, call -> listeners.pause(relay(call), false)),
                Route.post("/v1/relays/{name}/reset", Need.OPERATOR, call -> listeners.reset(relay(call))),
                Route.post("/v1/relays/{name}/test", Need.OPERATOR, this::test));
    }

    private Call relay(Call call) {
        String name = call.place("name");
        if (postrider.relays().list().stream().noneMatch(one -> one.name().equals(name))) {
            throw Problem.of(404, "no relay " + Fields.shown(name), "GET /v1/relays lists them.");
        }
        return call;
    }

    private Answer list(Call call) {
        ArrayNode relays = JsonText.array();
        reading.relays().list().forEach(one -> relays.add(json(one)));
        return Answer.ok(JsonText.object().set("relays", relays));
    }

    private Answer test(Call call) {
        call.fields();
        String name = relay(call).place("name");
        Relays.Tested tested = postrider.relays().test(name, LONGEST_TEST);
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
                .put("test_error", relay.testError());
    }
}
