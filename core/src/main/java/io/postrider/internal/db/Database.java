package io.postrider.internal.db;

import io.postrider.HandlerTransactions;
import io.postrider.PostriderException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The only access to the database: connections of the application's data source, with the log's schema. Thread-safe. */
public final class Database {
    /** More connections than a pool has: after a failover each of them may lead to the demoted primary. */
    private static final int MOST_STALE = 100;

    private final DataSource dataSource;
    private final StatementTexts texts;
    private final @Nullable Duration patience;
    private final @Nullable Duration lockTimeout;
    private final HandlerTransactions handlers;
    private volatile int isolation = -1;

    public Database(DataSource dataSource, SchemaName schema) {
        this(dataSource, new StatementTexts(schema), null, null, new PlainTransactions(dataSource));
    }

    private Database(
            DataSource dataSource,
            StatementTexts texts,
            @Nullable Duration patience,
            @Nullable Duration lockTimeout,
            HandlerTransactions handlers) {
        this.dataSource = dataSource;
        this.texts = texts;
        this.patience = patience;
        this.lockTimeout = lockTimeout;
        this.handlers = handlers;
    }

    /** The same, with another implementation that opens the transactions of handlers. */
    public Database withHandlerTransactions(HandlerTransactions others) {
        return new Database(dataSource, texts, patience, lockTimeout, others);
    }

    /**
     * The same, but the server cancels a statement that takes longer than this. Set in each transaction and reset with it: behind
     * a pooler, a session setting would remain for the next client.
     */
    public Database withPatience(Duration most) {
        return new Database(dataSource, texts, most, lockTimeout, handlers);
    }

    /** The same, but no statement waits longer than this for a lock. Set in each transaction, for the reason above. */
    public Database withLockTimeout(Duration most) {
        return new Database(dataSource, texts, patience, most, handlers);
    }

    /** The same without these two limits, for work that sets its own. */
    public Database unlimited() {
        return new Database(dataSource, texts, null, null, handlers);
    }

    public SchemaName schema() {
        return texts.schema();
    }

    /** Works on the caller's own connection, in its current transaction. */
    public Session on(Connection connection) {
        return new Session(connection, texts, Session.PathMode.CALLER);
    }

    /** Works on a connection that the caller keeps open and on which each statement is a transaction. */
    public Session onKept(Connection connection) {
        return new Session(connection, texts, Session.PathMode.AUTOCOMMIT);
    }

    private boolean isLimited() {
        return patience != null || lockTimeout != null;
    }

    private void limit(Session session) {
        if (patience != null) {
            session.script("patience", "set local statement_timeout = " + patience.toMillis());
        }
        if (lockTimeout != null) {
            session.script("lock_timeout", "set local lock_timeout = " + lockTimeout.toMillis());
        }
    }

    /** Runs statements that are each their own transaction. */
    public <T> T autocommit(Work<T> work) {
        if (isLimited()) {
            return transaction(work);
        }
        try (Connection connection = dataSource.getConnection()) {
            if (!connection.getAutoCommit()) {
                connection.setAutoCommit(true);
            }
            return work.on(onKept(connection));
        } catch (SQLException e) {
            throw Session.failed("connect", e);
        }
    }

    /** Runs one statement as its own transaction, READ COMMITTED whatever the role's default. */
    public <T> T statement(Work<T> work) {
        if (isLimited() || isolation >= 0 && isolation != Connection.TRANSACTION_READ_COMMITTED) {
            return transaction(work);
        }
        try (Connection connection = dataSource.getConnection()) {
            boolean plain = isolation(connection) == Connection.TRANSACTION_READ_COMMITTED;
            if (plain) {
                if (!connection.getAutoCommit()) {
                    connection.setAutoCommit(true);
                }
                return work.on(onKept(connection));
            }
        } catch (PostriderException e) {
            noticeIsolation(e);
            throw e;
        } catch (SQLException e) {
            throw Session.failed("connect", e);
        }
        return transaction(work);
    }

