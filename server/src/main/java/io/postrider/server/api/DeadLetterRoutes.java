package io.postrider.server.api;

import io.postrider.Envelope;
import io.postrider.Reach;
import io.postrider.admin.DeadLetter;
import io.postrider.admin.DeadLetters;
import io.postrider.server.openapi.DeadLetterSchemas;
import io.postrider.server.openapi.ErrorResponse;
import io.postrider.server.openapi.Operation;
import io.postrider.server.openapi.Parameter;
import io.postrider.server.openapi.Schema;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Dead letters: listed within the caller's reach; replayed or discarded by an operator. */
final class DeadLetterRoutes {
    private static final int PAGE = 1_000;
    private static final int MOST_AT_ONCE = 100_000;
    private static final String[] CHOICE =
            DeadLetterSchemas.DEAD_LETTER_CHOICE.fields().toArray(String[]::new);

    private final DeadLetters deadLetters;
    private final Reading reading;

    DeadLetterRoutes(Changing changing, Reading reading) {
        this.deadLetters = changing.postrider().deadLetters();
        this.reading = reading;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/v1/dead-letters", Need.PROJECT, this::list)
                        .described(operation("listDeadLetters", "List dead letters, oldest first.")
                                .takes(
                                        Parameter.query("listener", "Only dead letters of this listener."),
                                        Parameter.query("topic", "Only dead letters of this topic."),
                                        Parameter.query("type", "Only dead letters of this type."),
                                        Parameter.query("key", "Only dead letters of this key."),
                                        Parameter.query("error", "Only dead letters whose error contains this text."),
                                        Parameter.query(
                                                "after",
                                                "Only dead letters after this id.",
                                                Schema.integer().with("minimum", 0)),
                                        Parameter.LIMIT)
                                .answers(DeadLetterSchemas.DEAD_LETTERS)),
                Route.get("/v1/dead-letters/{id}", Need.PROJECT, this::show)
                        .described(operation("showDeadLetter", "Get one dead letter.")
                                .takes(Parameter.path("id", "Dead letter id.", Schema.integer()))
                                .answers(DeadLetterSchemas.DEAD_LETTER)
                                .fails(ErrorResponse.NOT_FOUND)),
                Route.post("/v1/dead-letters/replay", Need.OPERATOR, call -> act(call, "replayed"))
                        .described(operation("replayDeadLetters", "Return dead letters to their listener or queue.")
                                .body(DeadLetterSchemas.DEAD_LETTER_CHOICE)
                                .answers(DeadLetterSchemas.REPLAYED)),
                Route.post("/v1/dead-letters/discard", Need.OPERATOR, call -> act(call, "discarded"))
                        .described(operation("discardDeadLetters", "Discard dead letters.")
                                .body(DeadLetterSchemas.DEAD_LETTER_CHOICE)
                                .answers(DeadLetterSchemas.DISCARDED)));
    }

    private static Operation operation(String id, String summary) {
        return Operation.of("dead letters", id, summary);
    }

    private Answer list(Call call) {
        DeadLetters.Filter filter = new DeadLetters.Filter(
                null,
                call.text("listener"),
                call.text("topic"),
                call.text("type"),
                call.text("key"),
                call.text("error"));
        DeadLetters.Page page = reading.postrider()
                .deadLetters()
                .find(
                        Callers.reach(call.who()),
                        filter,
                        call.number("after", 0, 0, Long.MAX_VALUE),
                        call.limit(),
                        call.pageBytes());
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
                .postrider()
                .deadLetters()
                .find(Callers.reach(call.who()), DeadLetters.Filter.one(Long.parseLong(text)), 0, 1)
                .letters()
                .stream()
                .findFirst()
                .map(letter -> Answer.ok(json(letter)))
                .orElseThrow(() -> Problem.notFound("dead letter " + text));
    }

    /** Acts on these ids, or on all dead letters that match. The request must list the ids or set {@code all} explicitly. */
    private Answer act(Call call, String verb) {
        Fields fields = call.fields(CHOICE);
        List<Long> ids = chosen(fields);
        boolean dry = fields.flag("dry_run");
        int done = 0;
        for (int from = 0; !dry && from < ids.size(); from += PAGE) {
            List<Long> some = ids.subList(from, Math.min(from + PAGE, ids.size()));
            done += verb.equals("replayed") ? deadLetters.replay(some) : deadLetters.discard(some);
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
            page = deadLetters.find(Reach.all(), filter, after, PAGE);
            page.letters().forEach(letter -> ids.add(letter.id()));
        } while (page.more() && ids.size() < MOST_AT_ONCE);
        return ids;
    }

    private static ObjectNode json(DeadLetter letter) {
        ObjectNode json = JsonText.object()
                .put("id", letter.id())
                .put("listener", letter.listener())
                .put("attempts", letter.attempts())
                .put("last_error_code", letter.errorCode())
                .put("error", letter.error())
                .put("died_at", letter.diedAt().toString());
        if (letter.stack() != null) { // the view only returns it with reach 'all'
            json.put("stack", letter.stack());
        }
        json.putRawValue("event", JsonText.raw(Envelope.json(letter.event())));
        return json;
    }
}
