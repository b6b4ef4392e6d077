package io.postrider.internal.db;

import io.postrider.HandlerTransactions;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * One connection, and our statements on it. Not thread-safe.
 *
 * <p>It decides under which {@code search_path} a statement runs, because a name on the application's path can resolve to another
 * role's function ({@link Sql#isForAnyPath()}):
 *
 * <pre>
 *   CALLER       the application's connection, or the transaction of its handler: refuses statements that need a pinned path
 *   TRANSACTION  a transaction of ours: pins the path before the first statement that needs it
 *   AUTOCOMMIT   one transaction per statement: runs a statement that needs a pinned path in an explicit transaction
 *   PINNED       the path is already pinned
 * </pre>
 */
public final class Session {
    static final String PINNED_PATH = "pg_catalog, pg_temp";

    /** JIT is off as well: it takes 100 ms to compile statements that run for less than 1 ms. */
    private static final String PIN = "set local search_path = " + PINNED_PATH + "; set local jit = off";

    /** Which path the statements run under. */
    enum PathMode {
        CALLER,
        TRANSACTION,
        AUTOCOMMIT,
        PINNED
    }

    private final Connection connection;
    private final StatementTexts texts;
    private final HandlerTransactions.@Nullable Transaction transaction;
    private PathMode mode;
    private @Nullable SessionSettings settings;

    Session(Connection connection, StatementTexts texts, PathMode mode) {
        this(connection, texts, mode, null);
    }

    private Session(
            Connection connection,
            StatementTexts texts,
            PathMode mode,
            HandlerTransactions.@Nullable Transaction transaction) {
        this.connection = connection;
        this.texts = texts;
        this.mode = mode;
        this.transaction = transaction;
        this.settings = transaction == null ? null : new SessionSettings(connection);
    }

    /** In a transaction of a handler. */
    static Session ofHandler(HandlerTransactions.Transaction transaction, StatementTexts texts) {
        return new Session(transaction.connection(), texts, PathMode.CALLER, transaction);
    }

    /** Returns all rows at once, for results whose size is bounded by the statement. */
    public <T> List<T> query(Sql sql, Bind.Values values, Row.Reader<T> reader) {
        List<T> rows = new ArrayList<>();
        each(sql, values, 0, reader, rows::add);
        return rows;
    }

    /** Passes on the rows one by one, with at most {@code fetch} in memory at a time; needs a transaction. */
    public <T> void each(Sql sql, Bind.Values values, int fetch, Row.Reader<T> reader, Consumer<? super T> to) {
        run(sql, () -> {
            try (PreparedStatement statement = prepare(sql, values)) {
                statement.setFetchSize(fetch);
                try (ResultSet result = statement.executeQuery()) {
                    Row row = new Row(result);
                    while (result.next()) {
                        to.accept(reader.read(row));
                    }
                    return 0;
                }
            }
        });
    }

