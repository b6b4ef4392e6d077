package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.VerifyResult;
import io.postrider.internal.db.Sql;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One transaction that writes to more topics than a pass can take. 100,000 topics made one pass of 30 s, in which nobody's
 * events got a position.
 */
@Migrated
@Tag("hot")
@Tag("security")
class ManyTopicsTest {
    private static final int TOPICS = 5_000;
    private static final int MOST_TOPICS = 1_000;
    private static final int PASS_SIZE = 2_000;

    /** The turns go on after the topic of the last pass, which is "other": this one is the next. */
    private static final String LARGE = "p";

    @Test
    void a_pass_takes_a_thousand_topics_and_others_do_not_wait(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emit("other", "before").passAll();
            flood(psql, 1);
            psql.emit("other", "o0");
            int passes = 0;
            boolean more = true;
            while (more) {
                List<String> pass = pass(psql);
                assertThat(Integer.parseInt(pass.get(0)))
                        .as("topics of pass %s", passes)
                        .isLessThanOrEqualTo(MOST_TOPICS + 1);
                assertThat(psql.log("other")).endsWith("o" + passes);
                psql.emit("other", "o" + ++passes);
                more = pass.get(1).equals("true");
            }
            psql.passAll();
            assertThat(passes).isEqualTo(TOPICS / MOST_TOPICS);
            assertWhole(psql, TOPICS, 1);
        }
        assertHolds(database);
    }

    /** The order is that of the transactions' greatest ids, also if that id is in a topic that goes into the backlog. */
    @Test
    void a_transaction_keeps_its_order_although_one_of_its_topics_is_in_the_backlog(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql early = new Psql(database)) {
            psql.emit("other", "before").passAll();
            early.begin().emit("left", "early");
            psql.emit("left", "cause");
            early.emit("x1", "effect").commit();
            flood(psql, 1);
            pass(psql);
            assertThat(psql.log("left")).containsExactly("cause", "early");
            psql.passAll();
            assertThat(psql.log("x1")).containsExactly("effect", "t1");
        }
    }

    /** What a transaction wrote to a topic is read by its range of ids; these ranges span all the other topics. */
    @Test
    void events_of_a_topic_that_lie_far_apart_are_found_without_reading_all_between(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emit("other", "before").passAll();
            psql.begin();
            flood(psql, 1);
            flood(psql, 2);
            psql.commit();
            psql.begin();
            assertThat(pass(psql).get(0)).isEqualTo(Integer.toString(MOST_TOPICS));
            assertThat(psql.number("select sum(pg_stat_get_xact_tuples_fetched(i.indexrelid)"
                            + " + pg_stat_get_xact_tuples_returned(i.indexrelid)) from pg_index i"
                            + " join pg_class c on c.oid = i.indrelid where c.relname like 'event\\_%'"))
                    .as("of 10,000 events read by one pass; each topic by itself would read 5,000")
                    .isLessThan(200_000);
            psql.commit();
            psql.passAll();
            assertWhole(psql, TOPICS, 2);
            assertThat(psql.log("x1")).containsExactly("t1", "t2");
        }
        assertHolds(database);
    }

    /** With 20,000 topics, one event took 75 to 151 ms: the pass looked at every topic instead of those that moved. */
    @Test
    void the_pass_of_one_event_reads_no_topic_but_its_own(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute("insert into postrider.event (topic, type, payload) select 'x' || i, 't', '{}'"
                            + " from generate_series(1, 20000) i")
                    .passAll()
                    .emit("x7", "one");
        }
        try (Psql psql = new Psql(database)) { // the counters of a session include its last transactions
            psql.begin();
            assertThat(psql.pass()).isEqualTo(1);
            assertThat(psql.texts("select c.relname || ' ' || n from pg_class c, lateral (select"
                            + " pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid)) s (n)"
                            + " where c.relnamespace = 'postrider'::regnamespace and n > 100"))
                    .as("tables and indexes of which the pass read more than 100 rows")
                    .isEmpty();
            psql.commit();
        }
        assertHolds(database);
    }

    /** Joined row by row, 32,000 scattered events in 16,000 topics were a pass of 22 s; the client gives up after 60 s. */
    @Test
    void the_time_of_a_pass_does_not_grow_with_the_square_of_the_topics(TestDatabase database) {
        int topics = 16_000;
        try (Psql psql = new Psql(database)) {
            psql.emit("other", "before").passAll();
            psql.execute("insert into postrider.event (topic, type, payload) select 'x' || i % " + topics
                    + ", 't', '{}' from generate_series(1, " + 2 * topics + ") i");
            long begun = System.nanoTime();
            assertThat(pass(psql).get(0)).isEqualTo(Integer.toString(MOST_TOPICS));
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
        }
    }

    /** Otherwise a pass that takes longer than a client waits would be begun again for ever. */
    @Test
    void a_pass_of_many_topics_commits_although_its_client_has_disconnected(TestDatabase database) throws Exception {
        try (Psql psql = new Psql(database);
                Psql holder = new Psql(database);
                Connection client = database.dataSource().getConnection()) {
            psql.execute("insert into postrider.event (topic, type, payload) select repeat('x', 90) || i, 't', '{}'"
                    + " from generate_series(1, 1000) i");
            holder.begin().execute("lock table postrider.sequencing in share update exclusive mode");
            CompletableFuture<Void> pass = CompletableFuture.runAsync(() -> {
                try (PreparedStatement statement =
                        client.prepareStatement(Sql.file("sequence/sequence").text())) {
                    statement.setInt(1, PASS_SIZE);
                    statement.execute();
                } catch (SQLException e) {
                    // the connection is cut below
                }
            });
            Await.until("the pass waits", () -> waiting(psql) == 1);
            client.abort(Runnable::run);
            pass.get(30, TimeUnit.SECONDS);
            holder.rollback();
            Await.until("its session is gone", () -> waiting(psql) == 0 && sequencing(psql) == 0);
            assertThat(psql.number("select count(*) from postrider.log where topic like 'x%'"))
                    .isEqualTo(1_000);
        }
    }

    private static long waiting(Psql psql) {
        return psql.number(
                "select count(*) from pg_locks where not granted" + " and relation = 'postrider.sequencing'::regclass");
    }

    private static long sequencing(Psql psql) {
        return psql.number("select count(*) from pg_stat_activity where datname = current_database()"
                + " and query like '%postrider.sequence(%' and pid <> pg_backend_pid()");
    }

    @Test
    void a_large_topic_and_the_last_one_by_name_move_while_topics_keep_coming(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emit("other", "before").passAll();
            psql.begin();
            psql.emitMany(LARGE, "g", 20_000);
            psql.emitMany("zzz", "z", 5);
            flood(psql, 1);
            psql.commit();
            for (int pass = 1; pass <= 5; pass++) {
                long before = head(psql, LARGE);
                pass(psql);
                assertThat(head(psql, LARGE)).as("pass %s", pass).isGreaterThan(before);
                psql.execute("insert into postrider.event (topic, type, payload) select 'm" + pass
                        + "-' || i, 't', '{}' from generate_series(1, 2100) i");
            }
            int passes = 5;
            while (head(psql, "zzz") < 5) {
                assertThat(pass(psql)).isNotEmpty();
                assertThat(++passes)
                        .as("passes until all of zzz has its positions")
                        .isLessThan(40);
            }
            psql.passAll();
            assertThat(psql.log(LARGE)).hasSize(20_000).startsWith("g1", "g2").endsWith("g19999", "g20000");
            assertThat(psql.log("zzz")).containsExactly("z1", "z2", "z3", "z4", "z5");
            assertWhole(psql, TOPICS, 1);
        }
        assertHolds(database);
    }

    @Test
    void a_topic_that_has_all_its_promised_positions_does_not_wait_for_the_other_topics(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emit("other", "before").passAll();
            psql.begin().emit(LARGE, "of-large");
            flood(psql, 1);
            psql.commit();
            pass(psql);
            assertThat(psql.log(LARGE)).containsExactly("of-large");
            for (int i = 1; i <= 3; i++) {
                psql.emit(LARGE, "a" + i);
                assertThat(pass(psql).get(1)).isEqualTo("true");
                assertThat(psql.log(LARGE)).endsWith("a" + i);
            }
            psql.passAll();
            assertThat(psql.log(LARGE)).containsExactly("of-large", "a1", "a2", "a3");
            assertWhole(psql, TOPICS, 1);
        }
        assertHolds(database);
    }

    @Test
    void a_dump_of_the_backlog_does_not_make_passes_visit_all_topics_again(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql dump = new Psql(database)) {
            psql.emit("other", "before").passAll();
            flood(psql, 1);
            pass(psql);
            dump.begin().execute("lock table postrider.backlog in access share mode");
            psql.passAll();
            assertWhole(psql, TOPICS, 1);
            assertThat(psql.number("select count(*) from postrider.backlog")).isZero();
            dump.rollback();
        }
    }

    @Test
    void a_node_delivers_each_event_of_such_a_transaction_and_of_others_once(TestDatabase database) {
        try (Node node = new Node(database, options -> options.withPassSize(PASS_SIZE));
                Psql psql = new Psql(database)) {
            node.with(Listener.relay("last", "x" + TOPICS, event -> {}), Listener.relay("other", "other", event -> {}));
            flood(psql, 1);
            psql.emit("other", "o1");
            node.awaitCursor("other", 1);
            node.awaitCursor("last", 1);
            Await.until("the backlog is empty", () -> psql.number("select count(*) from postrider.backlog") == 0);
            assertWhole(psql, TOPICS, 1);
        }
        assertHolds(database);
    }

    private static void flood(Psql psql, int round) {
        psql.execute("insert into postrider.event (topic, type, payload) select 'x' || i, 't" + round
                + "', '{}' from generate_series(1, " + TOPICS + ") i");
    }

    /** How many topics moved, and whether there is more; empty if there was nothing to do. */
    private static List<String> pass(Psql psql) {
        List<String> row = psql.texts("select cardinality(topics) || ' ' || more from postrider.sequence(" + PASS_SIZE
                + ") where events > 0");
        return row.isEmpty() ? row : List.of(row.get(0).split(" "));
    }

    private static long head(Psql psql, String topic) {
        return psql.number("select coalesce(max(position), 0) from postrider.head where topic = '" + topic + "'");
    }

    private static void assertWhole(Psql psql, int topics, int events) {
        assertThat(psql.text("select count(*) || ' topics, ' || min(n) || ' to ' || max(n) || ' events, to position '"
                        + " || max(last) from (select count(*) as n, max(position) as last from postrider.log"
                        + " where topic like 'x%' group by topic) t"))
                .isEqualTo(topics + " topics, " + events + " to " + events + " events, to position " + events);
    }

    private static void assertHolds(TestDatabase database) {
        assertThat(Postrider.on(database.dataSource()).verifier().verify(step -> {}))
                .allMatch(VerifyResult::holds);
    }
}
