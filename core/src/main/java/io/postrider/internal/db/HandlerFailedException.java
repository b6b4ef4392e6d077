package io.postrider.internal.db;

/**
 * Carries the exception of a handler, or the reason why its transaction cannot be committed, out of the transaction as its cause.
 */
public final class HandlerFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Throwable reason;

    HandlerFailedException(Throwable reason) {
        super(reason);
        this.reason = reason;
    }

    /** The error of the handler, the database or the transaction manager. */
    public Throwable reason() {
        return reason;
    }
}
