package io.postrider.proof;

/**
 * Tells whether a session that is in the middle of a step waits for a lock of another.
 *
 * <p>It must not say yes of one that is merely slow; saying no of one that waits costs time only. For PostgreSQL ask
 * {@code cardinality(pg_blocking_pids(pid)) > 0} on a connection of its own: it reads the lock table, which is right
 * as soon as the holder's commit has returned. The wait event in {@code pg_stat_activity} lags behind.
 */
@FunctionalInterface
public interface BlockedProbe<R> {
    /** Whether the session with this resource, run by this thread, is blocked now. */
    boolean isBlocked(R resource, Thread thread) throws Exception;
}
