package io.postrider.proof.protocols;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.proof.interleaving.Interleaving;
import io.postrider.proof.interleaving.InterleavingOptions;
import io.postrider.proof.interleaving.Schedule;
import io.postrider.proof.interleaving.Session;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestRun;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.postgresql.PGConnection;

/**
 * Small protocols in every order in which their steps can happen, on real sessions. Each schedule has topics, or a listener,
 * or a queue, of its own, so that nothing has to be cleared between them.
 */
abstract class Protocols {
    private final List<Connection> connections = new ArrayList<>();

    /** Which schedule is run: goes into the names of what it works on. */
    final AtomicInteger run = new AtomicInteger();

    private HikariDataSource pool;

    /** Looks, and prepares; takes no part. */
    Connection watcher;

    /** A usual run samples protocols with more schedules than this, from a random start; {@code ./test prove} runs all. */
    private static final int USUAL_SCHEDULES = 300;

    /** The schedules that there are, whether they ran or not. */
    private int schedules;

    @BeforeEach
    void migrate(TestDatabase database) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setMaximumPoolSize(12);
        config.setMinimumIdle(0);
        pool = new HikariDataSource(config);
        Postrider.on(pool, Options.defaults().withNode("protocols").withSegmentSize(1_000_000))
                .migrate();
        watcher = connection();
        watcher.setAutoCommit(true);
        execute(watcher, "select postrider.sequence(1000)");
    }

    @AfterEach
    void close() throws SQLException {
        for (Connection connection : connections) {
            connection.close();
        }
        pool.close();
    }

    /** What a schedule works on. */
    abstract void prepare() throws SQLException;

    interface Check {
        void afterwards() throws Exception;
    }

    /** Runs every schedule, or a sample in a usual run if there are very many. */
    @SafeVarargs
    final void every(Check check, Session<Connection>... sessions) throws Exception {
        try (Interleaving<Connection> race = race(sessions)) {
            List<Schedule> all = new ArrayList<>();
            race.schedules().forEach(all::add);
            schedules += all.size();
            int step = TestRun.proves() ? 1 : (all.size() + USUAL_SCHEDULES - 1) / USUAL_SCHEDULES;
            int first = step == 1 ? 0 : Math.floorMod(TestRun.seed("sample of schedules"), step);
            for (int i = first; i < all.size(); i += step) {
                play(race, all.get(i), check);
            }
        }
    }

    /** Runs one schedule, in the format of {@link Schedule#parse}. */
    @SafeVarargs
    final void one(String schedule, Check check, Session<Connection>... sessions) throws Exception {
        try (Interleaving<Connection> race = race(sessions)) {
            play(race, Schedule.parse(schedule), check);
        }
    }

    @SafeVarargs
    private Interleaving<Connection> race(Session<Connection>... sessions) throws SQLException {
        execute(watcher, "create table if not exists effect (n int not null, position bigint, attempt int)");
        InterleavingOptions<Connection> options = InterleavingOptions.<Connection>blockedWhen(
                        (c, thread) -> isBlocked(c))
                .withPatience(Duration.ofSeconds(20))
                .withRollback(c -> {
                    if (!c.getAutoCommit()) {
                        c.rollback();
                    }
                });
        return new Interleaving<>(options, sessions);
    }

    private void play(Interleaving<Connection> race, Schedule schedule, Check check) throws Exception {
        run.incrementAndGet();
        prepare();
        race.run(schedule);
        try {
            check.afterwards();
        } catch (AssertionError e) {
            throw new AssertionError("schedule " + schedule + ": " + e.getMessage(), e);
        }
    }

    /** Asserts how many schedules there are and how many of them ran: all with {@code ./test prove}, else the sample. */
    final void assertRan(int all, int sample) {
        assertThat(schedules).as("schedules").isEqualTo(all);
        assertThat(run.get()).as("schedules that ran").isEqualTo(TestRun.count(sample, all));
    }

    /** Replaces a function of the schema by one with a mistake in it: the text that makes it right is taken out. */
    void mutate(String function, String text, String instead) throws SQLException {
        String right;
        try (InputStream in = Postrider.class.getResourceAsStream("/postrider/functions/" + function + ".sql")) {
            right = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!right.contains(text)) {
            throw new AssertionError(function + ".sql has no such text any more: " + text);
        }
        execute(watcher, right.replace(text, instead));
    }

    private boolean isBlocked(Connection connection) throws SQLException {
        int pid = connection.unwrap(PGConnection.class).getBackendPID();
        return truth(watcher, "select cardinality(pg_blocking_pids(" + pid + ")) > 0");
    }

    static boolean truth(Connection connection, String sql) throws SQLException {
        return text(connection, sql).equals("t");
    }

    static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            return result.next() ? String.valueOf(result.getString(1)) : "";
        }
    }

    long number(String sql) throws SQLException {
        return Long.parseLong(text(watcher, sql));
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    Connection connection() throws SQLException {
        Connection connection = pool.getConnection();
        connection.setAutoCommit(false);
        connections.add(connection);
        return connection;
    }

    Connection autocommit() throws SQLException {
        Connection connection = connection();
        connection.setAutoCommit(true);
        return connection;
    }
}
