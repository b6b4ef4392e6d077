package io.postrider;

/**
 * How urgent a job is. Each priority of a queue is a lane of its own. While all three have work, of every eight claims five
 * go to high, two to normal, one to low: none starves, and what is high waits for at most three claims of others.
 */
public enum Priority {
    /** Before the others. */
    HIGH,
    /** What a job has unless told otherwise. */
    NORMAL,
    /** When there is time, and at least every eighth claim. */
    LOW
}
