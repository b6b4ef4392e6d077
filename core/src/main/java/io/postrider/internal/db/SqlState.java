package io.postrider.internal.db;

import io.postrider.HandlerTransactions;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Decisions about a database error, by its SQLSTATE and never by its text. */
public final class SqlState {
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

    /**
     * What depends on an object that a statement was to drop or change, in the words of the server and in one line; the empty text
     * for any other error.
     */
    public static String dependantsOf(@Nullable Throwable error) {
        String state = of(error);
        if (!state.equals("2BP01") && !state.equals("0A000")) {
            return "";
        }
        for (Throwable e = error; e != null; e = e.getCause()) {
            ServerErrorMessage message = e instanceof PSQLException sql ? sql.getServerErrorMessage() : null;
            String detail = message == null ? null : message.getDetail();
            if (detail != null) {
                return detail.replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
            }
        }
        return "";
    }

    /** The connection is lost or could not be established: class 08, shutdown and crash (57P01–57P03), too many clients. */
    public static boolean isUnreachable(String state) {
        return state.startsWith("08") || state.startsWith("57P0") || state.equals("53300");
    }

    /** Whether a commit that failed with this state was definitely rolled back. */
    public static boolean isRefusal(String state) {
        return HandlerTransactions.isRolledBack(state);
    }

    /** A conflict with another transaction: lock_timeout, deadlock, serialisation. */
    public static boolean isContention(String state) {
        return isLocked(state) || state.equals("40P01") || state.equals("40001");
    }

    /** A lock was not available within lock_timeout. */
    public static boolean isLocked(String state) {
        return state.equals("55P03");
    }

    /** The server has no memory left, or no entry in its lock table. The connection is intact. */
    public static boolean isOutOfMemory(String state) {
        return state.equals("53200");
    }

    /** Whether the content of a row caused the error: a data exception, an exceeded limit, a value that cannot be read. */
    public static boolean isOfTheData(String state) {
        return state.startsWith("22") || state.startsWith("54") || state.equals("XX001") || state.equals("XX002");
    }

    /** The server is or became read only: a standby, or a demoted primary behind a stale pool. */
    public static boolean isReadOnly(String state) {
        return state.equals("25006");
    }

    /** The schema, a table or a function is missing: not migrated. */
    public static boolean isMissing(String state) {
        return state.equals("42P01") || state.equals("3F000") || state.equals("42883");
    }

    /** The role lacks a privilege. */
    public static boolean isForbidden(String state) {
        return state.equals("42501");
    }
}
