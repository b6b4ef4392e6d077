package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.VerifyResult;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.SchemaName;
import io.postrider.internal.retain.Retention;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What roles with few rights can put in the way of retention: views on segments, invented queues and topics. */
@Migrated(segmentSize = 1_000)
@Tag("slow")
@Tag("security")
class HinderedRetentionTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final String DETACHED = "select relname from pg_class where relkind = 'r' and not relispartition"
            + " and relname ~ '^(event|log)_[0-9]+$' order by 1";

    /** DROP TABLE failed every 2 s on the same segment, and no other one was dropped. */
    @Test
    void a_view_on_a_segment_delays_no_other_segment_and_its_table_is_dropped_later(TestDatabase database) {
        String role = "viewer_" + database.name();
        try (Psql psql = new Psql(database)) {
            psql.execute("create role " + role).execute("grant usage on schema postrider to " + role);
            try (Psql viewer = new Psql(database).execute("set role " + role)) {
                viewer.execute("create temp view d as select 1 as x from postrider.event_0");
                psql.emitMany("orders", "t", 2_500).passAll();
                settle(psql);
                keepHouse(database);
                keepHouse(database);
                keepHouse(database);
                assertThat(psql.texts(
                                "select low from postrider.segment where family = 'log' and emptied_at is not null"))
                        .isEmpty();
                assertThat(psql.texts(DETACHED)).containsExactly("event_0");
                assertThat(psql.number("select count(*) from postrider.event_0"))
                        .isZero();
                assertThat(psql.number(
                                "select count(*) from pg_inherits where inhparent = 'postrider.event'::regclass"))
                        .isEqualTo(psql.number("select count(*) + 1 from postrider.segment where family = 'log'"));
                viewer.execute("drop view d");
            }
            keepHouse(database);
            assertThat(psql.texts(DETACHED)).isEmpty();
            assertThat(psql.number("select count(*) from pg_class where relname = 'event_0'"))
                    .isZero();
            psql.emit("orders", "after").passAll();
            assertThat(verified(database)).allMatch(VerifyResult::holds);
            psql.execute("drop owned by " + role).execute("drop role " + role);
        }
    }

    @Test
    void a_segment_that_another_session_has_locked_is_skipped(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql holder = new Psql(database)) {
            psql.emitMany("orders", "t", 2_500).passAll();
            settle(psql);
            psql.text("select postrider.close_segments('1 day')::text");
            psql.texts("select name from postrider.empty_segments('0', '1 day')");
            holder.begin().execute("lock table postrider.event_0 in row exclusive mode");
            assertThat(psql.text("select postrider.drop_segments()")).isEqualTo("log_1000");
            assertThat(psql.text("select postrider.drop_segments()")).isNull();
            holder.rollback();
            assertThat(psql.text("select postrider.drop_segments()")).isEqualTo("log_0");
        }
    }

    /** A table that an operator has made beside ours, and one that retention has not emptied, are left alone. */
    @Test
    void only_tables_that_retention_detached_are_dropped(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute("create table postrider.event_20261118 as select 1 as copied");
            keepHouse(database);
            assertThat(psql.number("select count(*) from postrider.event_20261118"))
                    .isEqualTo(1);
        }
    }

    /** One lock for each lane in one transaction: 30,000 invented queues exhausted the lock table of the server. */
    @Test
    void jobs_of_invented_queues_are_carried_over_a_few_hundred_lanes_at_a_time(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute("insert into postrider.event (topic, type, payload)"
                    + " select 'queue:invented' || i, 't', '{}' from generate_series(1, 950) i");
            psql.emitMany("orders", "o", 200).passAll();
            settle(psql);
            psql.text("select postrider.make_segments(1000, 1000000)::text");
            psql.emitMany("orders", "p", 1_000).passAll();
            settle(psql);
            psql.text("select postrider.close_segments('1 day')::text");
            int calls = 0;
            long emptied = 0;
            while (emptied == 0) {
                psql.begin();
                emptied = psql.number("select count(*) from postrider.empty_segments('0', '0') where what = 'emptied'");
                assertThat(psql.number("select count(*) from pg_locks where locktype = 'advisory'"
                                + " and pid = pg_backend_pid() and classid = 'postrider.claim'::regclass"))
                        .isLessThanOrEqualTo(300);
                psql.commit();
                assertThat(++calls).isLessThan(10);
            }
            assertThat(calls).isEqualTo(4);
            assertThat(psql.number("select count(*) from postrider.delayed where why = 'carried over'"))
                    .isEqualTo(950);
            assertThat(psql.number("select count(*) from postrider.event_0")).isZero();
            assertThat(verified(database)).allMatch(VerifyResult::holds);
        }
    }

    @Test
    void a_long_lane_is_carried_over_in_slices(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.text("select postrider.make_segments(30000, 1000000)::text");
            psql.text("select setval('postrider.event_ids', (select low from postrider.segment"
                    + " where family = 'log' and high - low = 30000 order by low limit 1))::text");
            psql.execute("insert into postrider.event (topic, type, payload)"
                            + " select 'queue:long', 't', '{}' from generate_series(1, 25000) i")
                    .passAll();
            psql.text("select setval('postrider.event_ids', last_value + 6000)::text from postrider.event_ids");
            settle(psql);
            psql.text("select postrider.close_segments('1 day')::text");
            String lanes = "select postrider.let_go_of_jobs(low, true)::text from postrider.segment_topic"
                    + " where topic = 'queue:long'";
            assertThat(psql.text(lanes)).isEqualTo("false");
            assertThat(psql.number("select count(*) from postrider.delayed")).isEqualTo(20_000);
            assertThat(psql.text(lanes)).isEqualTo("true");
            assertThat(psql.number("select count(*) from postrider.delayed")).isEqualTo(25_000);
            assertThat(verified(database)).allMatch(VerifyResult::holds);
        }
    }

    @Test
    void claims_are_shortened_a_few_hundred_lanes_at_a_time(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            for (String table : psql.texts("select t || '_' || low from postrider.segment,"
                    + " unnest(array['claim', 'settlement', 'finish']) t where family = 'claim'")) {
                psql.execute("drop table postrider." + table);
            }
            psql.execute("delete from postrider.segment where family = 'claim'");
            psql.text("select postrider.make_segments(1000, 1000)::text");
            psql.execute("insert into postrider.claim (topic, from_position, to_position, jobs, worker, open_n)"
                    + " select 'queue:invented' || i, 2, 1, 0, 0, 0 from generate_series(1, 950) i");
            psql.text("select setval('postrider.claim_numbers', 2500)::text");
            psql.text("select postrider.make_segments(1000, 1000)::text");
            psql.text("select postrider.close_segments('1 day')::text");
            for (int call = 1; call <= 4; call++) {
                psql.begin();
                assertThat(psql.texts("select postrider.shorten_claims('0')")).isEmpty();
                assertThat(psql.number("select count(*) from pg_locks where locktype = 'advisory'"
                                + " and pid = pg_backend_pid() and classid = 'postrider.claim'::regclass"))
                        .isLessThanOrEqualTo(300);
                psql.commit();
            }
            assertThat(psql.texts("select postrider.shorten_claims('0')")).containsExactly("claim_0");
            assertThat(psql.number("select count(distinct topic) from postrider.claim"))
                    .isEqualTo(950);
        }
    }

    /** In one statement under the lock of the passes, 150,000 topics stopped sequencing for 19 s. */
    @Test
    void heads_are_carried_over_in_slices_and_passes_do_not_wait(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql retention = new Psql(database)) {
            for (String table : psql.texts("select t || '_' || low from postrider.segment,"
                    + " unnest(array['pass', 'head']) t where family = 'pass'")) {
                psql.execute("drop table postrider." + table);
            }
            psql.execute("delete from postrider.segment where family = 'pass'");
            psql.text("select postrider.make_segments(1000, 50)::text");
            psql.execute("insert into postrider.event (topic, type, payload)"
                            + " select 'x' || i, 't', '{}' from generate_series(1, 12000) i")
                    .passAll();
            for (int i = 0; i < 170; i++) {
                psql.emit("orders", "o" + i).pass();
            }
            psql.text("select postrider.make_segments(1000, 50)::text");
            psql.text("select postrider.close_segments('1 day')::text");
            String closed = "select count(*) from postrider.segment where family = 'pass' and closed_at is not null";
            retention.begin().texts("select postrider.shorten_ledgers('0 seconds')");
            psql.execute("set lock_timeout = '5s'").emit("x7", "beside");
            assertThat(psql.pass()).isEqualTo(1);
            retention.commit();
            assertThat(psql.number(closed)).isZero();
            retention.texts("select postrider.shorten_ledgers('0 seconds')");
            assertThat(psql.number(closed)).isZero();
            retention.texts("select postrider.shorten_ledgers('0 seconds')");
            assertThat(psql.number(closed)).isPositive();
            assertThat(retention.texts("select postrider.shorten_ledgers('0 seconds')"))
                    .contains("pass_0");
            psql.emit("x1", "after").emit("x7", "after").passAll();
            assertThat(psql.log("x1")).containsExactly("t", "after");
            assertThat(psql.log("x7")).containsExactly("t", "beside", "after");
            assertThat(psql.number("select count(distinct topic) from postrider.head where topic like 'x%'"))
                    .isEqualTo(12_000);
            assertThat(verified(database)).allMatch(VerifyResult::holds);
        }
    }

    /** Each ATTACH scans the table beyond under an exclusive lock: 800,000 rows and three segments delayed inserts by 6 s. */
    @Test
    void beside_a_large_table_beyond_one_large_segment_is_made_instead_of_three(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.text("select setval('postrider.event_ids', 13000)::text");
            psql.execute(
                    "insert into postrider.event (topic, type, payload)"
                            + " select 'orders', 't', jsonb_build_object('x', repeat('x', 1500)) from generate_series(1, 6000)");
            assertThat(psql.number("select count(*) from postrider.event_beyond"))
                    .isEqualTo(6_000);
            assertThat(psql.number("select postrider.make_segments(1000, 1000000)"))
                    .isEqualTo(1);
            assertThat(psql.row("select low >= 19000 as after, high - low as size from postrider.segment"
                            + " where family = 'log' order by low desc limit 1"))
                    .isEqualTo("true|4000");
            assertThat(psql.number("select postrider.make_segments(1000, 1000000)"))
                    .isZero();
            psql.emit("orders", "after").passAll();
            assertThat(psql.log("orders")).hasSize(6_001);
        }
    }

    private static void keepHouse(TestDatabase database) {
        try (Retention retention = new Retention(
                new Database(database.dataSource(), SchemaName.of("postrider")), 1_000, Duration.ZERO, DAY)) {
            retention.keepHouse();
        }
    }

    /** Events on another topic, so that the floor rises above all that was written before. */
    private static void settle(Psql psql) {
        for (int i = 0; i < 4; i++) {
            psql.emit("settle", "s" + i).pass();
        }
    }

    private static List<VerifyResult> verified(TestDatabase database) {
        return Postrider.on(database.dataSource()).verifier().verify(step -> {});
    }
}
