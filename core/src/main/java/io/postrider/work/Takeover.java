package io.postrider.work;

import io.postrider.PostriderException;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Session;
import io.postrider.db.Sql;
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
 * <p>A worker is gone when two looks in a row have not found its lock, and it has not come back between them. One look is not
 * enough: a wire that was cut comes back within a few tenths of a second with the same number, and its jobs need not be done
 * twice.
 *
 * <p>The jobs are handed over in batches, one transaction each. If the node dies in between, the next check of any other node
 * continues.
 */
final class Takeover {
    private static final Logger log = LoggerFactory.getLogger(Takeover.class);
    private static final Sql ABSENT = Sql.file("work/absent");
    private static final Sql TRY_RESCUE = Sql.file("work/try_rescue");
    private static final Sql END_GHOSTS = Sql.file("work/end_ghosts");
    private static final Sql HAND_OVER = Sql.file("work/hand_over_next");
    /** The server ends a node that freezes while it holds the rescue lock: without this the others waited 11 s for it. */
    private static final Sql LIMIT = Sql.call(
            "takeover_limit",
            "select pg_catalog.set_config('lock_timeout', '1s', true) as locks,"
                    + " pg_catalog.set_config('idle_in_transaction_session_timeout', '1500ms', true) as idle");

    private static final int MOST_CRASHES = 3;

    /** Jobs in a batch, roughly. */
    private static final int PIECE = 1_000;

    /** The thread has other duties: jobs that are not handed over by then are left to the next check of this or another node. */
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(1);

    private final Database database;
    private final Runnable tookOver;

    /** Who was absent at the last look, and when it had been seen last. */
    private Map<Long, Instant> suspected = Map.of();

    Takeover(Database database, Runnable tookOver) {
        this.database = database;
        this.tookOver = tookOver;
    }

    private record Absent(long worker, Instant seenAt, boolean ended) {}

    /** The result of one batch. */
    private record Piece(long jobs, long last, boolean done) {}

    /** One look. */
    void look() {
        Map<Long, Instant> before = suspected;
        Map<Long, Instant> absent = new HashMap<>();
        for (Absent one : database.autocommit(session -> session.query(
                ABSENT, Bind::nothing, row -> new Absent(row.int8("id"), row.instant("seen_at"), row.bool("ended"))))) {
            absent.put(one.worker(), one.seenAt());
            if (one.ended() || one.seenAt().equals(before.get(one.worker()))) {
                try {
                    takeOver(one.worker());
                } catch (PostriderException e) { // the others are not to wait for this one
                    log.warn("takeover_failed worker={} error=\"{}\"", one.worker(), e.getMessage());
                }
            }
        }
        suspected = absent;
    }

    private void takeOver(long worker) {
        long until = System.nanoTime() + LONGEST_LOOK.toNanos();
        long after = 0;
        long jobs = 0;
        while (System.nanoTime() < until) {
            long from = after;
            Optional<Piece> piece = database.transaction(session -> handOver(session, worker, from));
            if (piece.isEmpty()) {
                return; // another node is taking the worker over, or has done so
            }
            after = piece.get().last();
            jobs += piece.get().jobs();
            tookOver.run();
            if (piece.get().done()) {
                log.warn("worker_taken_over worker={} jobs={}", worker, jobs);
                return;
            }
        }
        log.warn("worker_partly_taken_over worker={} jobs={}", worker, jobs);
    }

    private static Optional<Piece> handOver(Session session, long worker, long after) {
        session.call(LIMIT, Bind::nothing);
        boolean alone = session.one(TRY_RESCUE, bind -> bind.int8("worker", worker), row -> row.bool("got"))
                .orElse(false);
        if (!alone) {
            return Optional.empty();
        }
        session.query(END_GHOSTS, bind -> bind.int8("worker", worker), row -> row.int8("pid"));
        return session.one(
                HAND_OVER,
                bind -> bind.int8("worker", worker)
                        .int4("most_crashes", MOST_CRASHES)
                        .int8("after", after)
                        .int4("most", PIECE),
                row -> new Piece(row.int8("jobs"), row.int8("last"), row.bool("done")));
    }
}
