package io.postrider.internal.emit;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Topics;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.SqlState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The settings of topics in the database. Thread-safe. */
public final class JdbcTopics implements Topics {
    private static final Sql REQUIREMENTS = Sql.file("emit/requirements");
    private static final Sql REQUIRE = Sql.call(
            "emit/require", "select postrider.require(:topic, :project_id, :user_id)::pg_catalog.text as required");

    /** Short, because producers wait behind this lock while it waits for transactions that have emitted. */
    private static final Sql LIMIT = Sql.call(
            "emit/require_limit", "select pg_catalog.set_config('lock_timeout', '200ms', true) as lock_timeout");

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long PAUSE_MILLIS = 300;

    private final Database database;

    public JdbcTopics(Database database) {
        this.database = database;
    }

    @Override
    public List<Requirement> requirements() {
        return database.autocommit(session -> session.query(
                REQUIREMENTS,
                Bind::nothing,
                row -> new Requirement(row.text("topic"), row.bool("project_id"), row.bool("user_id"))));
    }

    @Override
    public void require(Requirement requirement) {
        long began = System.nanoTime();
        while (!tryRequire(requirement)) {
            if (System.nanoTime() - began > PATIENCE.toNanos()) {
                throw new PostriderException(
                        Kind.CONFLICT,
                        "the fields that topic " + requirement.topic() + " requires are unchanged: for "
                                + PATIENCE.toSeconds() + " s there was always an open transaction that had emitted an"
                                + " event; try again when there is none (`postrider doctor` lists old ones)");
            }
            pause();
        }
    }

    /** False if a transaction that has emitted was open. */
    private boolean tryRequire(Requirement requirement) {
        try {
            return database.transaction(session -> {
                session.call(LIMIT, Bind::nothing);
                session.call(
                        REQUIRE,
                        bind -> bind.text("topic", requirement.topic())
                                .bool("project_id", requirement.projectId())
                                .bool("user_id", requirement.userId()));
                return true;
            });
        } catch (PostriderException e) {
            String state = SqlState.of(e);
            if (SqlState.isContention(state)) {
                return false;
            }
            if (state.equals("22023") || state.equals("23514")) {
                throw new PostriderException(Kind.REFUSED, String.valueOf(e.getMessage()), e);
            }
            throw e;
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostriderException(Kind.FAILED, "interrupted while waiting for a lock on the table of events", e);
        }
    }
}
