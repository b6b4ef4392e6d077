package io.postrider.internal.jobs;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Jobs;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.SqlState;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Cancels and retries jobs, each named by its lane and position. Never by id: several jobs may have the same id, in different
 * projects, and the caller may have only one of them in reach.
 */
final class JobCommands {
    private static final Sql CANCEL =
            Sql.call("jobs/cancel", "select postrider.cancel(:topic, :position, :reason) as fate");
    private static final Sql RETRY = Sql.file("jobs/retry");
    private static final Sql FILL_BARE = Sql.file("listen/fill_bare");
    private static final Sql DEAD_JOB = Sql.file("jobs/dead_job");

    /** A job is claimed or put aside between two tries at most a few times: each try waits for the lock of its lane or worker. */
    private static final int MOST_TRIES = 100;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(3);

    private final Database database;

    JobCommands(Database database) {
        this.database = database;
    }

    Jobs.Cancelled cancel(Jobs.Status job, String reason) {
        if (job.position() == 0) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    "job " + job.id()
                            + " has no position yet, because another session holds the sequencing lock; try again");
        }
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            switch (tryCancel(job, reason)) {
                case CANCELLED -> {
                    return Jobs.Cancelled.CANCELLED;
                }
                case ASKED -> {
                    return Jobs.Cancelled.ASKED;
                }
                case FINISHED -> {
                    return Jobs.Cancelled.FINISHED;
                }
                case MISSING -> throw new PostriderException(Kind.NOT_FOUND, "no job " + job.id());
                case PENDING -> Thread.onSpinWait(); // a worker is claiming it: the next call asks that worker
            }
        }
        throw new PostriderException(
                Kind.CONFLICT,
                "job " + job.id() + " was claimed or returned " + MOST_TRIES + " times in the meantime; try again");
    }

    private Answer tryCancel(Jobs.Status job, String reason) {
        return database.transaction(session -> session.one(
                        CANCEL,
                        bind -> bind.text("topic", job.topic())
                                .int8("position", job.position())
                                .text("reason", reason),
                        row -> Answer.of(row.textOrNull("fate")))
                .orElseThrow());
    }

    /** What cancel() answers. */
    private enum Answer {
        CANCELLED,
        ASKED,
        FINISHED,
        PENDING,
        MISSING;

        static Answer of(@Nullable String word) {
            return word == null ? MISSING : valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /** False if the job neither waits for its time nor is dead. */
    boolean retry(UUID id, String topic, long position) {
        record Outcome(long moved, @Nullable String heldBy, boolean bare) {}
        Outcome outcome = bounded(id, session -> {
            session.update(
                    FILL_BARE,
                    bind -> bind.int8s("ids", List.of()).text("topic", topic).int8("position", position));
            return session.one(
                            RETRY,
                            bind -> bind.text("topic", topic).int8("position", position),
                            row -> new Outcome(row.int8("moved"), row.textOrNull("held_by"), row.bool("bare")))
                    .orElseThrow();
        });
        if (outcome.moved() == 0 && outcome.bare()) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    "job " + id
                            + " cannot be retried: its event was deleted or cannot be read; discard its dead letter");
        }
        if (outcome.moved() == 0 && outcome.heldBy() != null) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    "job " + id + " cannot be retried while job " + outcome.heldBy() + " holds its unique key");
        }
        return outcome.moved() > 0;
    }

    /** A producer that has enqueued a job with the same unique key holds the key until its transaction ends. */
    private <T> T bounded(UUID id, Database.Work<T> work) {
        try {
            return database.transaction(session -> {
                session.script("retry_patience", "set local lock_timeout = '" + LONGEST_WAIT.toMillis() + "ms'");
                return work.on(session);
            });
        } catch (PostriderException e) {
            if (!SqlState.isLocked(SqlState.of(e))) {
                throw e;
            }
            throw new PostriderException(
                    Kind.CONFLICT,
                    "job " + id + " cannot be retried now: for " + LONGEST_WAIT.toSeconds()
                            + " s another transaction has held its row or its unique key; try again when that"
                            + " transaction has ended (pg_stat_activity shows open transactions)",
                    e);
        }
    }

    /** Retries a dead job whose event retention has removed. */
    boolean retryDead(UUID id) {
        record Place(String topic, long position) {}
        return database.autocommit(session -> session.one(
                        DEAD_JOB,
                        bind -> bind.uuid("id", id),
                        row -> new Place(row.text("topic"), row.int8("position"))))
                .filter(place -> retry(id, place.topic(), place.position()))
                .isPresent();
    }
}
