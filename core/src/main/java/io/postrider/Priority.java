package io.postrider;

/**
 * How urgent a job is. Each priority of a queue is a lane of its own. While all three have work, of every eight claims five
 * go to high, two to normal, one to low: none starves, and what is high waits for at most three claims of others. A claim is at
 * most 50 ms of work, so that is some 200 ms with what is claimed already; where jobs are longer, it is three of them.
 */
public enum Priority {
    /** Before the others. */
    HIGH,
    /** What a job has unless told otherwise. */
    NORMAL,
    /** When there is time, and at least every eighth claim. */
    LOW
}
