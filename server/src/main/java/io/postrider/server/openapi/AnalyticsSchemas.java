package io.postrider.server.openapi;

import static io.postrider.server.openapi.Schema.integer;
import static io.postrider.server.openapi.Schema.list;
import static io.postrider.server.openapi.Schema.object;
import static io.postrider.server.openapi.Schema.text;
import static io.postrider.server.openapi.Schema.time;

/** Counts over the read model. */
public final class AnalyticsSchemas {
    public static final Schema COUNTS = object("Counts")
            .has(
                    "counts",
                    list(object().has("time", time().described("Start of the time bucket."))
                            .has("name", text().orNull())
                            .has("events", integer())))
            .example("""
                    {"counts": [{"time": "2026-05-01T00:00:00Z", "name": "order.placed", "events": 7}]}""");

    public static final Schema TOTALS = object("Totals")
            .has("totals", list(object().has("name", text().orNull()).has("events", integer())));

    private AnalyticsSchemas() {}
}
