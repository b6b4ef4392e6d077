package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A hundred users at once: each commits a transaction with a row and a job, and each job reads and writes rows. */
@Migrated
@Tag("slow")
@Tag("alone")
class HundredJobsTest {
    private static final int JOBS = 100;
    private static final Duration MOST = Duration.ofSeconds(5);

    @Test
    void a_hundred_jobs_from_a_hundred_transactions_with_real_work_are_done_within_5_seconds(TestDatabase database)
            throws Exception {
        try (Node first = new Node(database);
                Node second = new Node(database)) {
            first.execute("create table item (id int primary key, state text not null, words int);"
                    + " create table note (item int references item, text text)");
            for (Node node : List.of(first, second)) {
                node.postrider
                        .add(Worker.on("enrichment").handlingInTransaction("enrich", HundredJobsTest::enrich))
                        .start();
                Await.until("it is connected", node.postrider::isConnected);
            }
            createAll(first, 1, 10); // warms up
            awaitEnriched(first, 10);
            first.awaitAsleep();
            long began = System.nanoTime();
            createAll(first, 11, JOBS);
            awaitEnriched(first, 10 + JOBS);
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            System.out.println("hundred_jobs transactions=" + JOBS + " took_ms=" + took.toMillis());
            assertThat(took).isLessThan(MOST);
            assertThat(first.number("select count(*) from note"))
                    .as("each exactly once")
                    .isEqualTo(3L * (10 + JOBS));
            Await.until(
                    "the view says so",
                    () -> first.number("select count(*) from postrider.jobs where state = 'DONE' and attempt_count = 1")
                            == 10 + JOBS);
        }
    }

    private static void awaitEnriched(Node node, int items) {
        Await.until(
                items + " are enriched",
                Duration.ofSeconds(60),
                () -> node.number("select count(*) from item where state = 'enriched'") == items);
    }

    /** Transactions that begin at the same moment, on the ten connections of the pool. */
    private static void createAll(Node node, int first, int count) throws Exception {
        ExecutorService users = Executors.newFixedThreadPool(count);
        try {
            CountDownLatch go = new CountDownLatch(1);
            List<Future<?>> created = new ArrayList<>();
            for (int i = first; i < first + count; i++) {
                int id = i;
                created.add(users.submit(() -> {
                    go.await();
                    node.inTransaction(connection -> {
                        update(connection, "insert into item values (?, 'new')", id);
                        node.postrider.enqueue(
                                connection,
                                Job.of("enrichment", "enrich", "{\"item\": " + id + "}")
                                        .withKey("" + id));
                    });
                    return true;
                }));
            }
            go.countDown();
            for (Future<?> one : created) {
                one.get();
            }
        } finally {
            users.shutdownNow();
        }
    }

    /** Locks the row, computes for some milliseconds, and writes four rows. */
    private static Fate enrich(Connection connection, ClaimedJob job) throws SQLException {
        int id = Integer.parseInt(String.valueOf(job.key()));
        if (update(connection, "update item set state = 'working' where id = ? and state = 'new'", id) != 1) {
            return Fate.done(); // an earlier attempt has done it
        }
        for (int i = 0; i < 3; i++) {
            update(
                    connection,
                    "insert into note select ?, string_agg(md5(n::text), ' ') from generate_series(1, 500) n",
                    id);
        }
        update(connection, "update item set state = 'enriched', words = 1500 where id = ?", id);
        return Fate.done();
    }

    private static int update(Connection connection, String sql, int id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, id);
            return statement.executeUpdate();
        }
    }
}
