package io.postrider.spring;

import io.postrider.admin.Gauges;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The figures of the database at one time: for each meter, a value for each label. Immutable after construction. */
final class Reading {
    static final Reading NOTHING = new Reading();

    private final Map<String, Map<String, Double>> values = new HashMap<>();

    /** One gauge: its name, the label of its rows, and its description. */
    record Meter(String name, String label, String description) {}

    static final List<Meter> METERS = List.of(
            new Meter(
                    "outbox_pending_count",
                    "listener",
                    "Committed events that a listener has not finished, including events that have no position yet"),
            new Meter("outbox_oldest_pending_age_seconds", "listener", "Age of the oldest event it has not finished"),
            new Meter("postrider_listener_detached", "listener", "1 if retention has detached the listener, else 0"),
            new Meter("postrider_dead_letters", "listener", "Dead letters of the listener"),
            new Meter("job_queue_depth", "job_type", "Jobs that could run now"),
            new Meter("postrider_queue_depth", "queue", "Jobs that could run now"),
            new Meter("postrider_queue_running", "queue", "Jobs that a worker has claimed"),
            new Meter("postrider_queue_scheduled", "queue", "Jobs that are scheduled for later"),
            new Meter("postrider_queue_dead_letters", "queue", "Dead letters of the queue"));

    private Reading() {}

    static Reading of(Gauges.Reading figures) {
        Reading reading = new Reading();
        figures.listeners().forEach(reading::add);
        figures.queues().forEach(reading::add);
        figures.jobTypes().forEach(one -> reading.put("job_queue_depth", one.type(), one.depth()));
        return reading;
    }

    Map<String, Double> values(String meter) {
        return values.getOrDefault(meter, Map.of());
    }

    private void add(Gauges.ListenerGauge listener) {
        put("outbox_pending_count", listener.name(), listener.pending());
        put("outbox_oldest_pending_age_seconds", listener.name(), listener.ageSeconds());
        put("postrider_listener_detached", listener.name(), listener.detached() ? 1 : 0);
        put("postrider_dead_letters", listener.name(), listener.deadLetters());
    }

    private void add(Gauges.QueueGauge queue) {
        put("postrider_queue_depth", queue.name(), queue.depth());
        put("postrider_queue_running", queue.name(), queue.running());
        put("postrider_queue_scheduled", queue.name(), queue.scheduled());
        put("postrider_queue_dead_letters", queue.name(), queue.deadLetters());
    }

    private void put(String meter, String label, double value) {
        values.computeIfAbsent(meter, key -> new TreeMap<>()).put(label, value);
    }
}
