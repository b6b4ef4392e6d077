package io.postrider.internal.takeover;

import io.postrider.PostriderException;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.threads.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds workers that are gone and hands their jobs over. Every node does so, but only one at a time for a worker: a node that
 * does not get the rescue lock leaves the worker to the lock's holder. Without it, nodes that terminated the holders of the
 * worker's locks terminated each other: with three nodes, 1,005 jobs of a dead worker were not taken over in 20 s.
 *
 * <p>A worker is gone when two checks in a row have not found its lock, and it has not reconnected between them. One check is not
 * enough: a node whose connection was cut reconnects within a few tenths of a second under the same number, and its jobs need not
 * run twice. A worker whose process is there but silent keeps its jobs as long as its lease (lease_of.sql, end_silent.sql).
 *
 * <p>The jobs are handed over in batches, one transaction each. If the node dies in between, the next check of any other node
 * continues.
 */
public final class Takeover {
    private static final Logger log = LoggerFactory.getLogger(Takeover.class);
    private static final Sql END_SILENT = Sql.file("takeover/end_silent");
    private static final Sql ABSENT = Sql.file("takeover/absent");
    private static final Sql TRY_RESCUE = Sql.file("takeover/try_rescue");
    private static final Sql END_GHOSTS = Sql.file("takeover/end_ghosts");
    private static final Sql HAND_OVER = Sql.call(
            "takeover/hand_over_next", "select * from postrider.hand_over_next(:worker, :most_crashes, :after, :most)");

    /** The server ends a node that freezes while it holds the rescue lock: without this the others waited 11 s for it. */
    private static final Sql LIMIT = Sql.call(
            "takeover/takeover_limit",
            "select pg_catalog.set_config('lock_timeout', '1s', true) as locks,"
                    + " pg_catalog.set_config('idle_in_transaction_session_timeout', '1500ms', true) as idle");

    private static final int MOST_CRASHES = 3;

    /** Approximate number of jobs in a batch. */
    private static final int BATCH = 1_000;

    /** The thread has other duties: jobs that are not handed over by then are left to the next check of this or another node. */
    private static final Duration LONGEST_TAKEOVER = Duration.ofSeconds(1);

    private final Database database;
    private final Runnable tookOver;

    /** Workers that were absent at the last check, and when each had been seen last. */
    private Map<Long, Instant> absentBefore = Map.of();

    /** @param tookOver called after each batch of jobs */
    public Takeover(Database database, Runnable tookOver) {
        this.database = database;
        this.tookOver = tookOver;
    }

    private record Absent(long worker, Instant seenAt, boolean ended) {}

    /** The result of one batch. */
    private record Batch(long jobs, long last, boolean done) {}

    /** Looks for absent workers and takes over those that were absent at the last check, too. */
    public void check() {
        database.autocommit(session -> session.query(END_SILENT, Bind::nothing, row -> row.int8("pid")))
                .forEach(pid ->
                        log.warn("worker_silent pid={} longer than its lease; its connection was terminated", pid));
        Map<Long, Instant> absent = new HashMap<>();
        for (Absent one : database.autocommit(session -> session.query(
                ABSENT, Bind::nothing, row -> new Absent(row.int8("id"), row.instant("seen_at"), row.bool("ended"))))) {
            absent.put(one.worker(), one.seenAt());
            if (one.ended() || one.seenAt().equals(absentBefore.get(one.worker()))) {
                try {
                    takeOver(one.worker());
                } catch (PostriderException e) { // the other workers must not wait for this one
                    log.warn("takeover_failed worker={} error=\"{}\"", one.worker(), e.getMessage());
                }
            }
        }
        absentBefore = absent;
    }

    private void takeOver(long worker) {
        Deadline deadline = Deadline.in(LONGEST_TAKEOVER);
        long after = 0;
        long jobs = 0;
        while (!deadline.isPassed()) {
            long from = after;
            Optional<Batch> batch = database.transaction(session -> handOver(session, worker, from));
            if (batch.isEmpty()) {
                return; // another node is taking the worker over, or has done so
            }
            after = batch.get().last();
            jobs += batch.get().jobs();
            tookOver.run();
            if (batch.get().done()) {
                log.warn("worker_taken_over worker={} jobs={}", worker, jobs);
                return;
            }
        }
        log.warn("worker_partly_taken_over worker={} jobs={}", worker, jobs);
    }

    private static Optional<Batch> handOver(Session session, long worker, long after) {
        session.call(LIMIT, Bind::nothing);
        boolean locked = session.one(TRY_RESCUE, bind -> bind.int8("worker", worker), row -> row.bool("got"))
                .orElse(false);
        if (!locked) {
            return Optional.empty();
        }
        session.query(END_GHOSTS, bind -> bind.int8("worker", worker), row -> row.int8("pid"));
        return session.one(
                HAND_OVER,
                bind -> bind.int8("worker", worker)
                        .int4("most_crashes", MOST_CRASHES)
                        .int8("after", after)
                        .int4("most", BATCH),
                row -> new Batch(row.int8("jobs"), row.int8("last"), row.bool("done")));
    }
}
