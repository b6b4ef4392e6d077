package io.postrider.admin;

import io.postrider.Schedule;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sets, lists, pauses and removes schedules. Thread-safe. */
public interface Schedules {
    /** Creates or changes a schedule. A schedule that has not changed keeps its next tick. */
    void set(Schedule schedule);

    /** Every schedule that this machine can read. A schedule in an unknown time zone is omitted, with a warning in the log. */
    List<Status> list();

    /** Removes a schedule. Jobs that it has created remain. */
    void remove(String name);

    /** Pauses or resumes a schedule. All ticks missed during a pause result in one job. */
    void pause(String name, boolean paused);

    /**
     * The status of a schedule.
     *
     * @param nextAt its next tick
     * @param lastAt its last tick; null if it has not ticked yet
     * @param lastJob the id of the job that its last tick created
     */
    record Status(
            Schedule schedule,
            boolean paused,
            Instant nextAt,
            @Nullable Instant lastAt,
            @Nullable String lastJob) {}
}
