package io.postrider;

/**
 * The urgency of a job. Each priority of a queue has its own lane. While all three lanes have jobs, five of every eight claims go
 * to high, two to normal and one to low. No lane starves, and a high-priority job waits for at most three claims of other lanes.
 * A claim is at most 50 ms of work, or one job if that job takes longer. So a high-priority job waits for about 200 ms, including
 * the jobs already claimed, or for three jobs if they take longer.
 */
public enum Priority {
    /** Gets five of every eight claims while all lanes have jobs. */
    HIGH,
    /** The default. */
    NORMAL,
    /** Gets at least every eighth claim. */
    LOW
}
