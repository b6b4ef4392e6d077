package io.postrider.server.openapi;

import static io.postrider.server.openapi.Schema.flag;
import static io.postrider.server.openapi.Schema.integer;
import static io.postrider.server.openapi.Schema.list;
import static io.postrider.server.openapi.Schema.object;
import static io.postrider.server.openapi.Schema.text;
import static io.postrider.server.openapi.Schema.time;

/** Dead letters, and the choice of those to replay or discard. */
public final class DeadLetterSchemas {
    public static final Schema DEAD_LETTER = object("DeadLetter")
            .has("id", integer())
            .has("listener", text())
            .has("attempts", integer())
            .has("last_error_code", text().orNull())
            .has("error", text())
            .has("died_at", time())
            .mayHave(
                    "stack",
                    text().described(
                                    "The stack trace of the last failure, at most 8 KB. Only for tokens with reach all."))
            .has("event", EventSchemas.EVENT);

    public static final Schema DEAD_LETTERS = object("DeadLetters")
            .has("dead_letters", list(DEAD_LETTER))
            .mayHave(
                    "after",
                    integer()
                            .described(
                                    "Pass it as after to get the next page; missing on the last page. A page has at most 8"
                                            + " MiB of payloads."));

    public static final Schema DEAD_LETTER_CHOICE = object("DeadLetterChoice")
            .mayHave("ids", list(integer()).with("maxItems", 10_000))
            .mayHave("listener", text())
            .mayHave("topic", text())
            .mayHave("type", text())
            .mayHave("key", text())
            .mayHave("error", text().described("Only dead letters whose error contains this text."))
            .mayHave("all", flag().described("Required if neither ids nor a filter is given."))
            .mayHave("dry_run", flag())
            .example("""
                    {"listener": "mail", "error": "timed out", "dry_run": true}""");

    public static final Schema REPLAYED = object("Replayed")
            .has("matched", integer())
            .has("replayed", integer())
            .has("dry_run", flag())
            .has("more", flag().described("More than 100,000 matched: repeat the request."));

    public static final Schema DISCARDED = object("Discarded")
            .has("matched", integer())
            .has("discarded", integer())
            .has("dry_run", flag())
            .has("more", flag().described("More than 100,000 matched: repeat the request."));

    private DeadLetterSchemas() {}
}
