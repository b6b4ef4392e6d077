package io.postrider.internal.claim;

/**
 * How strongly a delayed job is suspected of ending the worker that runs it. Every job of an open claim counts when a worker ends,
 * because the database does not know which of them had started. The ordinal is the number in SQL.
 */
public enum Tier {
    /** No worker has ended while it held the job. */
    UNSUSPECTED,
    /** One worker has: the job runs beside others, but only few such jobs at a time. */
    SUSPECT,
    /** Two workers have: the job runs alone on its node. */
    EXCLUSIVE
}
