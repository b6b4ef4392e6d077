package io.postrider.server.openapi;

import static io.postrider.server.openapi.Schema.choice;
import static io.postrider.server.openapi.Schema.flag;
import static io.postrider.server.openapi.Schema.integer;
import static io.postrider.server.openapi.Schema.list;
import static io.postrider.server.openapi.Schema.object;
import static io.postrider.server.openapi.Schema.text;
import static io.postrider.server.openapi.Schema.time;

/** Relays, and the test of a sink. */
public final class RelaySchemas {
    public static final Schema RELAY = object("Relay")
            .has("name", text())
            .has("topic", text())
            .has("sink", text())
            .has("state", text())
            .has("position", integer())
            .has("head", integer())
            .has("lag", integer())
            .has("last_progress_at", time().orNull())
            .has("unavailable_since", time().orNull())
            .has("attempts", integer())
            .has("retry_after", time().orNull())
            .has("last_error", text().orNull())
            .has("setbacks", integer())
            .has("dead_letters", integer())
            .has("paused", flag())
            .has("owner", text().orNull())
            .has("tested_at", time().orNull())
            .has("test_found", text().orNull())
            .has("test_error", text().orNull())
            .has("mode", choice("live", "shadow"))
            .has("shadow_from", integer().orNull())
            .has("live_from", integer().orNull());

    public static final Schema RELAYS = object("Relays").has("relays", list(RELAY));

    public static final Schema TESTED = object("Tested")
            .has("name", text())
            .has("ok", flag())
            .has("found", text().orNull())
            .has("error", text().orNull())
            .has("at", time());

    private RelaySchemas() {}
}
