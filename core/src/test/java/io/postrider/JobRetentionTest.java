package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What retention takes of jobs, and what it leaves. */
@Migrated(segmentSize = 1_000)
@Tag("slow")
class JobRetentionTest {
    /** One segment of 1,000 ids, full and closed, with jobs 1..count of queue q and other events. */
    private static void fill(Psql psql, int count) {
        psql.execute(
                "insert into postrider.event (topic, type, payload) select 'queue:q', 't', '{}' from generate_series(1, "
                        + count + ")");
        psql.emitMany("orders", "o", 1_100 - count).passAll();
        psql.text("select postrider.make_segments(1000, 1000000)::text");
        psql.emitMany("orders", "p", 1_000).passAll();
        for (int i = 0; i < 3; i++) {
            psql.emit("orders", "later").passAll(); // the floor of a pass is known two passes later
        }
        psql.text("select postrider.close_segments('1 day')::text");
    }

    private static long emptied(Psql psql, String patience) {
        return psql.number(
                "select count(*) from postrider.empty_segments('0', '" + patience + "') where what = 'emptied'");
    }

    private static long worker(Psql psql) {
        return psql.number("insert into postrider.worker (node) values ('w') returning id");
    }

    @Tag("hot")
    @Test
    void data_of_finished_jobs_is_deleted_when_it_is_no_longer_needed(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.text("select postrider.enqueue('q', 't', '{}', unique_key => 'over', unique_for => '1 ms')::text");
            psql.text("select postrider.enqueue('q', 't', '{}', unique_key => 'held', unique_for => '1 h')::text");
            psql.text("select postrider.enqueue('q', 't', '{}', unique_key => 'unfinished')::text");
            psql.passAll();
            long worker = worker(psql);
            psql.text(
                    "select count(*)::text from postrider.claim('q', 'queue:q', " + worker + ", 2, 2, 1000000, null)");
            psql.text("select postrider.settle(" + worker + ", array[c.n], array['{[1,2)}']::int8multirange[],"
                    + " array['done'], array[null]::jsonb[]) from postrider.claim c");
            psql.execute("insert into postrider.cancellation (topic, position, at)"
                    + " select 'queue:q', p, now() - interval '2 hours' from generate_series(1, 3) p");
            psql.execute("insert into postrider.worker (node, ended_at, handed_over_at)"
                    + " select n.node, n.at, n.at from (values ('long ago', now() - interval '9 days'), ('lately', now()))"
                    + " n (node, at)");
            Await.until(
                    "the period is over",
                    () -> psql.number("select count(*) from postrider.unique_job where" + " until <= clock_timestamp()")
                            == 1);
            assertThat(psql.number("select postrider.tidy_jobs('7 days')")).isEqualTo(3);
            assertThat(psql.texts("select unique_key from postrider.unique_job order by 1"))
                    .containsExactly("held", "unfinished");
            assertThat(psql.texts("select position::text from postrider.cancellation order by 1"))
                    .as("of the one that runs, and of the one that nobody has claimed")
                    .containsExactly("2", "3");
            assertThat(psql.texts("select node from postrider.worker order by 1"))
                    .containsExactly("lately", "w");
            assertThat(psql.number("select postrider.tidy_jobs('7 days')")).isZero();
        }
    }

    @Tag("hot")
    @Test
    void unclaimed_jobs_hold_their_segment(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            fill(psql, 10);
            assertThat(emptied(psql, "1 day")).isZero();
            long worker = worker(psql);
            psql.text("select count(*)::text from postrider.claim('q', 'queue:q', " + worker
                    + ", 10, 100, 1000000, null)");
            assertThat(emptied(psql, "1 day")).as("claimed, but not settled").isZero();
            psql.text("select postrider.settle(" + worker + ", array[c.n], array['{[1,11)}']::int8multirange[],"
                    + " array['done'], array[null]::jsonb[]) from postrider.claim c where c.topic = 'queue:q'");
            assertThat(emptied(psql, "1 day")).isPositive();
            assertThat(psql.number("select count(*) from postrider.jobs")).isZero();
        }
    }

    @Tag("hot")
    @Test
    void jobs_of_a_queue_without_workers_are_carried_over_when_patience_ends(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            fill(psql, 10);
            assertThat(emptied(psql, "0")).isPositive();
            assertThat(psql.texts("select position || waits_for || state from postrider.jobs order by position"))
                    .hasSize(10)
                    .startsWith("1carried overPENDING");
            assertThat(psql.number("select depth from postrider.queues where name = 'q'"))
                    .isEqualTo(10);
        }
        try (Node node = new Node(database)) {
            node.postrider.add(Worker.on("q").handling("t", job -> Fate.done())).start();
            Await.until("all are done", () -> node.number("select count(*) from postrider.finish") == 10);
            assertThat(node.number("select count(*) from postrider.delayed")).isZero();
            node.inTransaction(connection -> node.postrider.enqueue(connection, Job.of("q", "t", "{}")));
            Await.until(
                    "the lane goes on behind them",
                    () -> node.number("select coalesce(max(lower(s.positions)), 0) from postrider.settlement s"
                                    + " where s.fate = 'done'")
                            == 11);
        }
    }

    @Test
    void old_claims_are_deleted_and_the_lane_continues_at_its_position(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            for (String table : psql.texts("select t || '_' || low from postrider.segment,"
                    + " unnest(array['claim', 'settlement', 'finish']) t where family = 'claim'")) {
                psql.execute("drop table postrider." + table);
            }
            psql.execute("delete from postrider.segment where family = 'claim'");
            psql.text("select postrider.make_segments(1000, 20)::text");
            long worker = worker(psql);
            psql.execute("insert into postrider.event (topic, type, payload) select 'queue:quiet', 't', '{}'");
            psql.passAll();
            claimAndSettle(psql, worker, "quiet", 1);
            for (int i = 1; i <= 100; i++) {
                psql.execute("insert into postrider.event (topic, type, payload) select 'queue:q', 't', '{}'");
                psql.passAll();
                claimAndSettle(psql, worker, "q", i);
                if (i % 5 == 0) {
                    psql.text("select postrider.make_segments(1000, 20)::text");
                    psql.text("select postrider.close_segments('1 day')::text");
                    psql.texts("select postrider.shorten_claims('0')");
                    psql.texts("select postrider.shorten_claims('0')");
                    psql.text("select postrider.drop_segments()");
                }
            }
            assertThat(psql.number("select count(*) from postrider.claim")).isBetween(20L, 70L);
            assertThat(psql.number("select count(*) from postrider.claim_beyond"))
                    .isZero();
            assertThat(psql.number("select max(to_position) from postrider.claim where topic = 'queue:q'"))
                    .isEqualTo(100);
            assertThat(psql.row("select n, position from postrider.claim('quiet', 'queue:quiet', " + worker
                            + ", 10, 100, 1000000, null)"))
                    .as("nothing is claimed again")
                    .isEqualTo("null|1");
            assertThat(Postrider.on(database.dataSource()).verifier().verify(text -> {}))
                    .allMatch(proof -> proof.violations() == 0);
        }
    }

    private static void claimAndSettle(Psql psql, long worker, String queue, int position) {
        psql.text("select count(*)::text from postrider.claim('" + queue + "', 'queue:" + queue + "', " + worker
                + ", 10, 100, 1000000, null)");
        assertThat(psql.text("select postrider.settle(" + worker + ", array[c.n], array['{[" + position + ","
                        + (position + 1) + ")}']::int8multirange[], array['done'], array[null]::jsonb[])"
                        + " from postrider.claim c where c.topic = 'queue:" + queue + "' and c.from_position = "
                        + position
                        + " and c.to_position = " + position))
                .isEqualTo("written");
    }
}