    /** Returns the first row, if there is one. */
    public <T> Optional<T> one(Sql sql, Bind.Values values, Row.Reader<T> reader) {
        List<T> rows = query(sql, values, reader);
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(0));
    }

    /** Calls a function for its side effect. */
    public void call(Sql sql, Bind.Values values) {
        each(sql, values, 0, row -> true, called -> {});
    }

    /** Returns how many rows were written. */
    public int update(Sql sql, Bind.Values values) {
        return run(sql, () -> {
            try (PreparedStatement statement = prepare(sql, values)) {
                return statement.executeUpdate();
            }
        });
    }

    /** Runs a script, such as a migration: several statements, no parameters. */
    public void script(String name, String script) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(texts.schema().applyTo(script));
        } catch (SQLException e) {
            throw failed(name, e);
        }
    }

    /** The connection itself, for the application's code: from now on the session keeps the application's path. */
    public Connection connection() {
        mode = PathMode.CALLER;
        return connection;
    }

    /** Pins the path to the end of the transaction, for a handler of Postrider, which runs no code of the application. */
    public void pin() {
        script("pin", PIN);
        mode = PathMode.PINNED;
    }

    /** The path has been pinned for the whole session. */
    void markPinned() {
        mode = PathMode.PINNED;
    }

    private int run(Sql sql, Run statement) {
        try {
            if (sql.isForAnyPath() || mode == PathMode.PINNED) {
                return statement.run();
            }
            return switch (mode) {
                case TRANSACTION -> {
                    pin();
                    yield statement.run();
                }
                case AUTOCOMMIT -> inTransaction(statement);
                default ->
                    throw new IllegalStateException("statement " + sql.name()
                            + " would run under the application's search_path; call a function instead");
            };
        } catch (SQLException e) {
            if (mode != PathMode.CALLER) {
                Standby.discardAfter(e, connection);
            }
            throw failed(sql.verb(), e);
        }
    }

    private int inTransaction(Run statement) throws SQLException {
        connection.setAutoCommit(false);
        try {
            script("pin", PIN);
            int result = statement.run();
            connection.commit();
            return result;
        } catch (Throwable e) {
            try {
                connection.rollback();
            } catch (SQLException again) {
                e.addSuppressed(again);
            }
            throw e;
        } finally {
            try {
                connection.setAutoCommit(true);
            } catch (SQLException e) {
                // the connection is broken: its next user finds out
            }
        }
    }

    private interface Run {
        int run() throws SQLException;
    }

    /** The connection for a handler, which may not end the transaction; session settings that it changes are restored. */
    public Connection handlerConnection() {
        SessionSettings watched = settings == null ? new SessionSettings(connection) : settings;
        settings = watched;
        mode = PathMode.CALLER;
        return HandlerConnection.of(connection, watched);
    }

    /** Called before the commit: restores the session settings to their values before the handler ran. */
    void restoreSettings() {
        if (settings != null && mode != PathMode.PINNED) {
            settings.restore();
        }
    }

    /** Flushes pending writes of the handler's libraries; throws if the transaction can only be rolled back. */
    public void flush() throws Exception {
        if (transaction != null) {
            transaction.flush();
        }
    }

    /**
     * Whether an error has aborted the transaction, so that it can only be rolled back. The driver knows, so this needs no round
     * trip.
     */
    public boolean isAborted() {
        try {
            return connection.isWrapperFor(BaseConnection.class)
                    && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED;
        } catch (SQLException e) {
            throw failed("transaction_state", e);
        }
    }

    /** Whether each statement is its own transaction. The driver knows, so this needs no round trip. */
    public boolean isAutocommit() {
        try {
            return connection.getAutoCommit();
        } catch (SQLException e) {
            throw failed("autocommit", e);
        }
    }

    /** Whether a transaction is open; also true if the driver cannot tell. */
    public boolean isOpen() {
        try {
            return !connection.isWrapperFor(BaseConnection.class)
                    || connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
        } catch (SQLException e) {
            throw failed("transaction_state", e);
        }
    }

    private PreparedStatement prepare(Sql sql, Bind.Values values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(texts.of(sql));
        try {
            values.to(new Bind(statement, sql.parameters()));
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    /** Omits the detail, which for a refused row contains the row: payloads do not belong in errors and logs. */
    private static String message(SQLException e) {
        ServerErrorMessage server = e instanceof PSQLException postgres ? postgres.getServerErrorMessage() : null;
        String text = server == null ? e.getMessage() : server.getMessage();
        return String.valueOf(text).replaceAll("\\s+", " ");
    }

    /** The error with the verb that failed and, if known, advice. */
    public static PostriderException failed(String verb, SQLException e) {
        String state = SqlState.of(e);
        String detail = verb + " failed: " + message(e);
        if (SqlState.isUnreachable(state)) {
            return new PostriderException(Kind.UNREACHABLE, detail, e);
        }
        if (SqlState.isMissing(state)) {
            return new PostriderException(
                    Kind.CONFLICT, detail + "; is the schema migrated? run `postrider migrate`", e);
        }
        if (SqlState.isReadOnly(state)) {
            return new PostriderException(
                    Kind.CONFLICT, detail + "; this server is a standby or read only: connect to the primary", e);
        }
        if (state.equals("42501")) {
            return new PostriderException(
                    Kind.REFUSED, detail + "; grant the right, or connect as the role that owns the schema", e);
        }
        return new PostriderException(Kind.FAILED, detail, e);
    }
}
