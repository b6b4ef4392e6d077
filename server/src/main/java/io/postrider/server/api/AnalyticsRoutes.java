package io.postrider.server.api;

import io.postrider.Envelope;
import io.postrider.cli.text.Nearest;
import io.postrider.history.Count;
import io.postrider.history.Counting;
import io.postrider.history.EventLog;
import io.postrider.history.Total;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Counts over the read model, and the last event of a thing; within the caller's reach. */
final class AnalyticsRoutes {
    private static final String[] COUNTED = {
        "from", "to", "bucket", "by", "topic", "type", "project_id", "user_id", "aggregate_type", "aggregate_id"
    };

    private final EventLog eventLog;

    AnalyticsRoutes(Reading reading) {
        this.eventLog = reading.eventLog();
    }

    List<Route> routes() {
        return List.of(
                Route.get("/v1/analytics/counts", Need.ANYONE, this::counts, COUNTED),
                Route.get(
                        "/v1/analytics/totals",
                        Need.ANYONE,
                        this::totals,
                        Arrays.stream(COUNTED)
                                .filter(name -> !name.equals("bucket"))
                                .toArray(String[]::new)),
                Route.get(
                        "/v1/analytics/latest", Need.ANYONE, this::latest, "topic", "aggregate_type", "aggregate_id"));
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

    /** The last seven days by the day, unless said otherwise. */
    private static Counting counting(Call call) {
        Instant to = call.time("to") == null ? Instant.now() : call.time("to");
        Instant from = call.time("from") == null ? to.minus(Duration.ofDays(7)) : call.time("from");
        return Counting.between(from, to)
                .withBucket(choice(call, "bucket", Counting.Bucket.DAY))
                .withBy(choice(call, "by", Counting.By.NOTHING))
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
            throw Problem.badRequest("parameter " + name + " must be one of " + names + Nearest.hint(text, names));
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
