package io.postrider.spring;

import io.postrider.HandlerTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Opens the transactions of transactional listeners and jobs with the application's transaction manager. Code that joins Spring's
 * transactions (JPA, JdbcClient, jOOQ, JDBI, MyBatis, {@code @Transactional} services) then commits together with the event or
 * job, or not at all. Thread-safe.
 */
final class SpringTransactions implements HandlerTransactions {
    private static final Logger log = LoggerFactory.getLogger(SpringTransactions.class);

    private final TransactionManagers managers;
    private final DataSource dataSource;
    private volatile @Nullable PlatformTransactionManager chosen;

    SpringTransactions(TransactionManagers managers, DataSource dataSource) {
        this.managers = managers;
        this.dataSource = TransactionManagers.bare(dataSource);
    }

    /** Finds the manager, and refuses an ambiguous choice. Not earlier: managers may depend on beans that depend on us. */
    PlatformTransactionManager choose() {
        PlatformTransactionManager manager = chosen;
        if (manager == null) {
            manager = managers.choose();
            chosen = manager;
        }
        return manager;
    }

    @Override
    public Transaction begin() throws SQLException {
        PlatformTransactionManager manager = choose();
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setName("postrider");
        TransactionStatus status;
        try {
            status = manager.getTransaction(definition);
        } catch (RuntimeException e) {
            throw failed("cannot begin a transaction", e);
        }
        try {
            return new Spring(manager, status, connection());
        } catch (SQLException | RuntimeException e) {
            manager.rollback(status);
            throw e;
        }
    }

    /**
     * The connection that the manager has bound to this thread. If it has bound none, we would get a connection that the manager
     * does not commit: writes would be lost, or commit separately.
     */
    private Connection connection() throws SQLException {
        if (TransactionSynchronizationManager.hasResource(dataSource)) {
            Connection connection = DataSourceUtils.getConnection(dataSource);
            if (!connection.getAutoCommit()) {
                return connection;
            }
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
        throw new SQLException("transaction manager " + managers.nameOf(choose()) + " does not manage Postrider's data"
                + " source; name one that does in postrider.transaction-manager");
    }

    private static SQLException failed(String what, RuntimeException e) {
        return new SQLException(what + ": " + e.getMessage(), SqlStates.of(e), e);
    }

    /** One transaction of the manager. */
    private final class Spring implements Transaction {
        private final PlatformTransactionManager manager;
        private final TransactionStatus status;
        private final Connection connection;
        private int outcome = TransactionSynchronization.STATUS_UNKNOWN;

        Spring(PlatformTransactionManager manager, TransactionStatus status, Connection connection) {
            this.manager = manager;
            this.status = status;
            this.connection = connection;
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int ended) {
                        outcome = ended;
                    }
                });
            }
        }

        @Override
        public Connection connection() {
            return connection;
        }

        @Override
        public void flush() {
            if (!status.isRollbackOnly()) {
                status.flush(); // Hibernate sends its inserts now, so that a constraint fails this event and no other
            }
            if (status.isRollbackOnly()) {
                throw new UnexpectedRollbackException("the transaction is marked for rollback: a @Transactional method"
                        + " that the handler called has failed, and the handler went on. Let its exception through, or"
                        + " give that method Propagation.REQUIRES_NEW");
            }
        }

        @Override
        public void commit() throws RolledBackException, SQLException {
            DataSourceUtils.releaseConnection(connection, dataSource);
            try {
                manager.commit(status);
            } catch (RuntimeException e) {
                if (outcome == TransactionSynchronization.STATUS_COMMITTED) {
                    log.warn("after_commit_failed a callback of the application failed after the commit", e);
                    return;
                }
                String state = SqlStates.of(e);
                boolean rolledBack =
                        outcome == TransactionSynchronization.STATUS_ROLLED_BACK && !SqlStates.isUnreachable(state);
                if (rolledBack || HandlerTransactions.isRolledBack(state)) {
                    throw new RolledBackException(e);
                }
                throw failed("the outcome of the commit is unknown", e);
            }
        }

        @Override
        public void rollback() {
            DataSourceUtils.releaseConnection(connection, dataSource);
            manager.rollback(status);
        }
    }
}
