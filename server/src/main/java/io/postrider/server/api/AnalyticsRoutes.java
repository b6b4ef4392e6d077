package io.postrider.server.api;

import io.postrider.Envelope;
import io.postrider.admin.Analytics.Count;
import io.postrider.admin.Analytics.Total;
import io.postrider.admin.CountQuery;
import io.postrider.admin.EventLog;
import io.postrider.server.openapi.AnalyticsSchemas;
import io.postrider.server.openapi.ErrorResponse;
import io.postrider.server.openapi.EventSchemas;
import io.postrider.server.openapi.Operation;
import io.postrider.server.openapi.Parameter;
import io.postrider.server.openapi.Schema;
import io.postrider.support.Suggestion;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Counts over the read model, and the last event of an entity; within the caller's reach. */
final class AnalyticsRoutes {
    private static final Parameter[] COUNTED = {
        Parameter.query("from", "Start of the range (inclusive). Default: seven days before the end.", Schema.time()),
        Parameter.query("to", "End of the range (exclusive). Default: now.", Schema.time()),
        Parameter.query(
                "by",
                "Group the counts by this.",
                Schema.choice("nothing", "type", "project", "user").with("default", "nothing")),
        Parameter.query("topic", "Only events of this topic.")
    };

    private static final Parameter BUCKET = Parameter.query(
            "bucket",
            "Length of a time bucket.",
            Schema.choice("minute", "hour", "day").with("default", "day"));

    private final EventLog eventLog;

    AnalyticsRoutes(Reading reading) {
        this.eventLog = reading.postrider().eventLog();
    }

    List<Route> routes() {
        return List.of(
                Route.get("/v1/analytics/counts", Need.ANYONE, this::counts)
                        .described(Operation.of(
                                        "analytics", "count", "Count the events created per time bucket and group.")
                                .takes(COUNTED)
                                .takes(EventRoutes.SELECTION)
                                .takes(BUCKET)
                                .answers(AnalyticsSchemas.COUNTS)),
                Route.get("/v1/analytics/totals", Need.ANYONE, this::totals)
                        .described(Operation.of(
                                        "analytics",
                                        "total",
                                        "Count the events created per group, largest group first.")
                                .takes(COUNTED)
                                .takes(EventRoutes.SELECTION)
                                .answers(AnalyticsSchemas.TOTALS)),
                Route.get("/v1/analytics/latest", Need.ANYONE, this::latest)
                        .described(
                                Operation.of("analytics", "latest", "Get the latest event of one aggregate in a topic.")
                                        .takes(
                                                Parameter.required("topic", "Topic name."),
                                                Parameter.required("aggregate_type", "Aggregate type."),
                                                Parameter.required("aggregate_id", "Aggregate id."))
                                        .answers(EventSchemas.EVENT)
                                        .fails(ErrorResponse.NOT_FOUND)));
    }

    private Answer counts(Call call) {
        ArrayNode array = JsonText.array();
        for (Count count : eventLog.analytics().counts(Callers.reach(call.who()), counting(call))) {
            array.add(JsonText.object()
                    .put("time", count.bucket().toString())
                    .put("name", count.name())
                    .put("events", count.events()));
        }
        refuseUnrecorded(call, array);
        return Answer.ok(JsonText.object().set("counts", array));
    }

    private Answer totals(Call call) {
        ArrayNode array = JsonText.array();
        for (Total total : eventLog.analytics().totals(Callers.reach(call.who()), counting(call))) {
            ObjectNode one = JsonText.object().put("name", total.name());
            array.add(one.put("events", total.events()));
        }
        refuseUnrecorded(call, array);
        return Answer.ok(JsonText.object().set("totals", array));
    }

    private void refuseUnrecorded(Call call, ArrayNode answer) {
        String topic = call.text("topic");
        if (topic != null && answer.isEmpty()) {
            EventRoutes.refuseUnrecorded(eventLog, topic);
        }
    }

    /** Default: the last seven days, by day. */
    private static CountQuery counting(Call call) {
        Instant to = call.time("to") == null ? Instant.now() : call.time("to");
        Instant from = call.time("from") == null ? to.minus(Duration.ofDays(7)) : call.time("from");
        return CountQuery.between(from, to)
                .withBucket(choice(call, "bucket", CountQuery.Bucket.DAY))
                .withBy(choice(call, "by", CountQuery.By.NOTHING))
                .withSelection(EventRoutes.selection(call).withTopic(call.text("topic")));
    }

    private static <E extends Enum<E>> E choice(Call call, String name, E otherwise) {
        String text = call.text(name);
        if (text == null) {
            return otherwise;
        }
        List<E> all = Arrays.asList(otherwise.getDeclaringClass().getEnumConstants());
        List<String> names =
                all.stream().map(one -> one.name().toLowerCase(Locale.ROOT)).toList();
        int index = names.indexOf(text.toLowerCase(Locale.ROOT));
        if (index < 0) {
            throw Problem.badRequest("parameter " + name + " must be one of " + names + Suggestion.hint(text, names));
        }
        return all.get(index);
    }

    private Answer latest(Call call) {
        String type = call.needed("aggregate_type");
        String id = call.needed("aggregate_id");
        String topic = call.needed("topic");
        return eventLog.latest(Callers.reach(call.who()), topic, type, id)
                .map(event -> Answer.text(Envelope.json(event)))
                .orElseThrow(() -> {
                    EventRoutes.refuseUnrecorded(eventLog, topic);
                    return Problem.notFound("an event of " + Fields.shown(type) + " " + Fields.shown(id));
                });
    }
}
