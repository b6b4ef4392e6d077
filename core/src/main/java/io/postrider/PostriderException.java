package io.postrider;

import org.jspecify.annotations.Nullable;

/**
 * Something was refused or could not be done. The message is one line: what, with the value or setting by name, and what
 * to do next.
 */
public final class PostriderException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What sort of thing went wrong: decides the exit code of the command, and whether trying again makes sense. */
    public enum Kind {
        /** A value or setting was refused. Nothing was done. */
        REFUSED,
        /** What was named does not exist. */
        NOT_FOUND,
        /** The state of things forbids it: a newer schema, a lost race, a listener that is detached. */
        CONFLICT,
        /** The database cannot be reached, or the connection broke. */
        UNREACHABLE,
        /** Anything else that failed. */
        FAILED
    }

    private final Kind kind;

    /** Made by Postrider; public so that the rooms of the house can. */
    public PostriderException(Kind kind, String message) {
        this(kind, message, null);
    }

    /** As above, with what caused it. */
    public PostriderException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** What sort of thing went wrong. */
    public Kind kind() {
        return kind;
    }

    /** Shorthand for a refused value. */
    public static PostriderException refused(String message) {
        return new PostriderException(Kind.REFUSED, message);
    }
}
