package io.postrider.proof.load;

import io.postrider.proof.history.Snapshot;
import io.postrider.proof.record.HistoryRecorder;
import io.postrider.proof.record.TransactionRecorder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * One session of the load. Each of its transactions does some of: get an xid early, lock keys (in one order, to avoid deadlocks),
 * read other keys, emit several events on several topics, roll back to savepoints, pause, roll back at the end, commit in two
 * phases. All choices are random and follow from the seed.
 */
final class Writer {
    private static final String EMIT = "insert into postrider.event (event_id, topic, type, key, payload)"
            + " values (?, ?, 'load', ?, '{}') returning id, pg_current_xact_id()::text, pg_current_snapshot()::text";

    private final Connection connection;
    private final HistoryRecorder history;
    private final Mix mix;
    private final Random random;
    private final String name;
    private int count;

    Writer(Connection connection, HistoryRecorder history, Mix mix, int number) {
        this.connection = connection;
        this.history = history;
        this.mix = mix;
        this.random = new Random(mix.seed() * 31 + number);
        this.name = "w" + number;
    }

    void run() throws SQLException {
        connection.setAutoCommit(false);
        execute("set postrider.notify = off"); // half of them prepare, and PREPARE TRANSACTION refuses a NOTIFY
        connection.commit();
        for (count = 0; count < mix.transactions(); count++) {
            transaction();
            think(4);
        }
    }

    private void transaction() throws SQLException {
        TransactionRecorder tx = history.begin();
        if (chance(20)) {
            execute("select pg_current_xact_id()"); // a low xid, with events much later
            think(20);
        }
        TreeSet<String> keys = new TreeSet<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            keys.add("k" + random.nextInt(mix.keys()));
        }
        for (String key : keys) {
            tx.locked(key, lock(key));
        }
        think(3);
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            if (chance(15)) {
                undoneEvents(tx, keys);
            } else {
                emit(tx, keys);
            }
            think(2);
        }
        end(tx);
    }

    private void undoneEvents(TransactionRecorder tx, TreeSet<String> keys) throws SQLException {
        Savepoint savepoint = connection.setSavepoint();
        TransactionRecorder.Savepoint recorded = tx.savepoint();
        emit(tx, keys);
        emit(tx, keys);
        connection.rollback(savepoint);
        tx.rolledBackTo(recorded);
    }

    private void emit(TransactionRecorder tx, TreeSet<String> keys) throws SQLException {
        UUID id = new UUID(random.nextLong(), random.nextLong());
        String topic = mix.topics().get(random.nextInt(mix.topics().size()));
        String key = keys.isEmpty() || chance(30) ? "" : keys.first();
        try (PreparedStatement insert = connection.prepareStatement(EMIT)) {
            insert.setObject(1, id);
            insert.setString(2, topic);
            insert.setString(3, key.isEmpty() ? null : key);
            try (ResultSet result = insert.executeQuery()) {
                result.next();
                tx.xid(Long.parseLong(result.getString(2)));
                tx.saw(Snapshot.parse(result.getString(3)).withInProgress(Long.parseLong(result.getString(2))));
                tx.emitted(id, topic, key, result.getLong(1));
            }
        }
    }

    private void end(TransactionRecorder tx) throws SQLException {
        if (chance(12)) {
            connection.rollback();
            tx.aborted();
        } else if (chance(6)) {
            String gid = name + "-" + count;
            execute("prepare transaction '" + gid + "'");
            think(40);
            tx.committing();
            connection.setAutoCommit(true);
            execute("commit prepared '" + gid + "'");
            connection.setAutoCommit(false);
            tx.committed();
        } else {
            tx.committing();
            connection.commit();
            tx.committed();
        }
    }

    private long lock(String key) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "update marker set version = version + 1 where key = ? returning version")) {
            update.setString(1, key);
            try (ResultSet result = update.executeQuery()) {
                result.next();
                return result.getLong(1);
            }
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    /** From zero up to this many milliseconds, usually few. */
    private void think(int most) {
        double part = random.nextDouble();
        LockSupport.parkNanos((long) (part * part * part * most * 1_000_000));
    }
}
