package io.postrider.db;

import io.postrider.HandlerTransactions;
import io.postrider.PostriderException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The one door to the database: connections of the application's data source, with the log's schema. Safe to share. */
public final class Database {
    private final DataSource dataSource;
    private final Texts texts;
    private final @Nullable Duration patience;
    private final HandlerTransactions handlers;
    private volatile int isolation = -1;

    public Database(DataSource dataSource, SchemaName schema) {
        this(dataSource, new Texts(schema), null, new PlainTransactions(dataSource));
    }

    private Database(DataSource dataSource, Texts texts, @Nullable Duration patience, HandlerTransactions handlers) {
        this.dataSource = dataSource;
        this.texts = texts;
        this.patience = patience;
        this.handlers = handlers;
    }

    /** The same, with another implementation that opens the transactions of handlers. */
    public Database withHandlerTransactions(HandlerTransactions others) {
        return new Database(dataSource, texts, patience, others);
    }

    /**
     * The same, but no statement takes longer than this: the server ends it. Said in each transaction and gone with it, because
     * behind a pooler a session's setting would stay for whoever has that session next.
     */
    public Database withPatience(Duration most) {
        return new Database(dataSource, texts, most, handlers);
    }

    public SchemaName schema() {
        return texts.schema();
    }

    /** Work on the caller's own connection, in whatever transaction it is in. */
    public Session on(Connection connection) {
        return new Session(connection, texts, Session.Place.CALLER);
    }

    /** Works on a connection that the caller keeps open and on which each statement is a transaction. */
    public Session onKept(Connection connection) {
        return new Session(connection, texts, Session.Place.AUTOCOMMIT);
    }

    /** Statements that are each a transaction of their own. */
    public <T> T autocommit(Work<T> work) {
        if (patience != null) {
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

    /** One statement that is a transaction of its own, READ COMMITTED whatever the role's default. */
    public <T> T statement(Work<T> work) {
        if (patience != null || isolation >= 0 && isolation != Connection.TRANSACTION_READ_COMMITTED) {
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
     * One transaction, READ COMMITTED whatever the role's default: a check that follows a lock must see what was committed
     * before the lock was had. Commits if the work returns, rolls back if it throws.
     */
    public <T> T transaction(Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            boolean autocommit = connection.getAutoCommit();
            boolean otherwise = isolation(connection) != Connection.TRANSACTION_READ_COMMITTED;
            connection.setAutoCommit(false);
            try {
                Session session = new Session(connection, texts, Session.Place.TRANSACTION);
                if (otherwise) {
                    session.script("isolation", "set transaction isolation level read committed");
                }
                if (patience != null) {
                    session.script("patience", "set local statement_timeout = " + patience.toMillis());
                }
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
     * A transaction in which a handler of the application runs: READ COMMITTED, opened and ended by {@link HandlerTransactions}.
     * Commits if the work returns, rolls back if it throws.
     *
     * @throws CommitRefusedException if the commit ended in a rollback because of what the handler did
     */
    public <T> T handlerTransaction(Work<T> work) {
        boolean otherwise = defaultIsolation() != Connection.TRANSACTION_READ_COMMITTED;
        HandlerTransactions.Transaction transaction;
        try {
            transaction = handlers.begin();
        } catch (SQLException e) {
            throw Session.failed("transaction", e);
        }
        T result;
        try {
            Session session = Session.ofHandler(transaction, texts);
            if (otherwise) {
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
            isolation = Connection.TRANSACTION_REPEATABLE_READ; // a default has changed: from now on each is told
        }
    }

    /** Asked once of a data source: to ask a connection is a round trip. Functions that depend on it look again. */
    private int isolation(Connection connection) throws SQLException {
        int known = isolation;
        if (known < 0) {
            known = connection.getTransactionIsolation();
            isolation = known;
            if (!connection.getAutoCommit()) {
                connection.rollback(); // or the question itself would stand at the beginning of our transaction
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

    /** A broken connection cannot be restored and need not be: its pool finds out by itself. */
    private static void restore(Connection connection, boolean autocommit) {
        try {
            connection.setAutoCommit(autocommit);
        } catch (SQLException e) {
            // the next user of the connection gets a new one
        }
    }

    /** What to do with a session. */
    @FunctionalInterface
    public interface Work<T> {
        T on(Session session);
    }
}
