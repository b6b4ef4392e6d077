package io.postrider.db;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Decisions about a database error, by its SQLSTATE and never by its text. */
public final class SqlState {
    /** Connection, transaction state, contention, resources, prerequisites, operator, system, configuration, bug. */
    private static final Set<String> NO_REFUSAL = Set.of("08", "25", "40", "53", "55", "57", "58", "F0", "XX");

    private SqlState() {}

    /** The state of the first database error in the chain of causes, or the empty text. */
    public static String of(@Nullable Throwable error) {
        for (Throwable e = error; e != null; e = e.getCause()) {
            if (e instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return "";
    }

    /** The name of the constraint that a database error in the chain of causes is about, or the empty text. */
    public static String constraintOf(@Nullable Throwable error) {
        for (Throwable e = error; e != null; e = e.getCause()) {
            ServerErrorMessage message = e instanceof PSQLException sql ? sql.getServerErrorMessage() : null;
            String constraint = message == null ? null : message.getConstraint();
            if (constraint != null) {
                return constraint;
            }
        }
        return "";
    }

    /** The connection is gone or could not be had: class 08, shutdown and crash (57P01–57P03), too many clients. */
    public static boolean isUnreachable(String state) {
        return state.startsWith("08") || state.startsWith("57P0") || state.equals("53300");
    }

    /**
     * Whether a commit that fails with this state was rolled back because of what the transaction did, such as violating a
     * deferred constraint. False if the state is missing, or concerns the connection, the server or its resources.
     */
    public static boolean isRefusal(String state) {
        return state.length() == 5 && !NO_REFUSAL.contains(state.substring(0, 2));
    }

    /** Somebody else was in the way for a moment: lock_timeout, deadlock, serialisation. */
    public static boolean isContention(String state) {
        return isLocked(state) || state.equals("40P01") || state.equals("40001");
    }

    /** A lock was not to be had in the time of lock_timeout. */
    public static boolean isLocked(String state) {
        return state.equals("55P03");
    }

    /** Whether the content of a row caused the error: a data exception, an exceeded limit, a value that cannot be read. */
    public static boolean isOfTheData(String state) {
        return state.startsWith("22") || state.startsWith("54") || state.equals("XX001") || state.equals("XX002");
    }

    /** The server is or became read only: a standby, or a demoted primary behind a stale pool. */
    public static boolean isReadOnly(String state) {
        return state.equals("25006");
    }

    /** The schema, a table or a function is not there: not migrated. */
    public static boolean isMissing(String state) {
        return state.equals("42P01") || state.equals("3F000") || state.equals("42883");
    }

    /** The role lacks a privilege. */
    public static boolean isForbidden(String state) {
        return state.equals("42501");
    }
}
