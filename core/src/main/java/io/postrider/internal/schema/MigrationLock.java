package io.postrider.internal.schema;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Quoted;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.SqlState;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets one migration run at a time. If the schema exists, migrations lock one of its tables, for which a role needs privileges.
 *
 * <p>The first migration has no table to lock and takes an advisory lock. Any role that may connect can hold it, so the wait is
 * bounded and the error names the session that holds it.
 */
final class MigrationLock {
    private static final Logger log = LoggerFactory.getLogger(MigrationLock.class);

    /** The first migration takes 2 s on a slow machine, so others that start with it wait long enough. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Sql LOCK_TIMEOUT =
            Sql.text("schema/lock_timeout", "select current_setting('lock_timeout') as lock_timeout");
    private static final Sql LIMIT =
            Sql.text("schema/migrate_limit", "select set_config('lock_timeout', :lock_timeout, true) as lock_timeout");
    private static final String FIRST_LOCK =
            "select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('postrider migrate'), pg_catalog.hashtext('postrider'))";
    private static final String TABLE_LOCK = "lock table postrider.migration in share update exclusive mode";
    private static final Sql FIRST_HOLDER = Sql.file("schema/first_lock_holder");
    private static final Sql TABLE_HOLDER = Sql.file("schema/table_lock_holder");

    private final Duration patience;

    MigrationLock(Duration patience) {
        this.patience = patience;
    }

    /** Takes the lock until the end of the transaction. Data that was read before may be outdated afterwards. */
    void take(Session session) {
        String before = session.one(LOCK_TIMEOUT, Bind::nothing, row -> row.text("lock_timeout"))
                .orElseThrow();
        limit(session, patience.toMillis() + "ms");
        if (!Migrator.isInstalled(session) && !isTaken(session, FIRST_LOCK)) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    "the first migration of this database has waited " + patience.toMillis() + " ms for "
                            + holder(session, FIRST_HOLDER)
                            + ", which holds its lock. If that is a migration, try again when it has ended; if not, end it"
                            + " with pg_terminate_backend(pid) and try again");
        }
        // Another session may just have created the schema. Then the advisory lock is not enough.
        while (Migrator.isInstalled(session) && !isTaken(session, TABLE_LOCK)) {
            log.warn("migrate_waits for {}", holder(session, TABLE_HOLDER));
        }
        limit(session, before);
    }

    private static void limit(Session session, String lockTimeout) {
        session.query(LIMIT, bind -> bind.text("lock_timeout", lockTimeout), row -> true);
    }

    /** Uses a savepoint, so that after a timeout the transaction can continue and query which session holds the lock. */
    private static boolean isTaken(Session session, String lock) {
        session.script("migrate_savepoint", "savepoint migrate");
        try {
            session.script("migrate_lock", lock);
            return true;
        } catch (PostriderException e) {
            if (!SqlState.of(e).equals("55P03")) {
                throw e;
            }
            session.script("migrate_savepoint", "rollback to savepoint migrate");
            return false;
        }
    }

    private static String holder(Session session, Sql question) {
        return session.one(
                        question,
                        Bind::nothing,
                        row -> "session pid=" + row.int4("pid") + " role=" + Quoted.line(row.text("role"))
                                + " application=" + Quoted.line(row.text("application")))
                .orElse("a session that has just ended");
    }
}
