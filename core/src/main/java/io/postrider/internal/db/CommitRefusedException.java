package io.postrider.internal.db;

/** A handler's transaction was rolled back instead of committed. The cause says why, such as a deferred constraint. */
public final class CommitRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Throwable reason;

    CommitRefusedException(Exception refused) {
        super(refused.getMessage(), refused);
        Throwable cause = refused.getCause();
        this.reason = cause == null ? refused : cause;
    }

    /** The error of the database or the transaction manager. */
    public Throwable reason() {
        return reason;
    }
}
