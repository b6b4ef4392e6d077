package io.postrider.admin;

import java.util.List;

/** Reads the figures that only the database knows, for metrics. Thread-safe. */
public interface Gauges {
    /** Reads all of them in one transaction. Fails if a statement takes longer than two seconds. */
    Reading read();

    /** The figures at one time. At most 200 listeners, queues and job types each; further job types are summed up as {@code other}. */
    record Reading(List<ListenerGauge> listeners, List<QueueGauge> queues, List<JobTypeGauge> jobTypes) {}

    /**
     * The figures of a listener.
     *
     * @param pending committed events that it has not finished, including events that have no position yet
     * @param ageSeconds the age of the oldest event that it has not finished
     */
    record ListenerGauge(String name, long pending, double ageSeconds, boolean detached, long deadLetters) {}

    /**
     * The figures of a queue.
     *
     * @param depth as in {@link Queues.Status}
     * @param running jobs that a worker has claimed
     * @param scheduled jobs that wait for a time
     */
    record QueueGauge(String name, long depth, long running, long scheduled, long deadLetters) {}

    /**
     * The figures of a job type.
     *
     * @param depth jobs that could run now; an estimate from a sample if there are many
     */
    record JobTypeGauge(String type, double depth) {}
}
