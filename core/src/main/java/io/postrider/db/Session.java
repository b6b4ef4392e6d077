package io.postrider.db;

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
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** One connection, and our statements on it. Not for several threads. */
public final class Session {
    private final Connection connection;
    private final Texts texts;

    Session(Connection connection, Texts texts) {
        this.connection = connection;
        this.texts = texts;
    }

    /** The rows, all at once: for results whose size is bounded by the statement. */
    public <T> List<T> query(Sql sql, Bind.Values values, Row.Reader<T> reader) {
        List<T> rows = new ArrayList<>();
        each(sql, values, 0, reader, rows::add);
        return rows;
    }

    /** The rows one by one, in memory at most {@code fetch} at a time; needs a transaction. */
    public <T> void each(Sql sql, Bind.Values values, int fetch, Row.Reader<T> reader, Consumer<? super T> to) {
        try (PreparedStatement statement = prepare(sql, values)) {
            statement.setFetchSize(fetch);
            try (ResultSet result = statement.executeQuery()) {
                Row row = new Row(result);
                while (result.next()) {
                    to.accept(reader.read(row));
                }
            }
        } catch (SQLException e) {
            throw failed(sql.name(), e);
        }
    }

    /** The first row, if there is one. */
    public <T> Optional<T> one(Sql sql, Bind.Values values, Row.Reader<T> reader) {
        List<T> rows = query(sql, values, reader);
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(0));
    }

    /** How many rows were written. */
    public int update(Sql sql, Bind.Values values) {
        try (PreparedStatement statement = prepare(sql, values)) {
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw failed(sql.name(), e);
        }
    }

    /** A whole script, as a migration is: several statements, no parameters. */
    public void script(String name, String script) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(texts.schema().applyTo(script));
        } catch (SQLException e) {
            throw failed(name, e);
        }
    }

    /** The connection itself, for a handler that is the user's. */
    public Connection connection() {
        return connection;
    }

    /** Whether an error has aborted the transaction, so that it can only be rolled back. Known to the driver: costs nothing. */
    public boolean isAborted() {
        try {
            return connection.isWrapperFor(BaseConnection.class)
                    && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED;
        } catch (SQLException e) {
            throw failed("transaction_state", e);
        }
    }

    /** Whether each statement is a transaction of its own. Known to the driver: costs nothing. */
    public boolean isAutocommit() {
        try {
            return connection.getAutoCommit();
        } catch (SQLException e) {
            throw failed("autocommit", e);
        }
    }

    /** Whether a transaction is open; true also where the driver cannot tell. */
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

    /** Without the detail, which for a refused row is the row: payloads do not belong in errors and logs. */
    private static String message(SQLException e) {
        ServerErrorMessage server = e instanceof PSQLException postgres ? postgres.getServerErrorMessage() : null;
        String text = server == null ? e.getMessage() : server.getMessage();
        return String.valueOf(text).replaceAll("\\s+", " ");
    }

    /** The error with the verb that failed and, where we know one, what to do about it. */
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
