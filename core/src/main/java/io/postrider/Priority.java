package io.postrider;

/**
 * The urgency of a job. Each priority of a queue has its own lane. While all three lanes have jobs, five of every eight claims go
 * to high, two to normal and one to low. No lane starves, and a high job waits for at most three claims of other lanes. A claim
 * is at most 50 ms of work, or one job if that takes longer. So a high job waits for about 200 ms, including the jobs already
 * claimed, or for three longer jobs.
 */
public enum Priority {
    /** Runs before the others. */
    HIGH,
    /** The default. */
    NORMAL,
    /** Runs when there is time, and gets at least every eighth claim. */
    LOW
}
