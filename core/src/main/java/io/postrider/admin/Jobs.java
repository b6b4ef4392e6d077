package io.postrider.admin;

import io.postrider.Reach;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds, lists, cancels and retries jobs. Thread-safe. */
public interface Jobs {
    /**
     * The status of one job; empty if it does not exist or retention has removed it. A job without a position has position 0.
     * Producers may choose ids, so several jobs can have the same id. In that case this returns the oldest unfinished job,
     * otherwise the oldest dead job, otherwise the oldest job.
     */
    Optional<Status> find(UUID id);

    /** Like {@link #find(UUID)}, but only among the jobs in reach. A job outside the reach is treated as if it did not exist. */
    Optional<Status> find(Reach reach, UUID id);

    /** Why a job is waiting; empty if it is running, finished or unknown. If several have this id, see {@link #find(UUID)}. */
    Optional<WaitReason> waiting(UUID id);

    /** Why this job is waiting; empty if it is running or finished. */
    Optional<WaitReason> waiting(Status job);

    /**
     * Gives positions to committed events, as a running node does within milliseconds. A job without a position is not listed, so
     * call this to find a job that was just enqueued if no node may be running. Fails if another session holds the sequencing lock
     * for longer than two seconds.
     */
    void sequence();

    /**
     * The latest jobs of a queue.
     *
     * @param state only jobs in this state; null: in any
     * @param most the largest number of jobs
     */
    List<Status> list(String queue, @Nullable State state, int most);

    /** One page of the jobs in reach, of at most 8 MiB. */
    Page list(Reach reach, Wanted wanted);

    /**
     * The same with a smaller page.
     *
     * @param bytes the page ends when its payloads and results have this size; at most 8 MiB
     */
    Page list(Reach reach, Wanted wanted, long bytes);

    /** Cancels a job. If several have this id, the one that {@link #find(UUID)} returns. */
    Cancelled cancel(UUID id, String reason);

    /** Cancels this job, and no other with the same id. */
    Cancelled cancel(Status job, String reason);

    /**
     * Runs a job at once if it is dead or waits for its time; returns false if it is neither. If several have this id, the one
     * that {@link #find(UUID)} returns.
     */
    boolean retry(UUID id);

    /** Retries this job, and no other with the same id. */
    boolean retry(Status job);

    /**
     * The status of a job: a row of the view {@code jobs}.
     *
     * @param error one line
     * @param stack the stack trace of the last failure; null if there was none or the reader may not see it
     */
    record Status(
            UUID id,
            String queue,
            String type,
            String priority,
            State state,
            Instant runAt,
            int attempts,
            @Nullable String lockedBy,
            @Nullable Instant leaseExpiresAt,
            @Nullable String errorCode,
            @Nullable String error,
            Instant createdAt,
            @Nullable Instant claimedAt,
            @Nullable Instant finishedAt,
            @Nullable String key,
            @Nullable String projectId,
            @Nullable String userId,
            String payload,
            @Nullable String result,
            @Nullable Integer progress,
            @Nullable String progressNote,
            @Nullable String waitsFor,
            String topic,
            long position,
            @Nullable String stack) {}

    /** The state of a job. */
    enum State {
        /** It will run, now or at its time. */
        PENDING,
        /** A worker has claimed it. */
        IN_PROGRESS,
        /** It has finished. */
        DONE,
        /** It is a dead letter. */
        FAILED,
        /** It was cancelled before it finished. */
        CANCELLED
    }

    /** The outcome of a request to cancel a job. */
    enum Cancelled {
        /** It will not start. */
        CANCELLED,
        /** It is running: its worker interrupts it, and what a transactional handler wrote is rolled back. */
        ASKED,
        /** It had already finished. */
        FINISHED
    }

    /**
     * Which jobs of a queue to list, the latest first.
     *
     * @param state null: in any state
     * @param before null: from the latest on
     */
    record Wanted(
            String queue, @Nullable State state, @Nullable Cursor before, int most) {}

    /** A cursor over the jobs of a queue: in each lane, the jobs with smaller positions follow. */
    record Cursor(long high, long normal, long low) {}

    /**
     * Some jobs of a queue. A page scans 1,000 positions of each lane and, while it finds no job, continues for up to half a
     * second. So it may contain few jobs or none although others follow.
     *
     * @param next the cursor for the next page; null on the last page
     */
    record Page(List<Status> jobs, @Nullable Cursor next) {}
}
