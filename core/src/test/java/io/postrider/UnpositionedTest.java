package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.testkit.TestDatabase;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Committed events without a position: lag and depth count them for every reader, at a bounded cost. */
@Migrated
class UnpositionedTest {
    private static final String LISTENER = "select position, head, lag, unpositioned, unpositioned_since is not null"
            + " from postrider.listeners where name = 'mailer'";
    private static final String QUEUE =
            "select depth, unpositioned, oldest_at is not null from postrider.queues where name = 'mail'";

    private TestDatabase database;

    @BeforeEach
    void open(TestDatabase given) {
        database = given;
    }

    @Test
    void lag_counts_events_while_no_node_runs() {
        try (Psql psql = new Psql(database)) {
            listener(psql);
            assertThat(psql.row(LISTENER)).isEqualTo("0|0|0|0|false");
            psql.emit("orders", "a", "b").emit("other", "c");
            assertThat(psql.row(LISTENER)).isEqualTo("0|0|2|2|true");
            psql.passAll();
            assertThat(psql.row(LISTENER)).isEqualTo("0|2|2|0|false");
            psql.emit("orders", "d");
            assertThat(psql.row(LISTENER)).isEqualTo("0|2|3|1|true");
            psql.passAll();
            assertThat(psql.row(LISTENER)).isEqualTo("0|3|3|0|false");
        }
    }

    @Test
    void depth_counts_jobs_of_a_queue_without_a_worker() {
        try (Psql psql = new Psql(database)) {
            psql.execute("select postrider.enqueue('mail', 't', '{}')");
            psql.execute("select postrider.enqueue('mail', 't', '{}', priority => 'high')");
            assertThat(psql.row(QUEUE)).isEqualTo("2|2|true");
            psql.passAll();
            assertThat(psql.row(QUEUE)).isEqualTo("2|0|true");
        }
    }

    @Test
    void an_open_transaction_counts_when_it_has_committed() {
        try (Psql psql = new Psql(database);
                Psql early = new Psql(database);
                Psql late = new Psql(database)) {
            listener(psql);
            psql.emit("orders", "a");
            early.begin().emit("orders", "early");
            psql.emit("orders", "b").passAll();
            late.begin().emit("orders", "late");
            psql.emit("orders", "c");
            assertThat(psql.row(LISTENER)).isEqualTo("0|2|3|1|true");
            early.commit();
            assertThat(psql.row(LISTENER)).isEqualTo("0|2|4|2|true");
            late.commit();
            assertThat(psql.row(LISTENER)).isEqualTo("0|2|5|3|true");
            psql.passAll();
            assertThat(psql.row(LISTENER)).isEqualTo("0|5|5|0|false");
        }
    }

    @Test
    void promised_events_of_the_backlog_are_counted() {
        try (Psql psql = new Psql(database)) {
            listener(psql);
            psql.emit("orders", "a").passAll();
            psql.emitMany("orders", "many", 100);
            assertThat(psql.pass(10)).isEqualTo(10);
            assertThat(psql.row(LISTENER)).isEqualTo("0|11|101|90|true");
            psql.emit("orders", "b");
            assertThat(psql.row(LISTENER)).isEqualTo("0|11|102|91|true");
            psql.passAll();
            assertThat(psql.row(LISTENER)).isEqualTo("0|102|102|0|false");
        }
    }

    @Test
    void after_a_restore_unsequenced_events_of_the_old_cluster_are_counted() {
        try (Psql psql = new Psql(database)) {
            listener(psql);
            psql.emit("orders", "a").passAll();
            psql.emit("orders", "b", "c");
            psql.execute("update postrider.era set system_identifier = 1");
            assertThat(psql.row(LISTENER)).isEqualTo("0|1|3|2|true");
        }
    }

