package io.postrider.work;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Reach;
import io.postrider.access.Scope;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Row;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import io.postrider.db.SqlState;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What an operator asks about jobs, and does with them. Safe to share. */
public final class Jobs {
    private static final Sql FIND = Sql.file("work/find");
    private static final Sql FIND_IN_REACH = inReach("find");
    private static final Sql LIST = Sql.file("work/list");
    private static final Sql LIST_IN_REACH = inReach("list");
    private static final Sql SEQUENCE = Sql.call("sequence", "select s.events from postrider.sequence(20000) s");
    private static final Sql UNPOSITIONED = Sql.file("work/unpositioned_job");
    private static final Sql WAITING = Sql.file("work/waiting");

    /** Payloads and results of one page, together. */
    private static final long BYTES = 8 << 20;

    private final Database database;
    private final Steering steering;

    public Jobs(Database database) {
        this.database = database;
        this.steering = new Steering(database);
    }

    /**
     * The status of a job: a row of the view {@code jobs}.
     *
     * @param error one line
     * @param stack the stack trace of the last failure; null: there was none, or the reader may not see it
     */
    public record Status(
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
            @Nullable String stack) {
        static Status read(Row row) throws SQLException {
            Long progress = row.int8OrNull("progress");
            return new Status(
                    row.uuid("id"),
                    row.text("queue"),
                    row.text("job_type"),
                    row.text("priority"),
                    State.valueOf(row.text("state")),
                    row.instant("run_at"),
                    row.int4("attempt_count"),
                    row.textOrNull("locked_by"),
                    row.instantOrNull("lease_expires_at"),
                    row.textOrNull("last_error_code"),
                    row.textOrNull("last_error_message"),
                    row.instant("created_at"),
                    row.instantOrNull("claimed_at"),
                    row.instantOrNull("finished_at"),
                    row.textOrNull("key"),
                    row.textOrNull("project_id"),
                    row.textOrNull("user_id"),
                    row.text("payload"),
                    row.textOrNull("result"),
                    progress == null ? null : progress.intValue(),
                    row.textOrNull("progress_note"),
                    row.textOrNull("waits_for"),
                    row.text("topic"),
                    row.int8("position"),
                    row.textOrNull("stack"));
        }
    }

    /** How a job stands. */
    public enum State {
        /** It will be done, now or at its time. */
        PENDING,
        /** A worker has it. */
        IN_PROGRESS,
        /** It is finished. */
        DONE,
        /** It is a dead letter. */
        FAILED,
        /** It is finished without having been done. */
        CANCELLED
    }

    /** What became of the wish to cancel a job. */
    public enum Cancelled {
        /** It will not be begun. */
        CANCELLED,
        /** It runs: its worker interrupts it, and what a transactional handler does is rolled back. */
        ASKED,
        /** Too late: it is finished. */
        FINISHED
    }

    /**
     * The status of one job; empty if it does not exist or retention has removed it. A job without a position has position 0.
     * Producers choose ids, so several jobs may have the same: then the oldest that is to run, or else the oldest that is dead,
     * or else the oldest.
     */
    public Optional<Status> find(UUID id) {
        return look(id).or(() -> position(Reach.all(), id).flatMap(fresh -> look(id).or(() -> Optional.of(fresh))));
    }

    /** The same among the jobs in reach: a caller does not learn that a job out of its reach exists. */
    public Optional<Status> find(Reach reach, UUID id) {
        return look(reach, id)
                .or(() -> position(reach, id).flatMap(fresh -> look(reach, id).or(() -> Optional.of(fresh))));
    }

    /** Why a job is waiting; empty if it is running, finished or unknown. Several with this id: as {@link #find(UUID)}. */
    public Optional<Waiting> waiting(UUID id) {
        return look(id).or(() -> unpositioned(Reach.all(), id)).flatMap(this::waiting);
    }

    /** Why this job is waiting; empty if it is running or finished. */
    public Optional<Waiting> waiting(Status job) {
        return database.autocommit(session -> session.one(
                WAITING, bind -> bind.text("topic", job.topic()).int8("position", job.position()), Waiting::read));
    }

    private Optional<Status> look(Reach reach, UUID id) {
        return Scope.read(
                database, reach, session -> session.one(FIND_IN_REACH, bind -> bind.uuid("id", id), Status::read));
    }

    /** The statement of a file, on the view of which the database gives what is in reach only. */
    private static Sql inReach(String file) {
        return Sql.text(
                file + "_in_reach",
                Sql.resource("sql/work/" + file + ".sql").replace("postrider.jobs j", "postrider.jobs_in_reach j"));
    }

