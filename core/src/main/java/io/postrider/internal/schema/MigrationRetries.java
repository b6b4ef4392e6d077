package io.postrider.internal.schema;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Quoted;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.SqlState;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats a migration whose statements could not lock a table. Any role that may connect can hold a weak lock on a table, and all
 * nodes queue behind a statement that waits to change it. So a statement waits for at most one second, the whole migration is
 * rolled back, and nodes continue until the next attempt.
 */
final class MigrationRetries {
    private static final Logger log = LoggerFactory.getLogger(MigrationRetries.class);

    /** Long enough for statements of an application, short enough for a deployment that waits for the result. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Sql HOLDER = Sql.file("schema/object_lock_holder");

    private final Duration patience;

    MigrationRetries(Duration patience) {
        this.patience = patience;
    }

    /** Sets the time that each later statement of the transaction waits for a lock. */
    static void limit(Session session) {
        session.script("migrate_lock_timeout", "set local lock_timeout = '" + LOCK_TIMEOUT.toMillis() + "ms'");
    }

    /** Runs the work in one transaction, again and again while it cannot get a lock. */
    <T> T run(Database database, Database.Work<T> work) {
        long begun = System.nanoTime();
        while (true) {
            try {
                return database.transaction(work);
            } catch (PostriderException e) {
                if (!SqlState.isContention(SqlState.of(e))) {
                    throw e;
                }
                String holder = holder(database);
                if (System.nanoTime() - begun >= patience.toNanos()) {
                    throw new PostriderException(
                            Kind.CONFLICT,
                            "the migration changed nothing: for " + patience.toMillis()
                                    + " ms it could not lock what it must change, because of " + holder
                                    + ". End that transaction, or run pg_terminate_backend(pid), and migrate again",
                            e);
                }
                log.warn("migrate_waits for {}", holder);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE.toMillis()));
            }
        }
    }

    private static String holder(Database database) {
        return database.transaction(session -> session.one(
                        HOLDER,
                        Bind::nothing,
                        row -> "session pid=" + row.int4("pid") + " role=" + Quoted.line(row.text("role"))
                                + " application=" + Quoted.line(row.text("application")) + " with locks on "
                                + row.text("locked")))
                .orElse("a prepared transaction, or a session that has just ended");
    }
}
