package io.postrider.internal.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Migrated;
import io.postrider.Postrider;
import io.postrider.Psql;
import io.postrider.admin.EventLog;
import io.postrider.internal.db.Sql;
import io.postrider.testkit.TestDatabase;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The topics to record, when a producer has invented many: 1.2 million made the look for new ones take more than 30 s. */
@Migrated
class InventedTopicsTest {
    private static final String RECORD =
            "insert into postrider.listener (name, topic, kind, policy, batch, attempts, created_at)"
                    + " select 'event_log:' || t, t, 'transactional', 'block', 10, 5, now() + k * interval '1 second'"
                    + " from unnest('{%s}'::text[]) with ordinality r (t, k)";

    @Test
    void recorded_topics_come_first_in_their_order_then_new_ones_by_name(TestDatabase database) {
        EventLog eventLog = Postrider.on(database.dataSource()).eventLog();
        try (Psql psql = new Psql(database)) {
            assertThat(eventLog.topics(10)).isEmpty();
            psql.execute("insert into postrider.head select t, 1, 1"
                    + " from unnest('{a,b,c,queue,queue:a,queue:b:low,queue:z,queues,x,z}'::text[]) t");
            psql.execute(RECORD.formatted("z,c,without-events"));
            assertThat(eventLog.topics(10)).containsExactly("z", "c", "a", "b", "queue", "queues", "x");
            assertThat(eventLog.topics(7)).hasSize(7);
            assertThat(eventLog.topics(6)).containsExactly("z", "c", "a", "b", "queue", "queues");
            assertThat(eventLog.topics(3)).containsExactly("z", "c", "a");
            assertThat(eventLog.topics(1)).containsExactly("z");
        }
    }

    @Test
    void the_walk_ends_when_enough_new_topics_are_found(TestDatabase database) {
        EventLog eventLog = Postrider.on(database.dataSource()).eventLog();
        try (Psql psql = new Psql(database)) {
            psql.execute("insert into postrider.head select 'a' || i, 1, 1 from generate_series(1, 20000) i"
                    + " union all select 'queue:q' || i, 1, 1 from generate_series(1, 20000) i"
                    + " union all select 'z', 1, 1");
            psql.execute(RECORD.formatted("z,a1,a10"));
            assertThat(eventLog.topics(4)).containsExactly("z", "a1", "a10", "a100");
            assertThat(blocks(psql, Sql.resource("sql/history/topics.sql").replace(":most", "4")))
                    .isLessThan(500);
            assertThat(blocks(psql, Sql.resource("sql/doctor/unrecorded_topics.sql")))
                    .isLessThan(20_000);
        }
    }

    @Test
    void lanes_of_queues_are_skipped_in_one_step(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute("insert into postrider.head"
                    + " select 'queue:q' || i, 1, 1 from generate_series(1, 20000) i union all select 'z', 1, 1");
            assertThat(Postrider.on(database.dataSource()).eventLog().topics(2)).containsExactly("z");
            assertThat(blocks(psql, Sql.resource("sql/history/topics.sql").replace(":most", "2")))
                    .isLessThan(500);
        }
    }

    /** The number of buffers that a statement visits. Measures the second run, because the first also reads the catalog. */
    private static long blocks(Psql psql, String statement) {
        String explain = "explain (analyze, buffers, timing off, format json) " + statement;
        psql.texts(explain);
        Matcher hits = Pattern.compile("\"Shared Hit Blocks\": (\\d+)").matcher(psql.text(explain));
        assertThat(hits.find()).isTrue();
        return Long.parseLong(hits.group(1));
    }
}
