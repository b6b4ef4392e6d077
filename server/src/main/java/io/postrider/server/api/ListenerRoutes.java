package io.postrider.server.api;

import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.admin.Listeners;
import io.postrider.server.openapi.CommonSchemas;
import io.postrider.server.openapi.ErrorResponse;
import io.postrider.server.openapi.ListenerSchemas;
import io.postrider.server.openapi.Operation;
import io.postrider.server.openapi.Parameter;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Listeners: show, pause, resume and move them. */
final class ListenerRoutes {
    private final Postrider postrider;
    private final Listeners listeners;

    ListenerRoutes(Postrider postrider, Changing changing) {
        this.postrider = postrider;
        this.listeners = changing.postrider().listeners();
    }

    List<Route> routes() {
        return List.of(
                Route.get("/v1/listeners", Need.OPERATOR, this::list)
                        .described(Operation.of("listeners", "listListeners", "List all listeners, including relays.")
                                .answers(ListenerSchemas.LISTENERS)),
                Route.post("/v1/listeners/{name}/pause", Need.OPERATOR, call -> pause(call, true))
                        .described(pausing("pauseListener", "Pause a listener.")),
                Route.post("/v1/listeners/{name}/resume", Need.OPERATOR, call -> pause(call, false))
                        .described(pausing("resumeListener", "Resume a paused listener.")),
                Route.post("/v1/listeners/{name}/reset", Need.OPERATOR, this::reset)
                        .described(steering("resetListener", "Move a listener to another position in its topic.")
                                .body(ListenerSchemas.RESET)
                                .answers(ListenerSchemas.WAS_RESET)));
    }

    private static Operation pausing(String id, String summary) {
        return steering(id, summary).body(CommonSchemas.NOTHING).answers(CommonSchemas.PAUSED);
    }

    private static Operation steering(String id, String summary) {
        return Operation.of("listeners", id, summary)
                .takes(Parameter.path("name", "Listener name."))
                .fails(ErrorResponse.NOT_FOUND);
    }

    private Answer list(Call call) {
        ArrayNode listeners = JsonText.array();
        postrider.listeners().list().forEach(one -> listeners.add(json(one)));
        return Answer.ok(JsonText.object().set("listeners", listeners));
    }

    private static ObjectNode json(Listeners.Status listener) {
        return JsonText.object()
                .put("name", listener.name())
                .put("topic", listener.topic())
                .put("kind", listener.kind())
                .put("policy", listener.policy())
                .put("position", listener.position())
                .put("head", listener.head())
                .put("lag", listener.lag())
                .put("last_progress_at", Callers.text(listener.lastProgressAt()))
                .put("attempts", listener.attempts())
                .put("retry_after", Callers.text(listener.retryAfter()))
                .put("last_error", listener.lastError())
                .put("setbacks", listener.setbacks())
                .put("dead_letters", listener.deadLetters())
                .put("paused", listener.paused())
                .put("detached_at", Callers.text(listener.detachedAt()))
                .put("owner", listener.owner())
                .put("mode", listener.mode())
                .put("shadow_from", listener.shadowFrom())
                .put("live_from", listener.liveFrom());
    }

    Answer pause(Call call, boolean paused) {
        call.fields();
        String name = call.place("name");
        if (paused) {
            listeners.pause(name);
        } else {
            listeners.resume(name);
        }
        return Answer.ok(JsonText.object().put("name", name).put("paused", paused));
    }

    Answer reset(Call call) {
        String name = call.place("name");
        Fields fields = call.fields("to", "position", "time", "dry_run");
        StartPoint to = point(fields);
        Listeners.Status now = listeners.list().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () -> Problem.of(404, "no listener " + Fields.shown(name), "GET /v1/listeners lists them."));
        boolean dry = fields.flag("dry_run");
        long position = dry ? listeners.cursorAt(name, to) : listeners.reset(name, to);
        return Answer.ok(JsonText.object()
                .put("name", name)
                .put("before", now.position())
                .put("position", position)
                .put("dry_run", dry));
    }

    private static StartPoint point(Fields fields) {
        String to = fields.textOrNull("to");
        Long position = fields.numberOrNull("position");
        Instant time = fields.timeOrNull("time");
        if (Stream.of(to != null, position != null, time != null)
                        .filter(given -> given)
                        .count()
                != 1) {
            throw Problem.badRequest("the body must have one of: to (beginning or end), position, time");
        }
        if (position != null) {
            return StartPoint.position(position);
        }
        if (time != null) {
            return StartPoint.time(time);
        }
        return switch (String.valueOf(to)) {
            case "beginning" -> StartPoint.beginning();
            case "end" -> StartPoint.end();
            default -> throw fields.refused("to", "must be beginning or end");
        };
    }
}
