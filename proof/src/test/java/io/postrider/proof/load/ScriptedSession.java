package io.postrider.proof.load;

import io.postrider.proof.history.Snapshot;
import io.postrider.proof.record.HistoryRecorder;
import io.postrider.proof.record.TransactionRecorder;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;

/** A session that a test drives step by step and whose transactions are recorded. */
final class ScriptedSession implements AutoCloseable {
    static final String TOPIC = "orders";

    private final Connection connection;
    private final HistoryRecorder history;
    private TransactionRecorder transaction;

    ScriptedSession(DataSource dataSource, HistoryRecorder history) throws SQLException {
        this.connection = dataSource.getConnection();
        this.history = history;
        connection.setAutoCommit(false);
    }

    /** Begins a transaction that has its number before it emits anything. */
    ScriptedSession number() throws SQLException {
        return record("select pg_current_xact_id()::text, pg_current_snapshot()::text, 0", null);
    }

    /** Emits an event, in a new transaction if none is open. */
    ScriptedSession emit() throws SQLException {
        UUID id = UUID.randomUUID();
        return record(
                "insert into postrider.event (event_id, topic, type, payload) values ('" + id + "', '" + TOPIC
                        + "', 'scripted', '{}') returning pg_current_xact_id()::text, pg_current_snapshot()::text, id",
                id);
    }

    ScriptedSession commit() throws SQLException {
        transaction.committing();
        connection.commit();
        transaction.committed();
        transaction = null;
        return this;
    }

    /** Runs one pass of the sequencer. */
    void pass() throws SQLException {
        execute("select postrider.sequence(20000)");
        connection.commit();
    }

    /** Runs one pass in a separate thread; if the function has a gate, the pass waits there for this advisory lock. */
    CompletableFuture<Void> passThrough(long gate) throws SQLException {
        execute("set mutant.gate = '" + gate + "'");
        connection.commit();
        return CompletableFuture.runAsync(() -> {
            try {
                pass();
            } catch (SQLException e) {
                throw new IllegalStateException("a pass failed", e);
            }
        });
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    boolean isTrue(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            boolean answer = result.getBoolean(1);
            connection.commit();
            return answer;
        }
    }

    private ScriptedSession record(String sql, UUID event) throws SQLException {
        if (transaction == null) {
            transaction = history.begin();
        }
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            long xid = Long.parseLong(result.getString(1));
            transaction.xid(xid);
            transaction.saw(Snapshot.parse(result.getString(2)).withInProgress(xid));
            if (event != null) {
                transaction.emitted(event, TOPIC, result.getLong(3));
            }
        }
        return this;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
