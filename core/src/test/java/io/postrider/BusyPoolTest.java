package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.admin.Jobs.State;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The application holds every other connection of the node's pool for longer than a frozen node is tolerated (10 s). The node's
 * own connection keeps the worker registered, so no other node takes its jobs.
 */
@Migrated
@Tag("slow")
@Tag("once")
class BusyPoolTest {
    private static final Duration LONGER_THAN_FROZEN = Duration.ofSeconds(11);
    private static final int POOL = 5;

    @Test
    void a_worker_whose_pool_is_empty_for_long_keeps_its_jobs_and_runs_each_once(TestDatabase database)
            throws Exception {
        List<String> began = new CopyOnWriteArrayList<>();
        CountDownLatch end = new CountDownLatch(1);
        try (Psql psql = new Psql(database);
                HikariDataSource pool = pool(database);
                Postrider busy = Postrider.on(pool);
                Node other = new Node(database)) {
            busy.add(worker("busy", began, end)).start();
            List<UUID> ids = new ArrayList<>(enqueue(other, "1", "2"));
            Await.until("its jobs run", Duration.ofSeconds(60), () -> began.size() == 2);
            long number = psql.number("select id from postrider.worker where ended_at is null");
            List<Connection> held = holdAll(pool);
            other.postrider.add(worker("other", began, end)).start();
            ids.addAll(enqueue(other, "3", "4"));
            long until = System.nanoTime() + LONGER_THAN_FROZEN.toNanos();
            LockSupport.parkNanos(LONGER_THAN_FROZEN.dividedBy(2).toNanos()); // the first half of the fault
            end.countDown(); // the jobs end while the worker cannot settle them
            while (until - System.nanoTime() > 0) {
                LockSupport.parkNanos(until - System.nanoTime()); // and the rest of it
            }
            assertThat(pool.getHikariPoolMXBean().getIdleConnections()).isZero();
            assertThat(psql.number(
                            "select count(*) from postrider.worker where id = " + number + " and ended_at is null"))
                    .as("the worker is registered")
                    .isOne();
            for (Connection connection : held) {
                connection.close();
            }
            ids.forEach(id -> awaitState(other, id, State.DONE));
            assertThat(began).containsExactlyInAnyOrder("busy 1", "busy 2", "other 3", "other 4");
            assertThat(psql.number(
                            "select count(*) from postrider.worker where id = " + number + " and ended_at is null"))
                    .isOne();
        }
    }

    /** With two slots, so that it claims no more jobs than it begins. */
    private static Worker worker(String name, List<String> began, CountDownLatch end) {
        return Worker.on("q").withSlots(2).handling("t", job -> {
            began.add(name + " " + job.payload());
            end.await(60, TimeUnit.SECONDS);
            return Fate.done();
        });
    }

    private static HikariDataSource pool(TestDatabase database) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setMaximumPoolSize(POOL);
        config.setConnectionTimeout(1_000);
        return new HikariDataSource(config);
    }

    /** Takes connections until the pool has had none for several timeouts. */
    private static List<Connection> holdAll(HikariDataSource pool) {
        List<Connection> held = new ArrayList<>();
        int refused = 0;
        while (refused < 2) {
            try {
                held.add(pool.getConnection());
                refused = 0;
            } catch (SQLException e) {
                refused++;
            }
        }
        return held;
    }
}
