package io.postrider.cli.demo;

import io.postrider.ClaimedJob;
import io.postrider.LogEvent;
import io.postrider.admin.Watch;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts the work of producers, listeners and workers. Thread-safe. */
final class DemoCounters implements Watch {
    private static final int FAILURES_SHOWN = 6;
    private static final int LATENCIES = 2_000;

    /** Transactions and their events, as the producers count them. */
    final LongAdder events = new LongAdder();

    final LongAdder committed = new LongAdder();
    final LongAdder rolledBack = new LongAdder();

    private final Map<UUID, Long> committing = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> retries = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> done = new ConcurrentHashMap<>();
    private final Deque<Failure> failures = new ArrayDeque<>();
    private final long[] latencies = new long[LATENCIES];
    private int measured;

    /** A failure of a listener or on a queue. */
    record Failure(LocalTime at, String who, long position, String what) {}

    /** These events are about to be committed: latency is measured from here to the ledger's handler. */
    void committing(List<UUID> ids) {
        long now = System.nanoTime();
        ids.forEach(id -> committing.put(id, now));
    }

    /** The ledger's handler has received the event. */
    void arrived(UUID id) {
        Long since = committing.remove(id);
        if (since != null) {
            synchronized (latencies) {
                latencies[measured++ % LATENCIES] = System.nanoTime() - since;
            }
        }
    }

    /** The latency of the last 2000 events. */
    Duration latency(double quantile) {
        long[] sorted;
        synchronized (latencies) {
            sorted = Arrays.copyOf(latencies, Math.min(measured, LATENCIES));
        }
        Arrays.sort(sorted);
        return sorted.length == 0
                ? Duration.ZERO
                : Duration.ofNanos(sorted[(int) Math.min(sorted.length - 1, (long) (sorted.length * quantile))]);
    }

    /** Retries of a listener, or of the jobs of a queue. */
    long retries(String who) {
        return retries.getOrDefault(who, new LongAdder()).sum();
    }

    /** The number of completed jobs of a queue. */
    long done(String queue) {
        return done.getOrDefault(queue, new LongAdder()).sum();
    }

    /** The latest failures, the newest first. */
    List<Failure> failures() {
        synchronized (failures) {
            return List.copyOf(failures);
        }
    }

    @Override
    public void setBack(String listener, LogEvent event, int attempt, Duration wait, Throwable error) {
        retried(listener, event.position(), attempt, error.getMessage());
    }

    @Override
    public void deadLettered(String listener, LogEvent event, int attempts, String error) {
        note(listener, event.position(), "dead letter after " + attempts + " attempts");
    }

    /** A handler is about to complete its job. */
    void hasDone(ClaimedJob job) {
        done.computeIfAbsent(job.queue(), name -> new LongAdder()).increment();
    }

    /** A handler is about to fail, and its job will be retried. */
    void hasFailed(ClaimedJob job, String excuse) {
        retried(job.queue(), job.position(), job.attempt(), excuse);
    }

    /** A handler is about to give up its job. */
    void hasGivenUp(ClaimedJob job, String why) {
        note(job.queue(), job.position(), "dead letter" + why);
    }

    private void retried(String who, long position, int attempt, @Nullable String error) {
        retries.computeIfAbsent(who, name -> new LongAdder()).increment();
        note(who, position, "attempt " + attempt + ": " + error);
    }

    private void note(String who, long position, String what) {
        synchronized (failures) {
            failures.addFirst(new Failure(LocalTime.now(ZoneId.systemDefault()), who, position, what));
            if (failures.size() > FAILURES_SHOWN) {
                failures.removeLast();
            }
        }
    }
}
