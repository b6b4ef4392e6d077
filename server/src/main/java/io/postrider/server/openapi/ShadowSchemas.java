package io.postrider.server.openapi;

import static io.postrider.server.openapi.Schema.choice;
import static io.postrider.server.openapi.Schema.flag;
import static io.postrider.server.openapi.Schema.integer;
import static io.postrider.server.openapi.Schema.list;
import static io.postrider.server.openapi.Schema.object;
import static io.postrider.server.openapi.Schema.text;

/** Shadow mode: the switch, and the comparison with another publisher. */
public final class ShadowSchemas {
    public static final Schema IN_SHADOW = object("InShadow")
            .has("name", text())
            .has("mode", choice("shadow"))
            .has("shadow_from", integer().described("The first position that is recorded instead of sent."));

    public static final Schema GO_LIVE = object("GoLive")
            .mayHave(
                    "position",
                    integer()
                            .with("minimum", 1)
                            .described("The first position to send; by default the one after the last recorded one."))
            .example("""
                    {"position": 1042}""");

    public static final Schema IS_LIVE = object("IsLive")
            .has("name", text())
            .has("live_from", integer().described("The first position that is sent."));

    public static final Schema COMPARE = object("Compare")
            .described(
                    "With a listener, with the table in the settings of the relay, or with the destination of its sink.")
            .mayHave("with", choice("destination", "table", "listener"))
            .mayHave("listener", text().described("The other listener of the topic."))
            .mayHave(
                    "place",
                    text().described("Topic, stream or channel, if it is not the one that the relay sends to."))
            .mayHave("id_place", text().described("field:NAME or json:PATH."))
            .mayHave("payload_place", text().described("field:NAME, json:PATH or body."))
            .mayHave("listen_seconds", integer().with("minimum", 1).with("maximum", 60))
            .mayHave("most", integer().with("minimum", 1).with("maximum", 200000))
            .example("""
                    {"with": "destination", "place": "old-orders", "id_place": "json:event_id"}""");

    private static final Schema EXAMPLE = object("DifferenceExample")
            .has("position", integer().orNull())
            .has("id", text())
            .has("detail", text().orNull());

    private static final Schema DIFFERENCE =
            object("Difference").has("count", integer()).has("examples", list(EXAMPLE));

    public static final Schema COMPARISON = object("Comparison")
            .has("name", text())
            .has("publisher", text())
            .has("same", flag())
            .has("from", integer())
            .has("to", integer())
            .has("events", integer())
            .has("order_compared", flag())
            .has("payload_compared", flag())
            .has("missing", DIFFERENCE)
            .has("extra", DIFFERENCE)
            .has("reordered", DIFFERENCE)
            .has("different", DIFFERENCE)
            .has("repeated", DIFFERENCE)
            .has("pending", DIFFERENCE)
            .has("failed", DIFFERENCE);

    private ShadowSchemas() {}
}
