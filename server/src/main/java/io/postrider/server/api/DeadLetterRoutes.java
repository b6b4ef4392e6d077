package io.postrider.server.api;

import io.postrider.Envelope;
import io.postrider.Postrider;
import io.postrider.Reach;
import io.postrider.listen.DeadLetter;
import io.postrider.listen.DeadLetters;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What failed for good: looked at within reach, given back or forgotten by an operator. */
final class DeadLetterRoutes {
    private static final int PAGE = 1_000;
    private static final int MOST_AT_ONCE = 100_000;
    private static final String[] CHOICE = {"ids", "listener", "topic", "type", "key", "error", "all", "dry_run"};

    private final Postrider postrider;
    private final Reading reading;

    DeadLetterRoutes(Postrider postrider, Reading reading) {
        this.postrider = postrider;
        this.reading = reading;
    }

    List<Route> routes() {
        return List.of(
                Route.get(
                        "/v1/dead-letters",
                        Need.PROJECT,
                        this::list,
                        "listener",
                        "topic",
                        "type",
                        "key",
                        "error",
                        "after",
                        "limit"),
                Route.get("/v1/dead-letters/{id}", Need.PROJECT, this::show),
                Route.post("/v1/dead-letters/replay", Need.OPERATOR, call -> act(call, "replayed")),
                Route.post("/v1/dead-letters/discard", Need.OPERATOR, call -> act(call, "discarded")));
    }

    private Answer list(Call call) {
        DeadLetters.Filter filter = new DeadLetters.Filter(
                null,
                call.text("listener"),
                call.text("topic"),
                call.text("type"),
                call.text("key"),
                call.text("error"));
        DeadLetters.Page page = reading.deadLetters()
                .find(Callers.reach(call.who()), filter, call.number("after", 0, 0, Long.MAX_VALUE), call.limit());
        ArrayNode array = JsonText.array();
        page.letters().forEach(letter -> array.add(json(letter)));
        ObjectNode answer = JsonText.object();
        answer.set("dead_letters", array);
        if (page.more()) {
            answer.put("after", page.letters().get(page.letters().size() - 1).id());
        }
        return Answer.ok(answer);
    }

    private Answer show(Call call) {
        String text = call.place("id");
        if (!text.matches("[0-9]{1,18}")) {
            throw Problem.badRequest("the id in the address must be a number");
        }
        return reading
                .deadLetters()
                .find(Callers.reach(call.who()), DeadLetters.Filter.one(Long.parseLong(text)), 0, 1)
                .letters()
                .stream()
                .findFirst()
                .map(letter -> Answer.ok(json(letter)))
                .orElseThrow(() -> Problem.notFound("dead letter " + text));
    }

    /** Those of the ids, or all that match: asked for one by one, or by an explicit {@code all}. */
    private Answer act(Call call, String verb) {
        Fields fields = call.fields(CHOICE);
        List<Long> ids = chosen(fields);
        boolean dry = fields.flag("dry_run");
        int done = 0;
        for (int from = 0; !dry && from < ids.size(); from += PAGE) {
            List<Long> some = ids.subList(from, Math.min(from + PAGE, ids.size()));
            done += verb.equals("replayed")
                    ? postrider.deadLetters().replay(some)
                    : postrider.deadLetters().discard(some);
        }
        return Answer.ok(JsonText.object()
                .put("matched", ids.size())
                .put(verb, done)
                .put("dry_run", dry)
                .put("more", ids.size() >= MOST_AT_ONCE));
    }

    private List<Long> chosen(Fields fields) {
        if (fields.has("ids")) {
            return fields.numbers("ids", 10_000);
        }
        DeadLetters.Filter filter = new DeadLetters.Filter(
                null,
                fields.textOrNull("listener"),
                fields.textOrNull("topic"),
                fields.textOrNull("type"),
                fields.textOrNull("key"),
                fields.textOrNull("error"));
        if (filter.equals(DeadLetters.Filter.all()) && !fields.flag("all")) {
            throw Problem.badRequest(
                    "the body must choose: ids, or a filter (listener, topic, type, key, error), or all");
        }
        List<Long> ids = new ArrayList<>();
        DeadLetters.Page page;
        do {
            long after = ids.isEmpty() ? 0 : ids.get(ids.size() - 1);
            page = postrider.deadLetters().find(Reach.all(), filter, after, PAGE);
            page.letters().forEach(letter -> ids.add(letter.id()));
        } while (page.more() && ids.size() < MOST_AT_ONCE);
        return ids;
    }

    private static ObjectNode json(DeadLetter letter) {
        ObjectNode json = JsonText.object()
                .put("id", letter.id())
                .put("listener", letter.listener())
                .put("attempts", letter.attempts())
                .put("error", letter.error())
                .put("died_at", letter.diedAt().toString());
        if (letter.stack() != null) { // the view only returns it with reach 'all'
            json.put("stack", letter.stack());
        }
        json.putRawValue("event", JsonText.raw(Envelope.json(letter.event())));
        return json;
    }
}