    private Optional<Status> look(UUID id) {
        return database.autocommit(session -> session.one(FIND, bind -> bind.uuid("id", id), Status::read));
    }

    /**
     * Gives positions to committed events, as a node would in a moment: a job without a position is not listed. Call it
     * to find a job that was just enqueued when perhaps no node is running. Fails if another session holds the sequencing
     * lock for longer than two seconds.
     */
    public void sequence() {
        while (database.transaction(session -> {
                            session.script("sequence_patience", "set local lock_timeout = '2s'");
                            return session.one(SEQUENCE, Bind::nothing, row -> row.int8("events"));
                        })
                        .orElse(0L)
                > 0) {
            // again, until nothing is left
        }
    }

    /** A committed job without a position. Also gives it one, unless another session holds the sequencing lock. */
    private Optional<Status> position(Reach reach, UUID id) {
        Optional<Status> committed = unpositioned(reach, id);
        if (committed.isPresent()) {
            try {
                sequence();
            } catch (PostriderException e) {
                if (!SqlState.isContention(SqlState.of(e))) {
                    throw e;
                }
            }
        }
        return committed;
    }

    private Optional<Status> unpositioned(Reach reach, UUID id) {
        return database.autocommit(session -> session.one(
                UNPOSITIONED,
                bind -> bind.uuid("id", id)
                        .text("reach", reach.kind().name().toLowerCase(Locale.ROOT))
                        .text("project", reach.project())
                        .text("user", reach.user()),
                Status::read));
    }

    /** The latest jobs of a queue, at most so many; only in this state if one is given. */
    public List<Status> list(String queue, @Nullable State state, int most) {
        Wanted wanted = new Wanted(queue, state, null, most);
        return database.autocommit(session -> page(session, LIST, wanted, Long.MAX_VALUE))
                .jobs();
    }

    /** Of them, those that are in reach, and fewer if they are more than 8 MiB. */
    public Page list(Reach reach, Wanted wanted) {
        return Scope.read(database, reach, session -> page(session, LIST_IN_REACH, wanted, BYTES));
    }

    /**
     * Which of the jobs of a queue, the latest first.
     *
     * @param state null: in any
     * @param before null: from the latest on
     */
    public record Wanted(
            String queue, @Nullable State state, @Nullable Place before, int most) {}

    /** Where a job stands among those of its queue: what is before it is older. */
    public record Place(Instant createdAt, String topic, long position) {
        static Place of(Status job) {
            return new Place(job.createdAt(), job.topic(), job.position());
        }
    }

    /**
     * Some of the jobs of a queue.
     *
     * @param next the place before which there may be others; null if there are none
     */
    public record Page(List<Status> jobs, @Nullable Place next) {}

    private static Page page(Session session, Sql sql, Wanted wanted, long bytes) {
        record Found(Status job, long behind) {}
        @Nullable Place before = wanted.before();
        @Nullable State state = wanted.state();
        List<Found> found = session.query(
                sql,
                bind -> bind.text("queue", wanted.queue())
                        .text("state", state == null ? null : state.name())
                        .instant("before_at", before == null ? null : before.createdAt())
                        .text("before_topic", before == null ? null : before.topic())
                        .int8("before_position", before == null ? 0 : before.position())
                        .int4("most", wanted.most())
                        .int8("bytes", bytes),
                row -> new Found(Status.read(row), row.int8("behind")));
        List<Status> jobs = found.stream().map(Found::job).toList();
        boolean more = found.size() == wanted.most()
                || !found.isEmpty() && found.get(found.size() - 1).behind() > 0;
        return new Page(jobs, more ? Place.of(jobs.get(jobs.size() - 1)) : null);
    }

    /** Cancels a job. If several have this id, the one that {@link #find(UUID)} gives. */
    public Cancelled cancel(UUID id, String reason) {
        return cancel(find(id).orElseThrow(() -> new PostriderException(Kind.NOT_FOUND, "no job " + id)), reason);
    }

    /** Cancels this job, and no other with the same id. */
    public Cancelled cancel(Status job, String reason) {
        return steering.cancel(job, reason);
    }

    /** Runs a job now that waits for its time or is dead; false if it is neither. Several with this id: as {@link #find(UUID)}. */
    public boolean retry(UUID id) {
        return find(id).map(this::retry).orElseGet(() -> steering.retryDead(id));
    }

    /** Retries this job, and no other with the same id. */
    public boolean retry(Status job) {
        return steering.retry(job.id(), job.topic(), job.position());
    }
}
