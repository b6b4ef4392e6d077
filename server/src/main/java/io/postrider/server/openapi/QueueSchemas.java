package io.postrider.server.openapi;

import static io.postrider.server.openapi.Schema.flag;
import static io.postrider.server.openapi.Schema.integer;
import static io.postrider.server.openapi.Schema.list;
import static io.postrider.server.openapi.Schema.number;
import static io.postrider.server.openapi.Schema.object;
import static io.postrider.server.openapi.Schema.text;
import static io.postrider.server.openapi.Schema.time;

/** Queues. */
public final class QueueSchemas {
    private static final Schema LEASE_TIME = text().orNull()
            .described("How long a silent worker keeps its jobs: PT3S to PT1H; null: the default, 10 seconds.")
            .example("\"PT30S\"");

    public static final Schema QUEUE = object("Queue")
            .has("name", text())
            .has("depth", integer().described("Jobs that are ready to run."))
            .has("scheduled", integer())
            .has("running", integer())
            .has("oldest_at", time().orNull())
            .has("throughput", number().described("Jobs started per second, averaged over the last minute."))
            .has("dead_letters", integer())
            .has("paused", flag())
            .has("running_limit", integer().orNull())
            .has("key_limit", integer().orNull())
            .has("rate", integer().orNull())
            .has("lease", LEASE_TIME);

    public static final Schema QUEUES = object("Queues").has("queues", list(QUEUE));

    public static final Schema LEASE = object("Lease").has("lease", LEASE_TIME);

    public static final Schema LEASED = object("QueueLease").has("name", text()).has("lease", LEASE_TIME);

    private QueueSchemas() {}
}
