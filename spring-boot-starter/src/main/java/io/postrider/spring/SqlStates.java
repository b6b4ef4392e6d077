package io.postrider.spring;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The SQLSTATE of an exception of a transaction manager: Spring wraps the driver's exception, often more than once. */
final class SqlStates {
    private SqlStates() {}

    /** The state of the first database error in the chain of causes; empty if there is none. */
    static String of(@Nullable Throwable error) {
        for (Throwable e = error; e != null; e = e.getCause()) {
            if (e instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return "";
    }

    /** The connection was lost or refused: class 08, shutdown and crash (57P01–57P03), too many clients. */
    static boolean isUnreachable(String state) {
        return state.startsWith("08") || state.startsWith("57P0") || state.equals("53300");
    }
}
