package io.postrider;

/**
 * The urgency of a job. Each priority of a queue has its own lane. While all three lanes have jobs, five of every eight claims go
 * to high, two to normal and one to low. No lane starves, and a high job waits for at most three claims of other lanes. A claim
 * is at most 50 ms of work, so that is about 200 ms including the jobs already claimed; if jobs take longer than that, it is
 * three jobs.
 */
public enum Priority {
    /** Runs before the others. */
    HIGH,
    /** The default. */
    NORMAL,
    /** Runs when there is time, and gets at least every eighth claim. */
    LOW
}
