package io.postrider.proof.load;

import io.postrider.proof.history.History;
import io.postrider.proof.history.Snapshot;
import io.postrider.proof.record.HistoryRecorder;
import io.postrider.proof.record.ListenerRecorder;
import io.postrider.proof.record.LogRecorder;
import io.postrider.proof.record.TransactionRecorder;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;

/**
 * Runs a mix of writers on a database and records the history. The order of commits is read from the WAL by logical decoding,
 * which is independent of the sequencer.
 */
public final class LoadRun implements AutoCloseable {
    private static final String SLOT = "postrider_load";

    private final DataSource dataSource;
    private final Mix mix;
    private final HistoryRecorder history = new HistoryRecorder();

    public LoadRun(DataSource dataSource, Mix mix) throws SQLException {
        this.dataSource = dataSource;
        this.mix = mix;
        execute("create table marker (key text primary key, version bigint not null)");
        execute("insert into marker select 'k' || n, 0 from generate_series(0, " + (mix.keys() - 1) + ") n");
        execute("create table effect (n bigserial primary key, listener text not null, position bigint not null,"
                + " event_id uuid not null)");
        execute("select pg_create_logical_replication_slot('" + slot() + "', 'test_decoding')");
    }

    public HistoryRecorder history() {
        return history;
    }

    /** Runs all writers to their end, optionally with one transaction that is open from before the first to after the last. */
    public void run() throws Exception {
        if (!mix.oneOpenThroughout()) {
            runWriters();
            return;
        }
        try (Connection open = dataSource.getConnection()) {
            TransactionRecorder throughout = begin(open);
            runWriters();
            throughout.committing();
            open.commit();
            throughout.committed();
        }
    }

    private void runWriters() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(mix.writers());
        try {
            List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < mix.writers(); i++) {
                int number = i;
                writers.add(threads.submit((Callable<Void>) () -> {
                    try (Connection connection = dataSource.getConnection()) {
                        new Writer(connection, history, mix, number).run();
                    }
                    return null;
                }));
            }
            for (Future<?> writer : writers) {
                get(writer);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void get(Future<?> writer) throws Exception {
        try {
            writer.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a writer failed", e.getCause());
        }
    }

    private TransactionRecorder begin(Connection open) throws SQLException {
        open.setAutoCommit(false);
        TransactionRecorder tx = history.begin();
        UUID id = UUID.randomUUID();
        String topic = mix.topics().get(0);
        try (Statement statement = open.createStatement();
                ResultSet result = statement.executeQuery("insert into postrider.event (event_id, topic, type, payload)"
                        + " values ('" + id + "', '" + topic + "', 'whole', '{}')"
                        + " returning id, pg_current_xact_id()::text, pg_current_snapshot()::text")) {
            result.next();
            tx.xid(Long.parseLong(result.getString(2)));
            tx.saw(Snapshot.parse(result.getString(3)).withInProgress(Long.parseLong(result.getString(2))));
            tx.emitted(id, topic, result.getLong(1));
        }
        return tx;
    }

    /** How many committed events of a topic must get positions, according to the table. */
    public long committed(String topic) throws SQLException {
        return number("select count(*) from postrider.event where topic = '" + topic + "'");
    }

    /** The history, with the final logs, the effects, and the order of commits from the WAL. */
    public History tell(List<String> transactionalListeners) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (String topic : mix.topics()) {
                LogRecorder log = history.log(topic);
                try (ResultSet rows = statement.executeQuery("select l.position, e.event_id from postrider.log l"
                        + " join postrider.event e using (tx, id) where l.topic = '" + topic
                        + "' order by l.position")) {
                    while (rows.next()) {
                        log.at(rows.getLong(1), rows.getObject(2, UUID.class));
                    }
                }
            }
            for (String name : transactionalListeners) {
                String topic = name.substring(0, name.indexOf('-'));
                ListenerRecorder listener = history.listener(name, topic).transactional();
                try (ResultSet rows = statement.executeQuery(
                        "select position, event_id from effect where listener = '" + name + "' order by n")) {
                    while (rows.next()) {
                        listener.effect(rows.getLong(1), rows.getObject(2, UUID.class));
                    }
                }
                listener.finished();
            }
            history.commitOrder(commitOrder(statement));
        }
        return history.history();
    }

    private long[] commitOrder(Statement statement) throws SQLException {
        List<Long> xids = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery("select xid::text from pg_logical_slot_peek_changes('" + slot()
                + "', null, null, 'skip-empty-xacts', 'off') where data like 'COMMIT%'")) {
            while (rows.next()) {
                xids.add(Long.parseLong(rows.getString(1)));
            }
        }
        return xids.stream().mapToLong(Long::longValue).toArray();
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Slots belong to the whole server, so each run has its own. */
    private String slot() {
        return SLOT + "_" + ProcessHandle.current().pid() + "_" + Integer.toHexString(System.identityHashCode(this));
    }

    @Override
    public void close() throws SQLException {
        execute("select pg_drop_replication_slot('" + slot() + "')");
    }
}
