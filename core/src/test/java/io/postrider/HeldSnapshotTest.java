package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.internal.db.Sql;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * While a transaction keeps its snapshot, vacuum removes nothing. A table of jobs whose rows are updated and deleted had 91,593
 * dead rows after three minutes, and every claim read past them.
 */
@Migrated
@Tag("slow")
class HeldSnapshotTest {
    private static final int FEW = 10;
    private static final int MANY = 150;
    private static final int AT_ONCE = 25;
    private static final Pattern PAGES = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    @Test
    void jobs_and_events_leave_no_dead_rows_and_cost_the_same_while_a_snapshot_is_held(TestDatabase database)
            throws Exception {
        try (Psql psql = new Psql(database);
                Psql holder = new Psql(database)) {
            run(database, FEW);
            Map<String, Long> before = pages(psql);
            long deadBefore = deadRows(psql, (long) FEW * AT_ONCE * 2);
            holder.execute("begin isolation level repeatable read").number("select count(*) from postrider.event");
            run(database, MANY);
            Map<String, Long> after = pages(psql);
            long dead = deadRows(psql, (long) (FEW + MANY) * AT_ONCE * 2) - deadBefore;
            holder.execute("rollback");
            assertThat(dead)
                    .as("rows updated or deleted by %d jobs and events", MANY * AT_ONCE * 2)
                    .isLessThan(200);
            after.forEach(
                    (statement, pages) -> assertThat(pages).as(statement).isLessThan(2 * before.get(statement) + 50));
        }
    }

    /** Jobs and events, as many transactions as told, done by a node that is closed again. */
    private static void run(TestDatabase database, int transactions) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(transactions * AT_ONCE * 3);
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q").handling("t", job -> {
                        left.countDown();
                        return Fate.done();
                    }))
                    .add(Listener.relay("relay", "orders", event -> left.countDown())
                            .withStart(StartPoint.beginning()))
                    .add(Listener.transactional("transactional", "orders", (connection, event) -> left.countDown())
                            .withStart(StartPoint.beginning()))
                    .start();
            for (int i = 0; i < transactions; i++) {
                node.execute("select postrider.enqueue('q', 't', '{}'), postrider.emit('orders', 't', '{}')"
                        + " from generate_series(1, " + AT_ONCE + ")");
            }
            assertThat(left.await(120, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** How many pages each statement reads that a node repeats for every claim, every batch and every pass. */
    private static Map<String, Long> pages(Psql psql) {
        psql.execute("select postrider.enqueue('q', 't', '{}'), postrider.emit('orders', 't', '{}')"
                        + " from generate_series(1, 20)")
                .passAll();
        long worker = psql.number("insert into postrider.worker (node) values ('measuring') returning id");
        long head = psql.number("select max(position) from postrider.head where topic = 'orders'");
        Map<String, String> statements = new LinkedHashMap<>();
        statements.put("claim", "select * from postrider.claim('q', 'queue:q', " + worker + ", 5, 100, 1000000, null)");
        statements.put(
                "claim_delayed",
                "select * from postrider.claim_delayed('q', array['queue:q'], " + worker
                        + ", 5, 1000000, array['t'], 0)");
        statements.put("cursor", Sql.resource("sql/listen/listener.sql").replace(":listener", "'relay'"));
        statements.put(
                "read",
                "select * from postrider.read('orders', " + (head - 20) + ", " + head
                        + ", 20, 1000000, null, 0, 9223372036854775807)");
        statements.put("deliver", "select postrider.deliver('relay', " + (head - 19) + ", " + head + ", 20, 'test')");
        statements.put("sequence", "select * from postrider.sequence(1000)");
        Map<String, Long> pages = new LinkedHashMap<>();
        statements.forEach((name, statement) -> {
            for (int i = 0; i < 2; i++) { // the first one also reads the catalog
                psql.begin();
                pages.put(name, pages(psql, statement));
                psql.rollback();
            }
        });
        psql.execute("update postrider.worker set ended_at = clock_timestamp(), handed_over_at = clock_timestamp()"
                + " where id = " + worker);
        return pages;
    }

    private static long pages(Psql psql, String statement) {
        List<String> plan = psql.texts("explain (analyze, buffers, timing off, summary off) " + statement);
        Matcher pages = PAGES.matcher(String.join("\n", plan));
        assertThat(pages.find()).as("%s", plan).isTrue();
        return number(pages.group(1)) + number(pages.group(2));
    }

    private static long number(String text) {
        return text == null ? 0 : Long.parseLong(text);
    }

    /** Counted when the statistics of all events have arrived, which sessions send when they end. */
    private static long deadRows(Psql psql, long events) {
        Await.until(
                "the statistics have arrived",
                Duration.ofSeconds(30),
                () -> psql.number("select sum(n_tup_ins) from pg_stat_user_tables where schemaname = 'postrider'"
                                + " and relname ~ '^event_([0-9]+|beyond)$'")
                        >= events);
        return psql.number("select sum(n_tup_upd + n_tup_del) from pg_stat_user_tables where schemaname = 'postrider'");
    }
}