    @Test
    void reading_the_views_needs_no_other_right_and_a_producer_may_not_call_it() {
        String reader = "reader_" + database.name();
        try (Psql owner = new Psql(database)) {
            listener(owner);
            owner.emit("orders", "a");
            owner.execute("create role " + reader + " login password 'secret-of-a-role'");
            try {
                owner.execute("grant usage on schema postrider to " + reader);
                try (Psql psql = new Psql(as(reader))) {
                    assertThatThrownBy(() -> psql.texts("select topic from postrider.unpositioned()"))
                            .isInstanceOfSatisfying(
                                    Psql.SqlFailure.class,
                                    e -> assertThat(e.state()).isEqualTo("42501"));
                    owner.execute("grant select on postrider.listeners to " + reader);
                    assertThat(psql.row(LISTENER)).isEqualTo("0|0|1|1|true");
                }
            } finally {
                owner.execute("drop owned by " + reader);
                owner.execute("drop role " + reader);
            }
        }
    }

    @Test
    void neither_sequenced_events_nor_those_of_an_open_transaction_are_visited() {
        try (Psql psql = new Psql(database);
                Psql giant = new Psql(database)) {
            psql.emitMany("orders", "done", 50_000).passAll();
            giant.begin().emitMany("orders", "open", 50_000);
            psql.emit("orders", "a");
            assertThat(psql.number("select sum(events) from postrider.unpositioned()"))
                    .isEqualTo(1);
            assertThat(blocks(psql)).isLessThan(300);
            psql.passAll();
            assertThat(psql.texts("select topic from postrider.unpositioned()")).isEmpty();
            assertThat(blocks(psql)).isLessThan(300);
            giant.rollback();
        }
    }

    /** A health check timed out for as long as a backlog of 300,000 topics was given out, because it looked at every topic. */
    @Test
    void the_cost_does_not_grow_with_the_topics_of_the_backlog() {
        try (Psql psql = new Psql(database)) {
            listener(psql);
            psql.execute("insert into postrider.queue (name) values ('mail')");
            psql.execute("insert into postrider.event (topic, type, payload)"
                    + " select t, 't', '{}' from (select 'a' || i from generate_series(1, 20000) i"
                    + " union all select 'orders' union all select 'queue:mail:low') x (t)");
            psql.pass(2_000);
            assertThat(psql.number("select count(distinct topic) from postrider.backlog"))
                    .isGreaterThan(18_000);
            assertThat(blocks(psql)).isLessThan(50_000);
            assertThat(psql.number("select sum(events) from postrider.unpositioned()"))
                    .isBetween(1_000L, 1_002L);
            assertThat(psql.row(LISTENER)).isEqualTo("0|0|1|1|true");
            assertThat(psql.row(QUEUE)).isEqualTo("1|1|true");
            psql.passAll();
            assertThat(psql.texts("select topic from postrider.unpositioned()")).isEmpty();
            assertThat(psql.row(LISTENER)).isEqualTo("0|1|1|0|false");
        }
    }

    @Test
    void the_topics_of_a_backlog_that_come_before_those_of_the_last_pass_are_counted() {
        try (Psql psql = new Psql(database)) {
            psql.execute("insert into postrider.event (topic, type, payload)"
                    + " select 'a' || i, 't', '{}' from generate_series(1, 600) i, generate_series(1, 3)");
            for (int pass = 0; pass < 3; pass++) {
                psql.pass(300);
                assertThat(psql.number("select sum(events) from postrider.unpositioned()"))
                        .isEqualTo(1_800 - psql.number("select count(*) from postrider.log"));
            }
        }
    }

    /** The number of buffers that one call visits. Measures the second call, because the first also reads the catalog. */
    private static long blocks(Psql psql) {
        String explain = "explain (analyze, buffers, timing off, format json) select * from postrider.unpositioned()";
        psql.texts(explain);
        Matcher hits = Pattern.compile("\"Shared Hit Blocks\": (\\d+)").matcher(psql.text(explain));
        assertThat(hits.find()).isTrue();
        return Long.parseLong(hits.group(1));
    }

    private PGSimpleDataSource as(String role) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(database.jdbcUrl());
        source.setUser(role);
        source.setPassword("secret-of-a-role");
        return source;
    }

    private static void listener(Psql psql) {
        psql.execute("insert into postrider.listener (name, topic, kind, policy, batch, attempts)"
                + " values ('mailer', 'orders', 'relay', 'block', 1, 1)");
        psql.execute("insert into postrider.delivery (listener, from_position, to_position, events, worker)"
                + " values ('mailer', 0, 0, 0, 'test')");
    }
}
