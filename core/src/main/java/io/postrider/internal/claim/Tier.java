package io.postrider.internal.claim;

/** How strongly a delayed job is suspected of ending the worker that runs it. The ordinal is the number in SQL. */
public enum Tier {
    /** No worker has ended while the job ran. */
    UNSUSPECTED,
    /** One worker has: the job runs beside others, but only few such jobs at a time. */
    SUSPECT,
    /** Two workers have: the job runs alone on its node. */
    EXCLUSIVE
}
