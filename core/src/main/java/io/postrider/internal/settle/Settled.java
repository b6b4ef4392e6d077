package io.postrider.internal.settle;

/** The answer of the database to an attempt to settle jobs. */
public enum Settled {
    WRITTEN,
    /** Exactly this was written before: by a commit whose answer did not arrive. */
    ALREADY_WRITTEN,
    /** The jobs do not belong to this worker any more. Everything done in the transaction must be rolled back. */
    LOST,
    /** The job has been cancelled. Only in the transaction of a handler. */
    CANCELLED,
    /** This is not the transaction in which the handler was called: the handler has ended that one. */
    WRONG_TRANSACTION;

    /** Translates the word of settle() and may_settle(). */
    static Settled of(String word) {
        return switch (word) {
            case "written" -> WRITTEN;
            case "there" -> ALREADY_WRITTEN;
            case "lost" -> LOST;
            case "cancelled" -> CANCELLED;
            case "elsewhere" -> WRONG_TRANSACTION;
            default -> throw new IllegalStateException("unknown answer '" + word + "' to a settlement");
        };
    }
}
