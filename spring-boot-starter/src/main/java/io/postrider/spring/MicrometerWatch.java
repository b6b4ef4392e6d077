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
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Meters of this node: our own names, which begin with {@code postrider_}, and the names that dashboards for outboxes and job
 * queues expect ({@code outbox_…}, {@code job_…}). Names are as Prometheus shows them, except for timers, to which it adds the
 * unit. Thread-safe.
 */
public final class MicrometerWatch implements Watch {
    /** Each value is a time series, or three: more than a person can read, few enough for a time-series database. */
    private static final int MOST_VALUES = 200;

    /** What notifications say; other payloads never reach a watch. */
    private static final List<String> HINTS = List.of("event", "log", "steer");

    private static final Duration[] PROCESSING = {
        Duration.ofMillis(1),
        Duration.ofMillis(10),
        Duration.ofMillis(100),
        Duration.ofSeconds(1),
        Duration.ofSeconds(10),
        Duration.ofMinutes(1)
    };

    /** Finer than that of processing: a pickup usually takes a few milliseconds. */
    private static final Duration[] PICKUP = {
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        Duration.ofMinutes(5)
    };

    private static final Duration LONGEST = Duration.ofDays(365);

    private static final Map<String, String> HELP = Map.ofEntries(
            Map.entry("outbox_publish_success_total", "Events that a listener of this node has finished"),
            Map.entry("outbox_publish_failed_total", "Attempts of a listener of this node that failed"),
            Map.entry("job_claimed_total", "Job attempts started by this worker"),
            Map.entry("job_completed_total", "Finished job attempts, by outcome"),
            Map.entry("job_notification_received_total", "Notifications that this node has received"),
            Map.entry(
                    "postrider_notifications_received_total", "Notifications that this node has received, by content"),
            Map.entry(
                    "postrider_job_pickup",
                    "Time from the insert of a job to the start of its handler; only jobs that were never delayed"),
            Map.entry(
                    "postrider_listener_pickup",
                    "Time from the insert of an event until a listener starts to handle it"),
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
    private final String channel;
    private final Clock clock;
    private final Labels topics = new Labels(MOST_VALUES);
    private final Labels listeners = new Labels(MOST_VALUES);
    private final Labels types = new Labels(MOST_VALUES);
    private final Map<Key, Counter> counters = new ConcurrentHashMap<>();
    private final Map<Key, Timer> timers = new ConcurrentHashMap<>();
    private final Map<String, DistributionSummary> latencies = new ConcurrentHashMap<>();

    private record Key(String name, String one, String other) {}

    /**
     * Counts in this registry.
     *
     * @param node the name of this worker
     * @param channel the channel on which the node is notified: the name of its schema
     */
    public MicrometerWatch(MeterRegistry registry, String node, String channel) {
        this(registry, node, channel, Clock.systemUTC());
    }

    MicrometerWatch(MeterRegistry registry, String node, String channel, Clock clock) {
        this.registry = registry;
        this.node = node;
        this.channel = channel;
        this.clock = clock;
        // Registered at startup: a missing rate cannot be distinguished from a rate of zero.
        HINTS.forEach(hint -> notified(hint, 0));
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
        time("postrider_pass", "", key -> Tags.empty(), took, PROCESSING);
    }

    /** By the clocks of the database and of this node: if these differ, the times are wrong by as much. */
    @Override
    public void pickedUp(String listener, List<LogEvent> events) {
        String label = listeners.of(listener);
        Instant now = clock.instant();
        events.forEach(event -> time(
                "postrider_listener_pickup",
                label,
                key -> Tags.of("listener", label),
                Duration.between(event.createdAt(), now),
                PICKUP));
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
        String status = status(end);
        count("job_completed_total", type, status, key -> Tags.of("job_type", type, "status", status), 1);
        time("job_processing", type, key -> Tags.of("job_type", type), took, PROCESSING);
    }

    /** The words of dashboards for the three ends that they know; ours for the others. */
    private static String status(JobEnd end) {
        return switch (end) {
            case DONE -> "success";
            case RETRIED -> "failed";
            case DEAD -> "dead";
            default -> end.name().toLowerCase(Locale.ROOT);
        };
    }

    /** The same clocks as in {@link #pickedUp}. */
    @Override
    public void jobPickedUp(ClaimedJob job) {
        String type = types.of(job.type());
        time(
                "postrider_job_pickup",
                type,
                key -> Tags.of("job_type", type),
                Duration.between(job.createdAt(), clock.instant()),
                PICKUP);
    }

    /** Counts the jobs that a poll found; a poll that found none still counts as a poll. */
    @Override
    public void jobsLookedFor(String queue, int claimed) {
        count("job_poll_scanned_total", "", "", key -> Tags.empty(), claimed);
        count("postrider_job_looks_total", "", "", key -> Tags.empty(), queue.isEmpty() ? 0 : 1);
    }

    @Override
    public void notified(String what) {
        notified(what, 1);
    }

    private void notified(String hint, int times) {
        count("job_notification_received_total", channel, "", key -> Tags.of("channel", channel), times);
        count("postrider_notifications_received_total", hint, "", key -> Tags.of("hint", hint), times);
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

    private void time(String name, String one, Function<Key, Iterable<Tag>> tags, Duration took, Duration[] buckets) {
        timers.computeIfAbsent(
                        new Key(name, one, ""),
                        key -> Timer.builder(name)
                                .description(HELP.get(name))
                                .tags(tags.apply(key))
                                .serviceLevelObjectives(buckets)
                                .register(registry))
                .record(bounded(took));
    }

    /** A clock that is behind makes a time negative, and a date of the year 1 more nanoseconds than a long can hold. */
    private static Duration bounded(Duration took) {
        if (took.isNegative()) {
            return Duration.ZERO;
        }
        return took.compareTo(LONGEST) > 0 ? LONGEST : took;
    }
}
