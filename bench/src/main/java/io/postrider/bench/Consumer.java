package io.postrider.bench;

/** Something that reads events in the child process, until it is stopped; it may be started again. */
interface Consumer {
    void start() throws Exception;

    /** Closes every connection, so that the server has counted all that was done by them. */
    void stop() throws Exception;

    /** How often it was woken by a producer. */
    long notified();

    /** The median time of its sequencer's passes since the last question, in milliseconds; 0 if it has none. */
    double passMillis();
}
