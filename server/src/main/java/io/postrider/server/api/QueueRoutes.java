package io.postrider.server.api;

import io.postrider.admin.Queues;
import io.postrider.server.openapi.CommonSchemas;
import io.postrider.server.openapi.ErrorResponse;
import io.postrider.server.openapi.Operation;
import io.postrider.server.openapi.Parameter;
import io.postrider.server.openapi.QueueSchemas;
import io.postrider.support.Suggestion;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;

/** Queues: show, pause and resume them, and set their leases. */
final class QueueRoutes {
    private final Queues queues;
    private final Reading reading;

    QueueRoutes(Changing changing, Reading reading) {
        this.queues = changing.postrider().queues();
        this.reading = reading;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/v1/queues", Need.OPERATOR, this::list)
                        .described(Operation.of("queues", "listQueues", "List all queues.")
                                .answers(QueueSchemas.QUEUES)),
                Route.post("/v1/queues/{queue}/pause", Need.OPERATOR, call -> pause(call, true))
                        .described(pausing("pauseQueue", "Pause a queue: none of its jobs is started.")),
                Route.post("/v1/queues/{queue}/resume", Need.OPERATOR, call -> pause(call, false))
                        .described(pausing("resumeQueue", "Resume a paused queue.")),
                Route.post("/v1/queues/{queue}/lease", Need.OPERATOR, this::lease)
                        .described(Operation.of(
                                        "queues",
                                        "setQueueLease",
                                        "Set how long a silent worker keeps its jobs of a queue.")
                                .takes(Parameter.path("queue", "Queue name."))
                                .body(QueueSchemas.LEASE)
                                .answers(QueueSchemas.LEASED)
                                .fails(ErrorResponse.NOT_FOUND)));
    }

    private static Operation pausing(String id, String summary) {
        return Operation.of("queues", id, summary)
                .takes(Parameter.path("queue", "Queue name."))
                .body(CommonSchemas.NOTHING)
                .answers(CommonSchemas.PAUSED)
                .fails(ErrorResponse.NOT_FOUND);
    }

    private Answer list(Call call) {
        ArrayNode queues = JsonText.array();
        for (Queues.Status queue : reading.postrider().queues().list()) {
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
                    .put("rate", queue.rate())
                    .put("lease", text(queue.lease())));
        }
        return Answer.ok(JsonText.object().set("queues", queues));
    }

    private Answer pause(Call call, boolean paused) {
        call.fields();
        String queue = call.place("queue");
        refuseUnknown(queue);
        if (paused) {
            queues.pause(queue);
        } else {
            queues.resume(queue);
        }
        return Answer.ok(JsonText.object().put("name", queue).put("paused", paused));
    }

    private Answer lease(Call call) {
        String queue = call.place("queue");
        Fields fields = call.fields("lease");
        if (!fields.names("lease")) {
            throw fields.refused("lease", "must be given; null means the default");
        }
        Duration lease = fields.durationOrNull("lease");
        refuseUnknown(queue);
        queues.lease(queue, lease);
        return Answer.ok(JsonText.object().put("name", queue).put("lease", text(lease)));
    }

    private static @Nullable String text(@Nullable Duration lease) {
        return lease == null ? null : lease.toString();
    }

    /** Pausing an unknown queue would create it, and leave the intended one running. */
    private void refuseUnknown(String queue) {
        List<String> known = queues.list().stream().map(Queues.Status::name).toList();
        if (!known.contains(queue)) {
            throw Problem.of(
                    404,
                    "no queue " + Fields.shown(queue) + Suggestion.hint(queue, known),
                    "GET /v1/queues lists them.");
        }
    }
}
