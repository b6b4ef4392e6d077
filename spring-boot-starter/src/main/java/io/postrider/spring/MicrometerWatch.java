package io.postrider.spring;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.postrider.ClaimedJob;
import io.postrider.LogEvent;
import io.postrider.admin.JobEnd;
import io.postrider.admin.Watch;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Meters of this node: our own names, which begin with {@code postrider_}, and the names that dashboards for outboxes and job
 * queues expect ({@code outbox_…}, {@code job_…}). Names are as Prometheus shows them, except for timers, to which it adds the
 * unit. Thread-safe.
 */
public final class MicrometerWatch implements Watch {
    /** Each value is a time series, or three: more than a person can read, few enough for a time-series database. */
    private static final int MOST_VALUES = 200;

    /** The kinds of notifications. */
    private static final List<String> NOTIFIED = List.of("event", "log", "steer");

    private static final Map<String, String> HELP = Map.ofEntries(
            Map.entry("outbox_publish_success_total", "Events that a listener of this node has finished"),
            Map.entry("outbox_publish_failed_total", "Attempts of a listener of this node that failed"),
            Map.entry("job_claimed_total", "Job attempts started by this worker"),
            Map.entry("job_completed_total", "Finished job attempts, by outcome"),
            Map.entry("job_notification_received_total", "Notifications that this node has received"),
            Map.entry("job_poll_scanned_total", "Jobs found by polling, without a notification"),
            Map.entry("postrider_job_looks_total", "Polls for due jobs"),
            Map.entry(
                    "postrider_sink_unavailable_total",
                    "Attempts of a relay of this node that found its sink unavailable"),
            Map.entry("postrider_dead_lettered_total", "Events that a listener of this node has made dead letters"),
            Map.entry("postrider_events_emitted_total", "Events that this node has written, committed or not"),
            Map.entry("postrider_events_sequenced_total", "Events that this node has given a position"),
            Map.entry("postrider_positions_passed_total", "Positions that a listener of this node has passed"));

    private final MeterRegistry registry;
    private final String node;
    private final Labels topics = new Labels(MOST_VALUES);
    private final Labels listeners = new Labels(MOST_VALUES);
    private final Labels types = new Labels(MOST_VALUES);
    private final Map<Key, Counter> counters = new ConcurrentHashMap<>();
    private final Map<Key, Timer> timers = new ConcurrentHashMap<>();
    private final Map<String, DistributionSummary> latencies = new ConcurrentHashMap<>();

    private record Key(String name, String one, String other) {}

    /** Counts in this registry, under this worker name. */
    public MicrometerWatch(MeterRegistry registry, String node) {
        this.registry = registry;
        this.node = node;
        // Registered at startup: a missing rate cannot be distinguished from a rate of zero.
        NOTIFIED.forEach(
                what -> count("job_notification_received_total", what, "", key -> Tags.of("channel", what), 0));
        jobsLookedFor("", 0);
    }

    @Override
    public void emitted(String topic, int events) {
        String label = topics.of(topic);
        count("postrider_events_emitted_total", label, "", key -> Tags.of("topic", label), events);
    }

    @Override
    public void sequenced(long events, Duration took) {
        count("postrider_events_sequenced_total", "", "", key -> Tags.empty(), events);
        time("postrider_pass", "", key -> Tags.empty(), took);
    }

    /** The counters count each event of a batch; its latency is recorded once. */
    @Override
    public void delivered(
            String listener, String topic, long fromPosition, long toPosition, int events, Duration took) {
        String label = listeners.of(listener);
        count("outbox_publish_success_total", label, "", key -> Tags.of("listener", label), events);
        count(
                "postrider_positions_passed_total",
                label,
                "",
                key -> Tags.of("listener", label),
                toPosition - fromPosition + 1);
        if (events > 0) {
            latencies.computeIfAbsent(label, this::latency).record(took.toNanos() / 1_000_000.0);
        }
    }

    private DistributionSummary latency(String listener) {
        return DistributionSummary.builder("outbox_publish_latency_ms")
                .description("Time in milliseconds from when a listener starts a batch until its cursor has passed it")
                .tag("listener", listener)
                .serviceLevelObjectives(1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000, 30_000)
                .register(registry);
    }

    @Override
    public void setBack(String listener, LogEvent event, int attempt, Duration wait, Throwable error) {
        String label = listeners.of(listener);
        count("outbox_publish_failed_total", label, "", key -> Tags.of("listener", label), 1);
    }

    /** The last attempt is also reported as a setback, and counted as one. */
    @Override
    public void deadLettered(String listener, LogEvent event, int attempts, String error) {
        String label = listeners.of(listener);
        count("postrider_dead_lettered_total", label, "", key -> Tags.of("listener", label), 1);
    }

    /** Counted as a failed publish, although no event is at fault and no attempt is used up. */
    @Override
    public void unavailable(String relay, int tries, Duration wait, Throwable error) {
        String label = listeners.of(relay);
        count("outbox_publish_failed_total", label, "", key -> Tags.of("listener", label), 1);
        count("postrider_sink_unavailable_total", label, "", key -> Tags.of("listener", label), 1);
    }

    @Override
    public void jobBegun(ClaimedJob job) {
        String type = types.of(job.type());
        count("job_claimed_total", type, "", key -> Tags.of("job_type", type, "worker_id", node), 1);
    }

    @Override
    public void jobEnded(ClaimedJob job, JobEnd end, Duration took) {
        String type = types.of(job.type());
        String status = end.name().toLowerCase(Locale.ROOT);
        count("job_completed_total", type, status, key -> Tags.of("job_type", type, "status", status), 1);
        time("job_processing", type, key -> Tags.of("job_type", type), took);
    }

    /** Counts the jobs that a poll found; a poll that found none still counts as a poll. */
    @Override
    public void jobsLookedFor(String queue, int claimed) {
        count("job_poll_scanned_total", "", "", key -> Tags.empty(), claimed);
        count("postrider_job_looks_total", "", "", key -> Tags.empty(), queue.isEmpty() ? 0 : 1);
    }

    @Override
    public void notified(String what) {
        count("job_notification_received_total", what, "", key -> Tags.of("channel", what), 1);
    }

    private void count(String name, String one, String other, Function<Key, Iterable<Tag>> tags, double by) {
        counters.computeIfAbsent(
                        new Key(name, one, other),
                        key -> Counter.builder(name)
                                .description(HELP.get(name))
                                .tags(tags.apply(key))
                                .register(registry))
                .increment(by);
    }

    private void time(String name, String one, Function<Key, Iterable<Tag>> tags, Duration took) {
        timers.computeIfAbsent(
                        new Key(name, one, ""),
                        key -> Timer.builder(name)
                                .tags(tags.apply(key))
                                .serviceLevelObjectives(
                                        Duration.ofMillis(1),
                                        Duration.ofMillis(10),
                                        Duration.ofMillis(100),
                                        Duration.ofSeconds(1),
                                        Duration.ofSeconds(10),
                                        Duration.ofMinutes(1))
                                .register(registry))
                .record(took.toNanos(), TimeUnit.NANOSECONDS);
    }
}
