package io.postrider.admin;

import io.postrider.PostriderException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists, pauses, drains and limits queues, and sets their leases. Thread-safe. */
public interface Queues {
    /** Every queue in the database. */
    List<Status> list();

    /** Whether a queue exists: something was enqueued, a worker has worked on it, or it was paused or limited. */
    boolean exists(String queue);

    /** Pauses a queue: no node starts any of its jobs until it is resumed. Running jobs continue. */
    void pause(String queue);

    /** Resumes a paused queue. */
    void resume(String queue);

    /** Pauses a queue and waits until none of its jobs is running. False if that takes longer than {@code most}. */
    boolean drain(String queue, Duration most) throws InterruptedException;

    /** Sets the limits of a queue, replacing earlier ones. */
    void limit(String queue, Limits limits);

    /**
     * Sets how long a silent worker keeps its jobs of a queue: a worker whose process is stopped or cannot reach the database. Then
     * another node takes them over. A worker that is alive keeps its jobs however long they take, and the jobs of a process that
     * has ended are taken over at once. A node that works on several queues with a lease has the shortest of them.
     *
     * @param lease 3 s..1 h; null: the default, 10 s. Behind a pooler without a direct connection a lease is at least 12 s
     */
    void lease(String queue, @Nullable Duration lease);

    /**
     * The status of a queue: a row of the view {@code queues}.
     *
     * @param depth an estimate of the jobs that could run now: the delayed jobs that are due, plus all jobs that were never
     *     claimed, including those without a position. It is too high if a job that was never claimed is scheduled for later,
     *     because only a claim reads the job's time
     * @param scheduled jobs that wait for a time
     * @param running jobs that a worker has claimed
     * @param oldestAt when the oldest job that can run now was enqueued
     * @param throughput jobs started per second, averaged over the last minute
     * @param runningLimit null: none
     * @param keyLimit null: none
     * @param rate null: none
     * @param lease how long a silent worker keeps its jobs; null: the default
     */
    record Status(
            String name,
            long depth,
            long scheduled,
            long running,
            @Nullable Instant oldestAt,
            double throughput,
            long deadLetters,
            boolean paused,
            @Nullable Long runningLimit,
            @Nullable Long keyLimit,
            @Nullable Long rate,
            @Nullable Duration lease) {}

    /**
     * The limits of a queue, over all nodes together. Immutable; null means no limit.
     *
     * @param running jobs at the same time
     * @param perKey jobs of one key at the same time; 1 runs them one after the other
     * @param rate jobs started in any {@code period}
     */
    record Limits(
            @Nullable Integer running,
            @Nullable Integer perKey,
            @Nullable Integer rate,
            @Nullable Duration period) {
        /** Refuses values below 1, a rate without a period or a period without a rate, and a period outside 1 ms..366 days. */
        public Limits {
            refuse("running limit", running);
            refuse("limit per key", perKey);
            refuse("rate", rate);
            if ((rate == null) != (period == null)) {
                throw PostriderException.refused("a rate needs a period, and a period needs a rate");
            }
            if (period != null && (period.toMillis() < 1 || period.toDays() > 366)) {
                throw PostriderException.refused("rate period must be 1ms..366d, was "
                        + (period.toMillis() < 1 ? period.toMillis() + "ms" : period.toDays() + "d"));
            }
        }

        private static void refuse(String what, @Nullable Integer value) {
            if (value != null && value < 1) {
                throw PostriderException.refused(what + " must be 1.." + Integer.MAX_VALUE + ", was " + value);
            }
        }

        /** No limits other than the slots of the workers. */
        public static Limits none() {
            return new Limits(null, null, null, null);
        }

        /** At most this many jobs at the same time. */
        public Limits withRunning(int most) {
            return new Limits(most, perKey, rate, period);
        }

        /** At most this many jobs of one key at the same time. */
        public Limits withPerKey(int most) {
            return new Limits(running, most, rate, period);
        }

        /** At most this many jobs started in any period. */
        public Limits withRate(int most, Duration in) {
            return new Limits(running, perKey, most, in);
        }
    }
}
