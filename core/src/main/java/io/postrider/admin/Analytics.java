package io.postrider.admin;

import io.postrider.Reach;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts events of the {@link EventLog} within a reach. A query that takes longer than 30 s fails. Thread-safe. */
public interface Analytics {
    /**
     * Counts the events created in each bucket of time and group, ordered by time, then by name. Buckets without events are
     * omitted, because with groups there would be more zeros than counts. At most 10,000 counts; more are refused.
     */
    List<Count> counts(Reach reach, CountQuery query);

    /** Counts the events of each group in the whole time range, the largest group first. At most 1,000 groups. */
    List<Total> totals(Reach reach, CountQuery query);

    /**
     * How many events were created in one bucket of time.
     *
     * @param bucket the beginning of the bucket
     * @param name the type, project or user; null for events that have none, or without groups
     */
    record Count(Instant bucket, @Nullable String name, long events) {}

    /**
     * How many events a group has.
     *
     * @param name the type, project or user; null for events that have none, or without groups
     */
    record Total(@Nullable String name, long events) {}
}
