package io.postrider.work;

import io.postrider.PostriderException;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Sql;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for workers that are gone and takes their jobs over. Every node does; the first one ends the worker, and the others
 * find nothing to do.
 *
 * <p>A worker is gone when two looks in a row have not found its lock, and it has not come back between them. One look is not
 * enough: a wire that was cut comes back within a few tenths of a second with the same number, and its jobs need not be done
 * twice.
 */
final class Takeover {
    private static final Logger log = LoggerFactory.getLogger(Takeover.class);
    private static final Sql ABSENT = Sql.file("work/absent");
    private static final Sql END_GHOSTS = Sql.file("work/end_ghosts");
    private static final Sql TAKE_OVER =
            Sql.call("take_over", "select postrider.take_over(:worker, :most_crashes) as jobs");
    private static final Sql LIMIT =
            Sql.call("takeover_limit", "select pg_catalog.set_config('lock_timeout', '1s', true) as set");

    private static final int MOST_CRASHES = 3;

    private final Database database;
    private final Runnable tookOver;

    /** Who was absent at the last look, and when it had been seen last. */
    private Map<Long, Instant> suspected = Map.of();

    Takeover(Database database, Runnable tookOver) {
        this.database = database;
        this.tookOver = tookOver;
    }

    /** One look. */
    void look() {
        Map<Long, Instant> absent = new HashMap<>();
        database.autocommit(session -> session.query(ABSENT, Bind::nothing, row -> {
            absent.put(row.int8("id"), row.instant("seen_at"));
            return true;
        }));
        Map<Long, Instant> before = suspected;
        suspected = absent;
        absent.forEach((worker, seenAt) -> {
            if (seenAt.equals(before.get(worker))) {
                try {
                    takeOver(worker);
                } catch (PostriderException e) { // the others are not to wait for this one
                    log.warn("takeover_failed worker={} error=\"{}\"", worker, e.getMessage());
                }
            }
        });
    }

    private void takeOver(long worker) {
        database.autocommit(
                session -> session.query(END_GHOSTS, bind -> bind.int8("worker", worker), row -> row.int8("pid")));
        Long jobs = database.transaction(session -> {
            session.one(LIMIT, Bind::nothing, row -> row.text("set"));
            return session.one(
                            TAKE_OVER,
                            bind -> bind.int8("worker", worker).int4("most_crashes", MOST_CRASHES),
                            row -> row.int8OrNull("jobs") == null ? -1 : row.int8("jobs"))
                    .orElse(-1L);
        });
        if (jobs >= 0) {
            log.warn("worker_taken_over worker={} jobs={}", worker, jobs);
            tookOver.run();
        }
    }
}
