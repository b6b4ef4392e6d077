package io.postrider.server.openapi;

import static io.postrider.server.openapi.Schema.choice;
import static io.postrider.server.openapi.Schema.flag;
import static io.postrider.server.openapi.Schema.integer;
import static io.postrider.server.openapi.Schema.list;
import static io.postrider.server.openapi.Schema.object;
import static io.postrider.server.openapi.Schema.text;
import static io.postrider.server.openapi.Schema.time;

/** Listeners, and how to move them. */
public final class ListenerSchemas {
    public static final Schema LISTENER = object("Listener")
            .has("name", text())
            .has("topic", text())
            .has("kind", choice("transactional", "relay"))
            .has("policy", choice("block", "park", "skip"))
            .has("position", integer())
            .has("head", integer())
            .has("lag", integer())
            .has("last_progress_at", time().orNull())
            .has("attempts", integer())
            .has("retry_after", time().orNull())
            .has("last_error", text().orNull())
            .has("setbacks", integer())
            .has("dead_letters", integer())
            .has("paused", flag())
            .has("detached_at", time().orNull())
            .has("owner", text().orNull())
            .has("mode", choice("live", "shadow"))
            .has("shadow_from", integer().orNull())
            .has("live_from", integer().orNull());

    public static final Schema LISTENERS = object("Listeners").has("listeners", list(LISTENER));

    public static final Schema RESET = object("Reset")
            .described("Exactly one of to, position and time.")
            .mayHave("to", choice("beginning", "end"))
            .mayHave("position", integer().with("minimum", 1).described("The first position to handle."))
            .mayHave("time", time())
            .mayHave("dry_run", flag())
            .example("""
                    {"position": 42, "dry_run": true}""");

    public static final Schema WAS_RESET = object("WasReset")
            .has("name", text())
            .has("before", integer().described("The last handled position before the reset."))
            .has(
                    "position",
                    integer().described("The last handled position after the reset; with dry_run, as it would be."))
            .has("dry_run", flag())
            .example("""
                    {"name": "mail", "before": 100, "position": 41, "dry_run": true}""");

    private ListenerSchemas() {}
}
