package io.postrider.proof.history;

/** The outcome of a transaction, as far as its producer knows. */
public enum Outcome {
    /** Confirmed by the server. */
    COMMITTED,

    /** Rolled back, or its COMMIT was never sent. */
    ABORTED,

    /**
     * COMMIT was sent and there was no reply: the connection was cut or the server died. Such a transaction may be in the log or
     * not, but never in part; one of its events with a position proves that it committed.
     */
    UNKNOWN
}
