package io.postrider;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/**
 * Opens the transactions in which transactional listeners and jobs run. The default takes a connection of the data source; an
 * integration can open them with the application's own transaction manager instead, so that the repositories that a handler calls
 * join them. Thread-safe.
 */
@FunctionalInterface
public interface HandlerTransactions {
    /** Begins a transaction on the calling thread, separate from any that the thread already has. */
    Transaction begin() throws SQLException;

    /**
     * Whether a commit that failed with this SQLSTATE was definitely rolled back because of what the transaction did, such as
     * violating a deferred constraint. False if the state is missing, or concerns the connection, the server or its resources: then
     * the outcome is unknown.
     */
    static boolean isRolledBack(String sqlState) {
        return sqlState.length() == 5 && !RolledBackException.UNKNOWN_OUTCOME.contains(sqlState.substring(0, 2));
    }

    /** One transaction. Only the thread that began it uses it and ends it. */
    interface Transaction {
        /** The connection of this transaction, on Postrider's own data source. The event or job is settled on it too. */
        Connection connection();

        /**
         * Called after the handler has finished an event or job and before Postrider settles it. Flushes pending writes of an
         * object-relational mapper. Throws if that fails or if the transaction can only be rolled back: then the handler has
         * failed.
         */
        void flush() throws Exception;

        /**
         * Commits and releases the connection. Returns if and only if the transaction is committed.
         *
         * @throws RolledBackException if the transaction was definitely rolled back: the handler has failed
         * @throws SQLException if the outcome is unknown, such as after a broken connection: Postrider then queries the database
         */
        void commit() throws RolledBackException, SQLException;

        /** Rolls back and releases the connection. */
        void rollback() throws SQLException;
    }

    /** A commit that ended in a rollback, for example because of a deferred constraint. The cause says why. */
    final class RolledBackException extends Exception {
        private static final long serialVersionUID = 1;

        /**
         * SQLSTATE classes: connection, transaction state, contention, resources, prerequisites, operator, system, configuration,
         * bug.
         */
        private static final Set<String> UNKNOWN_OUTCOME = Set.of("08", "25", "40", "53", "55", "57", "58", "F0", "XX");

        /** Wraps the reason for the rollback. */
        public RolledBackException(Throwable cause) {
            super(cause.getMessage(), cause);
        }
    }
}
