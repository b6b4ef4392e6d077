package io.postrider.proof.interleaving;

/**
 * Checks whether a session in the middle of a step waits for a lock of another session.
 *
 * <p>It must not return true for a step that is merely slow; false for a blocked one only costs time. For PostgreSQL, query
 * {@code cardinality(pg_blocking_pids(pid)) > 0} on a separate connection: it reads the lock table, which is correct as soon as
 * the holder's commit has returned. The wait event in {@code pg_stat_activity} lags behind.
 */
@FunctionalInterface
public interface BlockedProbe<R> {
    /** Whether the session with this resource, run by this thread, is blocked now. */
    boolean isBlocked(R resource, Thread thread) throws Exception;
}
