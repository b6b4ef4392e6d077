package io.postrider.server.api;

import io.postrider.Postrider;
import io.postrider.cli.text.Nearest;
import io.postrider.work.Queues;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;

/** Queues: how they stand, paused and resumed. */
final class QueueRoutes {
    private final Postrider postrider;
    private final Reading reading;

    QueueRoutes(Postrider postrider, Reading reading) {
        this.postrider = postrider;
        this.reading = reading;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/v1/queues", Need.OPERATOR, this::list),
                Route.post("/v1/queues/{queue}/pause", Need.OPERATOR, call -> pause(call, true)),
                Route.post("/v1/queues/{queue}/resume", Need.OPERATOR, call -> pause(call, false)));
    }

    private Answer list(Call call) {
        ArrayNode queues = JsonText.array();
        for (Queues.Status queue : reading.queues().list()) {
            queues.add(JsonText.object()
                    .put("name", queue.name())
                    .put("depth", queue.depth())
                    .put("scheduled", queue.scheduled())
                    .put("running", queue.running())
                    .put("oldest_at", Callers.text(queue.oldestAt()))
                    .put("throughput", queue.throughput())
                    .put("dead_letters", queue.deadLetters())
                    .put("paused", queue.paused())
                    .put("running_limit", queue.runningLimit())
                    .put("key_limit", queue.keyLimit())
                    .put("rate", queue.rate()));
        }
        return Answer.ok(JsonText.object().set("queues", queues));
    }

    private Answer pause(Call call, boolean paused) {
        call.fields();
        String queue = call.place("queue");
        refuseUnknown(queue);
        if (paused) {
            postrider.queues().pause(queue);
        } else {
            postrider.queues().resume(queue);
        }
        return Answer.ok(JsonText.object().put("name", queue).put("paused", paused));
    }

    /** To pause one that is not there would make it, and leave the one that was meant running. */
    private void refuseUnknown(String queue) {
        List<String> known =
                postrider.queues().list().stream().map(Queues.Status::name).toList();
        if (!known.contains(queue)) {
            throw Problem.of(
                    404, "no queue " + Fields.shown(queue) + Nearest.hint(queue, known), "GET /v1/queues lists them.");
        }
    }
}
