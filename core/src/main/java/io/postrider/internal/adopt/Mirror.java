package io.postrider.internal.adopt;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Jobs;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Writes back to the old table what Postrider has finished; each batch and its place are one transaction. */
final class Mirror {
    private static final Sql EVENTS = Sql.text(
            "adopt/mirror_events", "select m.written, m.more from postrider.adopt_mirror_events(:source, :most) m");
    private static final Sql JOBS = Sql.text(
            "adopt/mirror_jobs", "select m.written, m.last from postrider.adopt_mirror_jobs(:source, :after, :most) m");
    private static final Sql FOLLOW = Sql.text(
            "adopt/follow",
            "update postrider.adoption a set mirror = true, mirror_listener = :listener where a.source = :source");
    private static final Sql IS_LISTENER = Sql.text(
            "adopt/is_listener",
            "select exists (select from postrider.listener l where l.name = :listener and l.topic = :topic) as found");
    private static final Sql OPEN_JOBS = Sql.file("adopt/open_jobs");
    private static final Sql FORGET_JOB = Sql.text(
            "adopt/forget_job",
            "delete from postrider.adopted a where a.source = :source and a.adopted_id = :adopted_id");
    private static final int BATCH = 500;

    /** A handler that does not respect the interrupt may take longer; then both sides may run its job. */
    private static final Duration STOPS_WITHIN = Duration.ofSeconds(10);

    private final Database database;
    private final StoredAdoption adoption;

    Mirror(Database database, StoredAdoption adoption) {
        this.database = database;
        this.adoption = adoption;
    }

    /** From now on finished rows are those that this listener has finished; null: every listener. */
    void follow(@Nullable String listener) {
        database.transaction(session -> {
            if (listener != null && !isListener(session, listener)) {
                throw new PostriderException(Kind.NOT_FOUND, "no listener " + listener + " of " + adoption.target());
            }
            return session.update(
                    FOLLOW, bind -> bind.text("source", adoption.source()).text("listener", listener));
        });
    }

    private boolean isListener(Session session, String listener) {
        return session.one(
                        IS_LISTENER,
                        bind -> bind.text("listener", listener).text("topic", adoption.topic()),
                        row -> row.bool("found"))
                .orElse(false);
    }

    /** Writes back everything that has ended; returns how many rows were changed. */
    long pass() {
        return adoption.jobs() ? jobs() : events();
    }

    private record Batch(long written, @Nullable Long last) {}

    private long events() {
        long written = 0;
        Batch batch;
        do {
            batch = database.transaction(session -> session.one(
                            EVENTS,
                            bind -> bind.text("source", adoption.source()).int4("most", BATCH),
                            row -> new Batch(row.int8("written"), row.bool("more") ? 1L : null))
                    .orElseThrow());
            written += batch.written();
        } while (batch.last() != null);
        return written;
    }

    private long jobs() {
        long written = 0;
        @Nullable Long after = 0L;
        while (after != null) {
            long from = after;
            Batch batch = database.transaction(session -> session.one(
                            JOBS,
                            bind -> bind.text("source", adoption.source())
                                    .int8("after", from)
                                    .int4("most", BATCH),
                            row -> new Batch(row.int8("written"), row.int8OrNull("last")))
                    .orElseThrow());
            written += batch.written();
            after = batch.last();
        }
        return written;
    }

    private record OpenJob(long n, String adoptedId, UUID id) {}

    /**
     * Cancels the jobs that have not ended, so that the old workers do them, and forgets them, so that a later import finds them
     * again. One that is running is asked to stop and is waited for; if it still succeeds, the mirror marks its row.
     */
    long cancel(Jobs all) {
        long cancelled = 0;
        long after = 0;
        List<OpenJob> jobs;
        do {
            long from = after;
            jobs = database.transaction(session -> session.query(
                    OPEN_JOBS,
                    bind -> bind.text("source", adoption.source())
                            .int8("after", from)
                            .int4("most", BATCH),
                    row -> new OpenJob(row.int8("n"), row.text("adopted_id"), row.uuid("event_id"))));
            for (OpenJob job : jobs) {
                after = job.n();
                if (isCancelled(all, job.id())) {
                    database.transaction(session -> session.update(
                            FORGET_JOB,
                            bind -> bind.text("source", adoption.source()).text("adopted_id", job.adoptedId())));
                    cancelled++;
                }
            }
        } while (!jobs.isEmpty());
        return cancelled;
    }

    private boolean isCancelled(Jobs all, UUID id) {
        if (all.find(id).isEmpty()) {
            return false; // retention has removed it, so it has ended
        }
        Jobs.Cancelled outcome = all.cancel(id, "adoption of " + adoption.source() + " was undone");
        if (outcome != Jobs.Cancelled.ASKED) {
            return outcome == Jobs.Cancelled.CANCELLED;
        }
        long end = System.nanoTime() + STOPS_WITHIN.toNanos();
        while (state(all, id) == Jobs.State.IN_PROGRESS && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        return state(all, id) != Jobs.State.DONE;
    }

    private static Jobs.@Nullable State state(Jobs all, UUID id) {
        return all.find(id).map(Jobs.Status::state).orElse(null);
    }
}
