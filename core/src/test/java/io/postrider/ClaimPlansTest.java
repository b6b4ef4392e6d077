package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.TestDatabase;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Among 100,000 jobs, a claim takes no more than its limit and reads few pages, whatever the planner is told. In other queues a
 * claim took more rows than its limit, because the planner ran the subquery with the limit once per row of the outer table.
 */
@Tag("slow")
@Migrated(shared = true)
class ClaimPlansTest {
    private static final int JOBS = 100_000;
    private static final int LIMIT = 5;

    /** A claim of five jobs reads 60 to 350 pages. The jobs are in 2,000 pages of each table. */
    private static final long FEW_PAGES = 1_000;

    private static final Pattern PAGES = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    private final TestDatabase database;

    ClaimPlansTest(TestDatabase database) {
        this.database = database;
    }

    /** 100,000 jobs at new positions and as many delayed ones. Statistics say that every table is empty. */
    @BeforeEach
    void fill() {
        try (Psql psql = new Psql(database)) {
            if (psql.number("select count(*) from postrider.queue") > 0) {
                return;
            }
            for (String table : psql.texts("select c.oid::regclass from pg_class c"
                    + " where c.relnamespace = 'postrider'::regnamespace and c.relkind = 'r'")) {
                psql.execute("analyze " + table).execute("alter table " + table + " set (autovacuum_enabled = off)");
            }
            psql.execute("insert into postrider.queue (name) values ('mail')")
                    .execute("insert into postrider.event (topic, type, payload, key) select 'queue:mail', 't', '1',"
                            + " case when i % 2 = 0 then 'k' || i % 1000 end from generate_series(1, " + JOBS + ") i")
                    .execute("insert into postrider.delayed (topic, position, event_id, created_at, type, key, payload,"
                            + " headers, why, due_at) select 'queue:mail', " + JOBS + " + i, gen_random_uuid(), now(),"
                            + " 't', case when i % 2 = 0 then 'd' || i % 1000 end, '1', '{}', 'retry',"
                            + " now() - interval '1 hour' + i * interval '1 millisecond'"
                            + " from generate_series(1, " + JOBS + ") i")
                    .passAll();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "set plan_cache_mode = force_custom_plan",
                "set plan_cache_mode = force_generic_plan",
                "set enable_hashjoin = off; set enable_mergejoin = off; set enable_material = off; set enable_memoize = off",
                "set enable_nestloop = off",
                "set enable_sort = off; set enable_incremental_sort = off",
                "set enable_indexonlyscan = off",
                "set seq_page_cost = 0; set random_page_cost = 1000000; set cpu_index_tuple_cost = 1000000",
                "set effective_cache_size = '8kB'; set work_mem = '64kB'; set from_collapse_limit = 1; set join_collapse_limit = 1",
                "set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0",
            })
    void a_claim_takes_its_limit_and_reads_few_pages_whatever_the_planner_is_told(String settings) {
        try (Psql psql = new Psql(database)) {
            psql.execute(settings);
            long worker = psql.number("insert into postrider.worker (node) values ('a') returning id");
            psql.execute("insert into postrider.worker_queue (worker, queue, slots, types)" + " values (" + worker
                    + ", 'mail', 10, array['t'])");
            String claim = "select c.event_id from postrider.claim('mail', 'queue:mail', " + worker + ", " + LIMIT
                    + ", 500, 8000000, null) c where c.event_id is not null and c.hold is null";
            String delayed = "select c.event_id from postrider.claim_delayed('mail', array['queue:mail'], " + worker
                    + ", " + LIMIT + ", 8000000, array['t'], 0) c";
            for (String limits :
                    List.of("running_limit = null, key_limit = null", "running_limit = 5, key_limit = 1")) {
                psql.execute("update postrider.queue set " + limits);
                assertCheap(psql, claim, limits);
                assertCheap(psql, delayed, limits);
            }
        }
    }

    /** Claims twice and rolls back: the first claim of a session also reads 2,000 pages of the catalog. */
    private static void assertCheap(Psql psql, String statement, String limits) {
        psql.begin();
        List<String> jobs = psql.texts(statement);
        psql.rollback().begin();
        long pages = pages(psql, statement);
        psql.rollback();
        assertThat(jobs).as("%s, %s", statement, limits).hasSize(LIMIT).doesNotHaveDuplicates();
        assertThat(pages).as("pages of %s, %s", statement, limits).isLessThan(FEW_PAGES);
    }

    private static long pages(Psql psql, String statement) {
        String plan = String.join("\n", psql.texts("explain (analyze, buffers, timing off, summary off) " + statement));
        Matcher pages = PAGES.matcher(plan);
        assertThat(pages.find()).as(plan).isTrue();
        return number(pages.group(1)) + number(pages.group(2));
    }

    private static long number(String text) {
        return text == null ? 0 : Long.parseLong(text);
    }
}
