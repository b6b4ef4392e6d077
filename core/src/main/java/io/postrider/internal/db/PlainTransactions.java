package io.postrider.internal.db;

import io.postrider.HandlerTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Opens handlers' transactions on connections of the data source, without a transaction manager. */
final class PlainTransactions implements HandlerTransactions {
    private final DataSource dataSource;

    PlainTransactions(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public Transaction begin() throws SQLException {
        Connection connection = dataSource.getConnection();
        try {
            boolean autocommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            return new Plain(connection, autocommit);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private record Plain(Connection connection, boolean autocommit) implements Transaction {
        @Override
        public void flush() {
            // JDBC sends each statement immediately, so there is nothing to flush
        }

        @Override
        public void commit() throws RolledBackException, SQLException {
            try (connection) {
                try {
                    connection.commit();
                } catch (SQLException e) {
                    rollBack(e);
                    if (SqlState.isRefusal(SqlState.of(e))) {
                        throw new RolledBackException(e);
                    }
                    throw e;
                } finally {
                    restore();
                }
            }
        }

        private void rollBack(SQLException because) {
            try {
                connection.rollback();
            } catch (SQLException e) {
                because.addSuppressed(e);
            }
        }

        @Override
        public void rollback() throws SQLException {
            try (connection) {
                try {
                    connection.rollback();
                } finally {
                    restore();
                }
            }
        }

        /** The state of a broken connection cannot be restored and need not be: its pool replaces it. */
        private void restore() {
            try {
                connection.setAutoCommit(autocommit);
            } catch (SQLException e) {
                // the pool finds out when it validates the connection
            }
        }
    }
}
