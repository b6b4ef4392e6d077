package io.postrider.internal.adopt;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Quoted;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.SqlState;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs a transaction that begins with a lock on the old table, so that no other transaction has written to it and not ended.
 *
 * <p>Writers queue behind a lock that waits. So an attempt waits for 300 ms only, and the writers go on before the next one.
 */
final class TableLock {
    private static final Sql LOCK =
            Sql.text("adopt/lock", "select postrider.adopt_lock(:source, :wait_ms, :exclusive)::text as locked");
    private static final Sql BLOCKERS = Sql.file("adopt/blockers");
    private static final int WAIT_MS = 300;

    /** The number of attempts that are short. On a machine so busy that transactions take longer than that, later ones wait up to 2 s. */
    private static final int SHORT_ATTEMPTS = 10;

    private static final int LONGEST_WAIT_MS = 2_000;

    private final Database database;
    private final Duration patience;

    TableLock(Database database, Duration patience) {
        this.database = database;
        this.patience = patience;
    }

    /** @param exclusive against readers too, as dropping a trigger needs it */
    <T> T hold(String source, boolean exclusive, Database.Work<T> work) {
        long end = System.nanoTime() + patience.toNanos();
        for (int attempt = 1; ; attempt++) {
            int wait = Math.min(WAIT_MS * Math.max(1, attempt - SHORT_ATTEMPTS), LONGEST_WAIT_MS);
            try {
                return database.transaction(session -> {
                    session.call(
                            LOCK,
                            bind -> bind.text("source", source)
                                    .int4("wait_ms", wait)
                                    .bool("exclusive", exclusive));
                    return work.on(session);
                });
            } catch (PostriderException e) {
                if (!SqlState.isContention(SqlState.of(e))) {
                    throw e;
                }
                if (System.nanoTime() - end >= 0 || Thread.currentThread().isInterrupted()) {
                    throw new PostriderException(
                            Kind.CONFLICT,
                            "no moment without open write transactions on " + source + " within " + patience.toSeconds()
                                    + " s; " + blocker(source) + "; end that transaction, or run this step again",
                            e);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(
                        ThreadLocalRandom.current().nextInt(100, 500)));
            }
        }
    }

    private String blocker(String source) {
        return database.transaction(session -> blocker(session, source));
    }

    private static String blocker(Session session, String source) {
        return session.one(
                        BLOCKERS,
                        bind -> bind.text("source", source),
                        row -> "session pid=" + row.int4("pid") + " role=" + Quoted.line(row.text("role"))
                                + " application=" + Quoted.line(row.text("application"))
                                + " has a transaction open for " + row.int8("seconds") + " s")
                .orElse("many short transactions overlap");
    }
}
