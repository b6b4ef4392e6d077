package io.postrider.internal.db;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;

/**
 * Connections of a pool that lead to a standby, because a failover has moved the primary. They work, but only for reading, so a pool
 * keeps them for its whole maximum lifetime (HikariCP: 30 minutes), and every writer that gets one fails with 25006.
 */
final class Standby {
    private Standby() {}

    /**
     * Whether a transaction that has just begun is on a standby. What the driver knows costs no round trip, but may be outdated: a
     * pooler repeats what its server was when it first connected. So the server is asked if the driver says that it is one.
     */
    static boolean isReachedBy(Connection connection) {
        if (!isReported(connection)) {
            return false;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_catalog.pg_is_in_recovery()")) {
            boolean standby = row.next() && row.getBoolean(1);
            connection.rollback(); // the isolation level can be set only before the first statement
            return standby;
        } catch (SQLException e) {
            return true; // it is of no use either way
        }
    }

    private static boolean isReported(Connection connection) {
        try {
            return connection.isWrapperFor(PGConnection.class)
                    && "on".equals(connection.unwrap(PGConnection.class).getParameterStatus("in_hot_standby"));
        } catch (SQLException e) {
            return false;
        }
    }

    /** Discards the connection if the error says that its server refuses writes because it is a standby. */
    static void discardAfter(Throwable error, Connection connection) {
        if (SqlState.isReadOnly(SqlState.of(error)) && isReported(connection)) {
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
