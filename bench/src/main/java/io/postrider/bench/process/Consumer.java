package io.postrider.bench.process;

/** Reads events in the child process until it is stopped; it may be started again. */
interface Consumer {
    void start() throws Exception;

    /** Closes every connection, so that the server has all their counts. */
    void stop() throws Exception;

    /** How often a producer has woken it. */
    long notified();

    /** The median time of its sequencer's passes since the last query, in milliseconds; 0 if it has none. */
    double passMillis();
}