    /**
     * Runs one transaction, READ COMMITTED whatever the role's default: a check that follows a lock must see everything that was
     * committed before the lock was acquired. Commits if the work returns, rolls back if it throws.
     */
    public <T> T transaction(Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            boolean autocommit = connection.getAutoCommit();
            boolean setIsolation = isolation(connection) != Connection.TRANSACTION_READ_COMMITTED;
            connection.setAutoCommit(false);
            try {
                Session session = new Session(connection, texts, Session.PathMode.TRANSACTION);
                if (setIsolation) {
                    session.script("isolation", "set transaction isolation level read committed");
                }
                limit(session);
                T result = work.on(session);
                connection.commit();
                return result;
            } catch (Throwable e) {
                rollback(connection, e);
                noticeIsolation(e);
                throw e;
            } finally {
                restore(connection, autocommit);
            }
        } catch (SQLException e) {
            throw Session.failed("transaction", e);
        }
    }

    /**
     * Runs a transaction for a handler of the application: READ COMMITTED, opened and ended by {@link HandlerTransactions}.
     * Commits if the work returns, rolls back if it throws.
     *
     * @throws CommitRefusedException if the commit ended in a rollback because of what the handler did
     */
    public <T> T handlerTransaction(Work<T> work) {
        boolean setIsolation = defaultIsolation() != Connection.TRANSACTION_READ_COMMITTED;
        HandlerTransactions.Transaction transaction = beginOnPrimary();
        T result;
        try {
            Session session = Session.ofHandler(transaction, texts);
            if (setIsolation) {
                session.script("isolation", "set transaction isolation level read committed");
            }
            result = work.on(session);
            session.restoreSettings();
        } catch (Throwable e) {
            try {
                transaction.rollback();
            } catch (SQLException | RuntimeException unclean) {
                e.addSuppressed(unclean);
            }
            noticeIsolation(e);
            throw e;
        }
        try {
            transaction.commit();
            return result;
        } catch (HandlerTransactions.RolledBackException e) {
            throw new CommitRefusedException(e);
        } catch (SQLException e) {
            throw Session.failed("commit", e);
        }
    }

    /**
     * Begins a transaction of the handler. Connections that lead to a standby are closed, so that the pool opens others: on one of
     * them the handler's first write would fail, and the attempt would count.
     */
    private HandlerTransactions.Transaction beginOnPrimary() {
        for (int tries = 0; tries < MOST_STALE; tries++) {
            try {
                HandlerTransactions.Transaction transaction = handlers.begin();
                if (!Standby.isReachedBy(transaction.connection())) {
                    return transaction;
                }
                Standby.discard(transaction.connection());
                rollback(transaction);
            } catch (SQLException e) {
                throw Session.failed("transaction", e);
            }
        }
        throw new PostriderException(
                PostriderException.Kind.CONFLICT,
                "the data source gives only connections to a standby; Postrider must be connected to the primary");
    }

    private static void rollback(HandlerTransactions.Transaction discarded) {
        try {
            discarded.rollback();
        } catch (SQLException | RuntimeException e) {
            // its connection is closed already
        }
    }

    /** The isolation level that connections have by default. */
    private int defaultIsolation() {
        if (isolation >= 0) {
            return isolation;
        }
        try (Connection connection = dataSource.getConnection()) {
            return isolation(connection);
        } catch (SQLException e) {
            throw Session.failed("connect", e);
        }
    }

    private void noticeIsolation(Throwable e) {
        if (SqlState.of(e).equals("PR001")) {
            isolation =
                    Connection.TRANSACTION_REPEATABLE_READ; // a default has changed: from now on each transaction sets
            // its level
        }
    }

    /** Queried once per data source, because it is a round trip. Functions that depend on the isolation level check it again. */
    private int isolation(Connection connection) throws SQLException {
        int known = isolation;
        if (known < 0) {
            known = connection.getTransactionIsolation();
            isolation = known;
            if (!connection.getAutoCommit()) {
                connection.rollback(); // otherwise the query itself would begin our transaction
            }
        }
        return known;
    }

    private static void rollback(Connection connection, Throwable because) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            because.addSuppressed(e);
        }
    }

    /** A broken connection cannot be restored and need not be: its pool replaces it. */
    private static void restore(Connection connection, boolean autocommit) {
        try {
            connection.setAutoCommit(autocommit);
        } catch (SQLException e) {
            // the next user of the connection gets a new one
        }
    }

    /** Work on a session. */
    @FunctionalInterface
    public interface Work<T> {
        T on(Session session);
    }
}
