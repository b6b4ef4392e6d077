package io.postrider.internal.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Background;
import io.postrider.LogEvent;
import io.postrider.Migrated;
import io.postrider.Postrider;
import io.postrider.Psql;
import io.postrider.Reach;
import io.postrider.admin.EventFilter;
import io.postrider.admin.EventLog;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A small pool, many reaches, and now and then somebody who breaks off in the middle: nothing stays behind in a connection. */
@Tag("slow")
@Migrated
@Tag("security")
class ReachLeakTest {
    private static final int THREADS = 8;
    private static final int EACH = 2_500;

    @Test
    void twenty_thousand_borrows_of_three_connections_leak_nothing(TestDatabase database) {
        long seed = System.nanoTime();
        System.out.println("canary: seed " + seed);
        ConcurrentLinkedQueue<String> leaks = new ConcurrentLinkedQueue<>();
        try (Psql psql = new Psql(database)) {
            psql.execute(
                    "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers, created_at,"
                            + " project_id, user_id) select 'orders', i, gen_random_uuid(), 't', '{}', '{}', now(), 'p' || i % 4,"
                            + " 'u' || i % 5 from generate_series(1, 100) i");
        }
        try (HikariDataSource pool = pool(database.jdbcUrl())) {
            EventLog eventLog = Postrider.on(pool).eventLog();
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(seed + i);
                threads.add(Background.run(() -> {
                    for (int n = 0; n < EACH; n++) {
                        borrow(eventLog, pool, random, leaks);
                    }
                }));
            }
            threads.forEach(CompletableFuture::join);
        }
        assertThat(leaks).isEmpty();
    }

    private static void borrow(EventLog eventLog, DataSource pool, Random random, ConcurrentLinkedQueue<String> leaks) {
        switch (random.nextInt(6)) {
            case 0 -> plain(pool, leaks);
            case 1 -> {
                try {
                    // too large for the server: fails within the scope
                    eventLog.read(Reach.project("p1"), EventFilter.topic("a\0b"), 0, 10);
                    leaks.add("a NUL was not refused");
                } catch (RuntimeException expected) {
                    // the connection goes back as it came
                }
            }
            case 2 -> check(eventLog, Reach.project("p" + random.nextInt(5)), leaks);
            case 3 -> check(eventLog, Reach.user("u" + random.nextInt(6), "p" + random.nextInt(5)), leaks);
            case 4 -> check(eventLog, Reach.user("u" + random.nextInt(6), null), leaks);
            default -> check(eventLog, Reach.all(), leaks);
        }
    }

    private static void check(EventLog eventLog, Reach reach, ConcurrentLinkedQueue<String> leaks) {
        List<LogEvent> read = eventLog.read(reach, EventFilter.topic("orders"), 0, 1_000);
        long expected = java.util.stream.IntStream.rangeClosed(1, 100)
                .filter(i -> reach.covers("p" + i % 4, "u" + i % 5))
                .count();
        if (read.size() != expected || !read.stream().allMatch(reach::covers)) {
            leaks.add(reach + " saw " + read.size() + " and not " + expected);
        }
    }

    /** What the application sees that has the connection next: its own role, nothing in reach, and it may write. */
    static void plain(DataSource pool, ConcurrentLinkedQueue<String> leaks) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select current_user = session_user and coalesce(current_setting('postrider.reach', true), '') = ''"
                                + " and coalesce(current_setting('postrider.project', true), '') = ''"
                                + " and current_setting('transaction_read_only') = 'off'"
                                + " and current_setting('enable_seqscan') = 'on', current_user")) {
            row.next();
            if (!row.getBoolean(1)) {
                leaks.add("a connection came back as " + row.getString(2));
            }
        } catch (SQLException e) {
            leaks.add(e.toString());
        }
    }

    private static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(3);
        return new HikariDataSource(config);
    }
}
