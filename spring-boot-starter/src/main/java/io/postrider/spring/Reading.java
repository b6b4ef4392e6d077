package io.postrider.spring;

import io.postrider.db.Database;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What was read of the database at one time: for each meter, a value for each label. Immutable once it is read. */
final class Reading {
    private static final Sql LISTENERS = Sql.file("metrics/listeners");
    private static final Sql QUEUES = Sql.file("metrics/queues");
    private static final Sql JOB_TYPES = Sql.file("metrics/job_types");

    private static final int MOST_ROWS = 200;
    private static final int SAMPLE = 2_000;

    static final Reading NOTHING = new Reading();

    private final Map<String, Map<String, Double>> values = new HashMap<>();

    /** One gauge: its name, the label that its rows have, and what it tells. */
    record Meter(String name, String label, String description) {}

    static final List<Meter> METERS = List.of(
            new Meter("outbox_pending_count", "listener", "Positions that a listener has not finished"),
            new Meter("outbox_oldest_pending_age_seconds", "listener", "Age of the oldest event it has not finished"),
            new Meter("postrider_listener_detached", "listener", "1 if retention has detached the listener, else 0"),
            new Meter("postrider_dead_letters", "listener", "Events that the listener gave up"),
            new Meter("job_queue_depth", "job_type", "Jobs that could run now"),
            new Meter("postrider_queue_depth", "queue", "Jobs that could run now"),
            new Meter("postrider_queue_running", "queue", "Jobs that a worker has"),
            new Meter("postrider_queue_scheduled", "queue", "Jobs that wait for a time"),
            new Meter("postrider_queue_dead_letters", "queue", "Jobs that were given up"));

    private Reading() {}

    /** In one transaction that ends by itself after two seconds. */
    static Reading of(Database database) {
        return database.transaction(session -> {
            session.script("metrics_timeout", "set local statement_timeout = '2s'");
            Reading reading = new Reading();
            reading.readListeners(session);
            reading.readQueues(session);
            reading.readJobTypes(session);
            return reading;
        });
    }

    Map<String, Double> values(String meter) {
        return values.getOrDefault(meter, Map.of());
    }

    private void readListeners(Session session) {
        session.query(LISTENERS, bind -> bind.int4("most", MOST_ROWS), row -> {
            String listener = row.text("name");
            put("outbox_pending_count", listener, row.int8("pending"));
            put("outbox_oldest_pending_age_seconds", listener, Double.parseDouble(row.text("age")));
            put("postrider_listener_detached", listener, row.bool("detached") ? 1 : 0);
            put("postrider_dead_letters", listener, row.int8("dead_letters"));
            return true;
        });
    }

    private void readQueues(Session session) {
        session.query(QUEUES, bind -> bind.int4("most", MOST_ROWS), row -> {
            String queue = row.text("name");
            put("postrider_queue_depth", queue, row.int8("depth"));
            put("postrider_queue_running", queue, row.int8("running"));
            put("postrider_queue_scheduled", queue, row.int8("scheduled"));
            put("postrider_queue_dead_letters", queue, row.int8("dead_letters"));
            return true;
        });
    }

    private void readJobTypes(Session session) {
        session.query(JOB_TYPES, bind -> bind.int4("most", MOST_ROWS).int4("sample", SAMPLE), row -> {
            put("job_queue_depth", row.text("type"), Double.parseDouble(row.text("depth")));
            return true;
        });
    }

    private void put(String meter, String label, double value) {
        values.computeIfAbsent(meter, key -> new TreeMap<>()).put(label, value);
    }
}
