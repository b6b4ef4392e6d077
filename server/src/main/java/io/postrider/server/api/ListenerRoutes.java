package io.postrider.server.api;

import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.listen.Listeners;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Listeners: where they are, paused, resumed, moved. */
final class ListenerRoutes {
    private final Postrider postrider;

    ListenerRoutes(Postrider postrider) {
        this.postrider = postrider;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/v1/listeners", Need.OPERATOR, this::list),
                Route.post("/v1/listeners/{name}/pause", Need.OPERATOR, call -> pause(call, true)),
                Route.post("/v1/listeners/{name}/resume", Need.OPERATOR, call -> pause(call, false)),
                Route.post("/v1/listeners/{name}/reset", Need.OPERATOR, this::reset));
    }

    private Answer list(Call call) {
        ArrayNode listeners = JsonText.array();
        postrider.listeners().forEach(one -> listeners.add(json(one)));
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
                .put("owner", listener.owner());
    }

    Answer pause(Call call, boolean paused) {
        call.fields();
        String name = call.place("name");
        if (paused) {
            postrider.pause(name);
        } else {
            postrider.resume(name);
        }
        return Answer.ok(JsonText.object().put("name", name).put("paused", paused));
    }

    Answer reset(Call call) {
        String name = call.place("name");
        Fields fields = call.fields("to", "position", "time", "dry_run");
        StartPoint to = point(fields);
        Listeners.Status now = postrider.listeners().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () -> Problem.of(404, "no listener " + Fields.shown(name), "GET /v1/listeners lists them."));
        boolean dry = fields.flag("dry_run");
        long position = dry ? postrider.cursorAt(name, to) : postrider.reset(name, to);
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
