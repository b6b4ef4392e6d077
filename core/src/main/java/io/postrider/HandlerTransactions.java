package io.postrider;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Opens the transactions in which transactional listeners and jobs run. The default takes a connection of the data source; an
 * integration can open them with the application's own transaction manager instead, so that repositories which a handler calls
 * take part. Threads may share it.
 */
@FunctionalInterface
public interface HandlerTransactions {
    /** Begins a transaction on the calling thread, separate from any that the thread already has. */
    Transaction begin() throws SQLException;

    /** One transaction. The thread that began it is the only one that uses it, and ends it. */
    interface Transaction {
        /** The connection of this transaction, on Postrider's own data source. The delivery or job is settled on it too. */
        Connection connection();

        /**
         * Called after each event or job that the handler has finished, before that is settled. Writes what an object-relational
         * mapper has not sent yet. Throws if that fails or if the transaction can only be rolled back: then the handler has failed.
         */
        void flush() throws Exception;

        /**
         * Commits and releases the connection. Returns if and only if the transaction is committed.
         *
         * @throws RolledBackException if it was rolled back for certain: the handler has failed
         * @throws SQLException if the outcome is unknown, such as when the connection broke: the database is asked
         */
        void commit() throws RolledBackException, SQLException;

        /** Rolls back and releases the connection. */
        void rollback() throws SQLException;
    }

    /** A commit that ended in a rollback, such as by a deferred constraint. The cause says why. */
    final class RolledBackException extends Exception {
        private static final long serialVersionUID = 1;

        /** For this reason. */
        public RolledBackException(Throwable cause) {
            super(cause.getMessage(), cause);
        }
    }
}
