package io.postrider.proof;

/** What became of a transaction, as far as its producer knows. */
public enum Outcome {
    /** The server said so. */
    COMMITTED,

    /** Rolled back, or its COMMIT was never sent. */
    ABORTED,

    /**
     * COMMIT was sent and no answer came: the link was cut, the server died. Such a transaction may be in the log or
     * not, but never in part; one event of it with a position proves that it committed.
     */
    UNKNOWN
}
