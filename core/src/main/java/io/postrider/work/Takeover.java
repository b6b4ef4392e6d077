package io.postrider.work;

import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Sql;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for workers that are gone and takes their jobs over. Every node does; the first one ends the worker, and the others
 * find nothing to do.
 *
 * <p>A worker is gone when two looks in a row have not found its lock. One look is not enough: a wire that was cut comes back
 * within a few tenths of a second with the same number, and its jobs need not be done twice.
 */
final class Takeover {
    private static final Logger log = LoggerFactory.getLogger(Takeover.class);
    private static final Sql ABSENT = Sql.file("work/absent");
    private static final Sql END_GHOSTS = Sql.file("work/end_ghosts");
    private static final Sql TAKE_OVER =
            Sql.text("take_over", "select postrider.take_over(:worker, :most_crashes) as jobs");
    private static final Sql LIMIT = Sql.text("takeover_limit", "select set_config('lock_timeout', '1s', true) as set");

    private static final int MOST_CRASHES = 3;

    private final Database database;
    private final Runnable tookOver;
    private Set<Long> suspected = Set.of();

    Takeover(Database database, Runnable tookOver) {
        this.database = database;
        this.tookOver = tookOver;
    }

    /** One look. */
    void look() {
        List<Long> absent = database.autocommit(session -> session.query(ABSENT, Bind::nothing, row -> row.int8("id")));
        Set<Long> before = suspected;
        suspected = new HashSet<>(absent);
        absent.stream().filter(before::contains).forEach(this::takeOver);
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
