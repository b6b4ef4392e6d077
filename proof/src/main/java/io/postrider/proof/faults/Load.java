package io.postrider.proof.faults;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Producers that behave like real ones: several events per transaction, a number taken early and used late, savepoints,
 * rollbacks, pauses at the wrong moment. They remember the outcome of each transaction, so that it can be compared with the log
 * afterwards.
 *
 * <p>Events of a key carry 1, 2, 3 … from a counter that is updated under the key's row lock in the same transaction. So in the
 * order of their positions they must increase without a gap, whatever happened (G1, G2, G4).
 */
public final class Load implements AutoCloseable {
    private static final int KEYS = 24;
    private static final Duration RETRY = Duration.ofMillis(10);

    private final DataSource dataSource;
    private final Postrider postrider;
    private final String topic;
    private final Duration think;
    private final List<Thread> threads = new ArrayList<>();
    private final ConcurrentLinkedQueue<Transaction> transactions = new ConcurrentLinkedQueue<>();
    private final AtomicLong committed = new AtomicLong();
    private volatile boolean running = true;
    private volatile boolean lazy;

    /** @param think the longest pause of a producer between two transactions and within one */
    public Load(DataSource dataSource, String topic, long seed, int producers, Duration think) {
        this.dataSource = dataSource;
        this.postrider = Postrider.on(dataSource);
        this.topic = topic;
        this.think = think;
        for (int i = 0; i < producers; i++) {
            Random random = new Random(seed * 31 + i);
            Thread thread = new Thread(() -> produce(random), "producer-" + i);
            thread.setDaemon(true);
            threads.add(thread);
        }
    }

    public Load start() {
        threads.forEach(Thread::start);
        return this;
    }

    /** Sets whether commits return before they are durable from now on ({@code synchronous_commit = off}). */
    public void beLazy(boolean now) {
        lazy = now;
    }

    /** The number of transactions that have certainly committed. */
    public long committed() {
        return committed.get();
    }

    /** Lets every producer finish its transaction. Returns the outcome of all of them. */
    public List<Transaction> stop() throws InterruptedException {
        running = false;
        for (Thread thread : threads) {
            thread.join();
        }
        return List.copyOf(transactions);
    }

    @Override
    public void close() throws InterruptedException {
        stop();
    }

    private void produce(Random random) {
        Connection connection = null;
        while (running) {
            try {
                if (connection == null) {
                    connection = dataSource.getConnection();
                    connection.setAutoCommit(false);
                }
                transact(connection, random);
                pause(random);
            } catch (SQLException | PostriderException e) {
                close(connection);
                connection = null;
                LockSupport.parkNanos(RETRY.toNanos());
            }
        }
        close(connection);
    }

    private void transact(Connection connection, Random random) throws SQLException {
        Draft draft = new Draft(lazy);
        try {
            if (draft.lazy) {
                execute(connection, "set local synchronous_commit = off");
            }
            if (random.nextInt(4) == 0) {
                execute(connection, "select pg_current_xact_id()"); // gets its xid early, emits late
                pause(random);
            }
            String key = "key-" + random.nextInt(KEYS);
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                draft.kept.add(emit(connection, key));
            }
            if (random.nextInt(4) == 0) {
                savepoint(connection, random, key, draft);
            }
            if (random.nextInt(3) == 0) {
                pause(random);
            }
            if (random.nextInt(8) == 0) {
                connection.rollback();
                end(draft, Fate.ROLLED_BACK);
                return;
            }
        } catch (SQLException | PostriderException e) {
            end(draft, Fate.ROLLED_BACK); // commit was never sent
            throw e;
        }
        try {
            connection.commit();
        } catch (SQLException e) {
            end(draft, Fate.UNKNOWN); // the reply was lost, perhaps not the commit
            throw e;
        }
        committed.incrementAndGet();
        end(draft, draft.lazy ? Fate.COMMITTED_LAZILY : Fate.COMMITTED);
    }

    private void savepoint(Connection connection, Random random, String key, Draft draft) throws SQLException {
        Savepoint savepoint = connection.setSavepoint();
        UUID within = emit(connection, key);
        if (random.nextBoolean()) {
            connection.rollback(savepoint);
            draft.undone.add(within);
        } else {
            connection.releaseSavepoint(savepoint);
            draft.kept.add(within);
        }
    }

    private UUID emit(Connection connection, String key) throws SQLException {
        return postrider.emit(
                connection,
                Event.of(topic, "counted", "{\"n\":" + count(connection, key) + "}")
                        .withKey(key));
    }

    private static long count(Connection connection, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("insert into counter as c (key, n) values (?, 1)"
                + " on conflict (key) do update set n = c.n + 1 returning n")) {
            statement.setString(1, key);
            try (ResultSet result = statement.executeQuery()) {
                result.next();
                return result.getLong(1);
            }
        }
    }

    private void end(Draft draft, Fate fate) {
        transactions.add(new Transaction(fate, List.copyOf(draft.kept), List.copyOf(draft.undone)));
    }

    private void pause(Random random) {
        LockSupport.parkNanos((long) (random.nextDouble() * think.toNanos()));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void close(@Nullable Connection connection) {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            // broken already
        }
    }

    /** The outcome of a transaction, as far as its producer can know. */
    public enum Fate {
        /** Confirmed by the server, and durable at that time. */
        COMMITTED,
        /** Confirmed by the server, but a crash may have lost it. */
        COMMITTED_LAZILY,
        ROLLED_BACK,
        /** The connection broke during the commit: either all of it exists, or nothing. */
        UNKNOWN
    }

    /**
     * One transaction, as its producer remembers it.
     *
     * @param kept the events that exist if it committed
     * @param undone the events of a savepoint that was rolled back
     */
    public record Transaction(Fate fate, List<UUID> kept, List<UUID> undone) {}

    private static final class Draft {
        final boolean lazy;
        final List<UUID> kept = new ArrayList<>();
        final List<UUID> undone = new ArrayList<>();

        Draft(boolean lazy) {
            this.lazy = lazy;
        }
    }
}
