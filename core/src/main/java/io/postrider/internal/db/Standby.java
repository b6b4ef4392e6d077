package io.postrider.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/**
 * Connections of a pool that lead to a standby, because a failover has moved the primary. They work, but only for reading, so a pool
 * keeps them for its whole maximum lifetime (HikariCP: 30 minutes), and every writer that gets one fails with 25006.
 */
final class Standby {
    private Standby() {}

    /** Whether the connection leads to a standby. The server reports every change by itself (from version 14), so no round trip. */
    static boolean isReachedBy(Connection connection) {
        try {
            return connection.isWrapperFor(PGConnection.class)
                    && "on".equals(connection.unwrap(PGConnection.class).getParameterStatus("in_hot_standby"));
        } catch (SQLException e) {
            return false;
        }
    }

    /** Discards the connection if the error says that its server refuses writes because it is a standby. */
    static void discardAfter(Throwable error, Connection connection) {
        if (SqlState.isReadOnly(SqlState.of(error)) && isReachedBy(connection)) {
            discard(connection);
        }
    }

    /** Ends it, so that its pool opens another one. */
    static void discard(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // it is broken, and its pool replaces it
        }
    }
}
