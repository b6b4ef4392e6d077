package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.Reach;
import io.postrider.admin.EventFilter;
import io.postrider.admin.EventLog;
import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.program.PgBouncer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reads of the event log through PgBouncer, which gives a session to whoever comes next: no reach stays behind in one. */
@Tag("slow")
@Tag("once")
@NeedsProgram("pgbouncer")
@PostgresTest(failOnOpenSessions = false)
@Tag("security")
class EventLogPoolerTest {
    private static final int SESSIONS = 2;
    private static final int THREADS = 6;
    private static final int EACH = 2_000;

    @Test
    void twelve_thousand_reads_of_many_reaches_share_two_sessions_and_leak_nothing(TestDatabase database)
            throws Exception {
        Postrider.on(database.dataSource()).migrate();
        Rows.execute(
                database.dataSource(),
                "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers, created_at,"
                        + " project_id, user_id) select 'orders', i, gen_random_uuid(), 't', '{}', '{}', now(), 'p' || i % 4,"
                        + " 'u' || i % 5 from generate_series(1, 100) i");
        Queue<String> leaks = new ConcurrentLinkedQueue<>();
        long seed = Seed.next("pooled reads");
        try (PgBouncer pooler = PgBouncer.before(database, SESSIONS);
                HikariDataSource pool = Node.pool(pooler.url() + "&ApplicationName=canary", THREADS)) {
            pool.setConnectionTimeout(30_000);
            EventLog eventLog = Postrider.on(pool).eventLog();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(seed + i);
                Thread thread = new Thread(() -> {
                    for (int n = 0; n < EACH; n++) {
                        borrow(eventLog, pool, random, leaks);
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertThat(leaks).isEmpty();
    }

    private static void borrow(EventLog eventLog, DataSource pool, Random random, Queue<String> leaks) {
        try {
            switch (random.nextInt(5)) {
                case 0 -> plain(pool, leaks);
                case 1 -> check(eventLog, Reach.project("p" + random.nextInt(5)), leaks);
                case 2 -> check(eventLog, Reach.user("u" + random.nextInt(6), "p" + random.nextInt(5)), leaks);
                case 3 -> check(eventLog, Reach.user("u" + random.nextInt(6), null), leaks);
                default -> check(eventLog, Reach.all(), leaks);
            }
        } catch (PostriderException | SQLException e) {
            leaks.add(e.toString());
        }
    }

    private static void check(EventLog eventLog, Reach reach, Queue<String> leaks) {
        List<LogEvent> read = eventLog.read(reach, EventFilter.topic("orders"), 0, 1_000);
        long expected = IntStream.rangeClosed(1, 100)
                .filter(i -> reach.covers("p" + i % 4, "u" + i % 5))
                .count();
        if (read.size() != expected || !read.stream().allMatch(reach::covers)) {
            leaks.add(reach + " saw " + read.size() + " and not " + expected);
        }
    }

    private static void plain(DataSource pool, Queue<String> leaks) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select current_user = session_user and coalesce(current_setting('postrider.reach', true), '') = ''"
                                + " and current_setting('transaction_read_only') = 'off', current_user")) {
            row.next();
            if (!row.getBoolean(1)) {
                leaks.add("a session was left as " + row.getString(2));
            }
        }
    }
}
