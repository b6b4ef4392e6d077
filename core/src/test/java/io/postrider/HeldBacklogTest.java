package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Queues.Limits;
import io.postrider.internal.db.Sql;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs that may not begin do not count against the limits of their queue, so free jobs behind thousands of them begin soon. */
@Migrated
@Tag("hot")
class HeldBacklogTest {
    private static final String KEYED = "insert into postrider.event (topic, type, payload, key)"
            + " select 'queue:mail', '%s', '1', 'k' || (i %% 3) from generate_series(1, %s) i";
    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");
    private static final String FREE = "insert into postrider.event (topic, type, payload)"
            + " select 'queue:mail', 'free', '1' from generate_series(1, 20)";

    @Test
    void free_jobs_do_not_wait_for_thousands_that_no_worker_handles(TestDatabase database) {
        AtomicInteger done = new AtomicInteger();
        try (Psql psql = new Psql(database);
                Node node = new Node(database)) {
            node.postrider.queues().limit("mail", Limits.none().withRunning(5).withPerKey(1));
            psql.execute(KEYED.formatted("nohandler", 15_000)).execute(FREE).passAll();
            node.postrider
                    .add(Worker.on("mail").handling("free", job -> {
                        done.incrementAndGet();
                        return Fate.done();
                    }))
                    .start();
            Await.until("the free jobs are done", Duration.ofSeconds(12), () -> done.get() == 20);
            assertThat(psql.number("select count(*) from postrider.claim where topic = 'queue:mail'"))
                    .isLessThan(400);
            assertThat(psql.number("select count(*) from postrider.delayed where worker is null and attempt = 0"))
                    .isEqualTo(15_000);
        }
    }

    @Test
    void free_jobs_do_not_wait_for_thousands_of_keys_that_are_taken_and_those_run_in_order(TestDatabase database) {
        CountDownLatch free = new CountDownLatch(20);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Map<String, List<Long>> order = new ConcurrentHashMap<>();
        try (Psql psql = new Psql(database);
                Node node = new Node(database)) {
            node.postrider.queues().limit("mail", Limits.none().withRunning(5).withPerKey(1));
            psql.execute(KEYED.formatted("slow", 6_000)).execute(FREE).passAll();
            node.postrider
                    .add(Worker.on("mail")
                            .handling("free", job -> {
                                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                                running.decrementAndGet();
                                free.countDown();
                                return Fate.done();
                            })
                            .handling("slow", job -> {
                                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                                order.computeIfAbsent(String.valueOf(job.key()), key -> new CopyOnWriteArrayList<>())
                                        .add(job.position());
                                free.await();
                                running.decrementAndGet();
                                return Fate.done();
                            }))
                    .start();
            Await.until("the free jobs are done", Duration.ofSeconds(12), () -> free.getCount() == 0);
            Await.until(
                    "some of each key are done",
                    Duration.ofSeconds(10),
                    () -> order.size() == 3 && order.values().stream().allMatch(key -> key.size() >= 10));
        }
        assertThat(most.get()).isLessThanOrEqualTo(5);
        order.forEach((key, positions) -> {
            long first = Long.parseLong(key.substring(1)) == 0 ? 3 : Long.parseLong(key.substring(1));
            for (int i = 0; i < positions.size(); i++) {
                assertThat(positions.get(i)).as(key).isEqualTo(first + 3L * i);
            }
        });
    }

    @Test
    void a_claim_reads_as_little_however_many_are_put_aside(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Node node = new Node(database)) {
            node.postrider.queues().limit("mail", Limits.none().withRunning(50).withPerKey(1));
            psql.execute(KEYED.formatted("slow", 600)).passAll();
            long worker = psql.number("insert into postrider.worker (node) values ('a') returning id");
            String claim = "postrider.claim('mail', 'queue:mail', " + worker + ", 5, 100, 1000000, null)";
            String delayed = "postrider.claim_delayed('mail', array['queue:mail'], " + worker
                    + ", 5, 1000000, array['slow', 'free'], 0)";
            String due = Sql.resource("sql/claim/next_due.sql")
                    .replace(":queue", "'mail'")
                    .replace(":types::", "array['slow', 'free']::")
                    .replace(":types", "array['slow', 'free']");
            putAside(psql, 1, 3, worker);
            long before = 0;
            for (int upto : List.of(1_000, 20_000, 60_000)) {
                putAside(psql, upto / 20, upto, null);
                pages(psql, "select * from " + claim);
                pages(psql, "select * from " + delayed);
                long claims = pages(psql, "select * from " + claim);
                assertThat(psql.text("select string_agg(type || position, ' ') from " + delayed))
                        .as("of keys that are free, and of no key")
                        .matches("(slow|free).*");
                long own = pages(psql, "select * from " + delayed);
                long all = claims + own + pages(psql, due);
                before = before == 0 ? all : before;
                assertThat(all).isLessThan(2 * before + 500);
            }
        }
    }

    /** Jobs of three keys that run already, of a type without handler, and, behind them, of a key and of none. */
    private static void putAside(Psql psql, int from, int upto, @Nullable Long worker) {
        psql.execute(
                "insert into postrider.delayed (topic, position, event_id, created_at, type, key, payload, headers,"
                        + " why, due_at, worker, claimed_at) select 'queue:mail', 100000 + i, gen_random_uuid(), now(),"
                        + " case when i % 100 = 0 then 'free' when i % 2 = 0 then 'slow' else 'nohandler' end,"
                        + " case when i % 200 = 0 then null when i % 100 = 0 then 'f' || i else 'k' || (i % 3) end,"
                        + " '1', '{}', case when i % 200 = 0 then 'unknown' else 'key' end, now() - interval '1 hour' + i * interval '1 millisecond', "
                        + worker
                        + ", null"
                        + " from generate_series(" + from + ", " + upto + ") i on conflict do nothing");
    }

    /** How many pages a statement reads that is rolled back. */
    private static long pages(Psql psql, String sql) {
        psql.begin();
        Matcher pages = PAGES.matcher(
                String.join("\n", psql.texts("explain (analyze, buffers, timing off, summary off) " + sql)));
        psql.rollback();
        assertThat(pages.find()).isTrue();
        return Long.parseLong(pages.group(1)) + (pages.group(2) == null ? 0 : Long.parseLong(pages.group(2)));
    }
}
