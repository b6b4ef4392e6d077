package io.postrider;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A request was refused or failed. The message is one line: what happened, the value or setting by name, and what to do next. */
public final class PostriderException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The kind of error. It decides the exit code of the command and whether a retry makes sense. */
    public enum Kind {
        /** A value or setting was refused. Nothing was done. */
        REFUSED,
        /** The named object does not exist. */
        NOT_FOUND,
        /** The current state forbids the request: a newer schema, a lost race, a detached listener. */
        CONFLICT,
        /** The database cannot be reached, or the connection broke. */
        UNREACHABLE,
        /** Anything else that failed. */
        FAILED
    }

    private final Kind kind;

    /** Creates an exception with a message of one line. For Postrider and its integrations. */
    public PostriderException(Kind kind, String message) {
        this(kind, message, null);
    }

    /** The same with a cause. */
    public PostriderException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** The kind of error. */
    public Kind kind() {
        return kind;
    }

    /** The SQLSTATE of the database error that caused it; empty if there is none. */
    public String sqlState() {
        for (Throwable e = getCause(); e != null; e = e.getCause()) {
            if (e instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return "";
    }

    /** Creates an exception of kind REFUSED. */
    public static PostriderException refused(String message) {
        return new PostriderException(Kind.REFUSED, message);
    }
}
