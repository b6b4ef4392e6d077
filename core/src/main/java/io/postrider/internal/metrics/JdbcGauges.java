package io.postrider.internal.metrics;

import io.postrider.admin.Gauges;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;

/** Reads the figures of listeners, queues and job types. Thread-safe. */
public final class JdbcGauges implements Gauges {
    private static final Sql LISTENERS = Sql.file("metrics/listeners");
    private static final Sql QUEUES = Sql.file("metrics/queues");
    private static final Sql JOB_TYPES = Sql.file("metrics/job_types");

    private static final int MOST_ROWS = 200;

    /** Positions of each lane that are read to estimate how many jobs of each type wait in it. */
    private static final int SAMPLE = 2_000;

    private final Database database;

    public JdbcGauges(Database database) {
        this.database = database;
    }

    @Override
    public Reading read() {
        return database.transaction(session -> {
            session.script("metrics_timeout", "set local statement_timeout = '2s'");
            return new Reading(
                    session.query(
                            LISTENERS,
                            bind -> bind.int4("most", MOST_ROWS),
                            row -> new ListenerGauge(
                                    row.text("name"),
                                    row.int8("pending"),
                                    Double.parseDouble(row.text("age")),
                                    row.bool("detached"),
                                    row.int8("dead_letters"))),
                    session.query(
                            QUEUES,
                            bind -> bind.int4("most", MOST_ROWS),
                            row -> new QueueGauge(
                                    row.text("name"),
                                    row.int8("depth"),
                                    row.int8("running"),
                                    row.int8("scheduled"),
                                    row.int8("dead_letters"))),
                    session.query(
                            JOB_TYPES,
                            bind -> bind.int4("most", MOST_ROWS).int4("sample", SAMPLE),
                            row -> new JobTypeGauge(row.text("type"), Double.parseDouble(row.text("depth")))));
        });
    }
}
