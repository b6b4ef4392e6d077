package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException.Kind;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The sequencer's promises, with passes by hand wherever the order of things matters. */
@Migrated
@Tag("hot")
class SequencerTest {

    // ── G2, G3: every committed event, once, without a hole ─────────────────────────────────────────────────────────

    @Test
    void the_lower_id_that_commits_later_is_delivered_after_the_higher_one(TestDatabase database) {
        try (Psql first = new Psql(database);
                Psql second = new Psql(database);
                Psql sequencer = new Psql(database)) {
            sequencer.pass();
            first.begin().emit("orders", "id-42");
            second.begin().emit("orders", "id-43").commit();
            assertThat(sequencer.pass()).isEqualTo(1);
            assertThat(sequencer.log("orders")).containsExactly("id-43");
            first.commit();
            assertThat(sequencer.pass()).isEqualTo(1);
            assertThat(sequencer.log("orders")).containsExactly("id-43", "id-42");
            assertThat(sequencer.texts("select id from postrider.events order by id"))
                    .hasSize(2)
                    .isSorted();
            assertThat(sequencer.pass()).isZero();
        }
    }

    @Test
    void every_listener_gets_the_lower_id_that_commits_later(TestDatabase database) {
        List<String> relayed = new CopyOnWriteArrayList<>();
        List<String> booked = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database);
                Psql first = new Psql(database)) {
            node.with(
                    Listener.relay("relay", "orders", event -> relayed.add(event.type())),
                    Listener.transactional("booking", "orders", (connection, event) -> booked.add(event.type())));
            first.begin().emit("orders", "id-42");
            node.emit(Event.of("orders", "id-43", "{}"));
            Await.until("43 is delivered while 42 is open", () -> relayed.size() == 1 && booked.size() == 1);
            first.commit();
            Await.until("42 is delivered", () -> relayed.size() == 2 && booked.size() == 2);
        }
        assertThat(relayed).containsExactly("id-43", "id-42");
        assertThat(booked).containsExactly("id-43", "id-42");
    }

    @Test
    void a_transaction_may_stay_open_for_any_number_of_passes(TestDatabase database) {
        List<Psql> open = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        try (Psql sequencer = new Psql(database);
                Psql other = new Psql(database)) {
            sequencer.pass();
            for (int k = 1; k <= 50; k++) {
                open.add(new Psql(database).begin().emit("orders", "open-for-" + k));
            }
            for (int k = 1; k <= 50; k++) {
                other.emit("orders", "pass-" + k);
                expected.add("pass-" + k);
                assertThat(sequencer.pass()).isEqualTo(k == 1 ? 1 : 2);
                assertThat(expected).as("the log is as it was committed").hasSize(2 * k - 1);
                open.get(k - 1).commit();
                expected.add("open-for-" + k);
            }
            sequencer.pass();
            // what was committed between two passes is ordered by id, and the one held open has the lower
            List<String> log = sequencer.log("orders");
            assertThat(log).containsExactlyInAnyOrderElementsOf(expected);
            for (int k = 1; k < 50; k++) {
                assertThat(log.indexOf("open-for-" + k)).isBetween(2 * k - 1, 2 * k);
            }
        } finally {
            open.forEach(Psql::close);
        }
    }

    @Test
    void rollbacks_leave_no_gap(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql open = new Psql(database)) {
            open.begin().emit("orders", "never");
            List<String> kept = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                psql.begin().emit("orders", "t" + i);
                if (i % 3 == 0) {
                    psql.rollback();
                } else {
                    psql.commit();
                    kept.add("t" + i);
                }
                psql.pass();
            }
            open.rollback();
            psql.pass();
            psql.emit("orders", "last").passAll();
            kept.add("last");
            assertThat(psql.log("orders")).containsExactlyElementsOf(kept);
            assertThat(psql.number("select max(position) from postrider.head where topic = 'orders'"))
                    .isEqualTo(kept.size());
        }
    }

    @Test
    void a_huge_rolled_back_transaction_leaves_no_work(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql giant = new Psql(database)) {
            psql.pass();
            giant.begin().emitMany("orders", "g", 30_000);
            psql.emit("orders", "before");
            assertThat(psql.pass()).isEqualTo(1);
            giant.rollback();
            assertThat(psql.pass()).isZero();
            psql.emit("orders", "after");
            assertThat(psql.pass()).isEqualTo(1);
            assertThat(psql.log("orders")).containsExactly("before", "after");
        }
    }

    static Stream<String> tables() {
        return Stream.of("pass", "era", "backlog", "head", "log");
    }

    /** The pass is stopped at its first look at a table; what commits meanwhile must be in this pass or the next, once. */
    @ParameterizedTest
    @MethodSource("tables")
    void an_event_committed_between_two_statements_of_a_pass_gets_one_position(String table, TestDatabase database) {
        try (Psql warm = new Psql(database)) {
            warm.emit("orders", "long-ago").passAll();
            commitInsideAPass(database, table, List.of("long-ago"));
        }
    }

    @ParameterizedTest
    @MethodSource("tables")
    void an_event_committed_between_two_statements_of_the_first_pass_gets_one_position(
            String table, TestDatabase database) {
        commitInsideAPass(database, table, List.of());
    }

    private static void commitInsideAPass(TestDatabase database, String table, List<String> before) {
        try (Psql open = new Psql(database);
                Psql producer = new Psql(database);
                Psql barrier = new Psql(database);
                Psql sequencer = new Psql(database);
                Psql watch = new Psql(database)) {
            producer.emit("orders", "before");
            open.begin().emit("orders", "open");
            barrier.begin().execute("lock table postrider." + table + " in access exclusive mode");
            long pid = sequencer.pid();
            CompletableFuture<Long> pass = Background.get(sequencer::pass);
            Await.until("the pass waits at " + table, () -> {
                assertThat(pass).as("a pass that did not stop at " + table).isNotDone();
                return watch.number(
                                "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and pid = " + pid)
                        == 1;
            });
            producer.emit("orders", "inside");
            open.commit();
            barrier.commit();
            pass.join();
            producer.emit("orders", "after");
            watch.passAll();
            List<String> all = new ArrayList<>(before);
            all.addAll(List.of("before", "open", "inside", "after"));
            assertThat(watch.log("orders")).containsExactlyInAnyOrderElementsOf(all);
            assertThat(watch.number("select count(*) from postrider.backlog")).isZero();
        }
    }

    @Test
    void passes_of_two_nodes_at_once_and_parallel_producers_give_each_event_one_position(TestDatabase database) {
        AtomicBoolean producing = new AtomicBoolean(true);
        List<CompletableFuture<Void>> sequencers = IntStream.range(0, 2)
                .mapToObj(i -> Background.run(() -> {
                    try (Psql sequencer = new Psql(database)) {
                        while (producing.get()) {
                            sequencer.pass(7);
                        }
                    }
                }))
                .toList();
        long seed = TestRun.seed("parallel producers");
        List<CompletableFuture<Void>> producers = IntStream.range(0, 4)
                .mapToObj(p -> Background.run(() -> produce(database, p, new Random(seed + p))))
                .toList();
        producers.forEach(CompletableFuture::join);
        producing.set(false);
        sequencers.forEach(CompletableFuture::join);
        try (Psql psql = new Psql(database)) {
            psql.passAll();
            List<String> log = psql.log("orders");
            assertThat(log).as("seed %s", seed).doesNotHaveDuplicates();
            assertThat(log).containsExactlyInAnyOrderElementsOf(psql.texts("select type from postrider.event"));
            assertThat(psql.texts("select p from (select tx, max(position) - min(position) + 1 - count(*) as p"
                            + " from postrider.events group by tx) t where p <> 0"))
                    .as("transactions that are torn, seed %s", seed)
                    .isEmpty();
            assertThat(psql.texts("select key from (select key, position, created_at, lag(payload->>'n') over"
                            + " (partition by key order by position) as before, payload->>'n' as n"
                            + " from postrider.events) e where before::int >= n::int"))
                    .as("events of a key that are out of order, seed %s", seed)
                    .isEmpty();
        }
    }

    /** Transactions of one to three events for a key that is locked first, a few of them rolled back. */
    private static void produce(TestDatabase database, int producer, Random random) {
        try (Psql psql = new Psql(database)) {
            for (int i = 0; i < 40; i++) {
                int key = random.nextInt(3);
                psql.begin();
                psql.text("select pg_advisory_xact_lock(4711, " + key + ")::text");
                int events = 1 + random.nextInt(3);
                for (int e = 0; e < events; e++) {
                    psql.execute("insert into postrider.event (topic, type, key, payload) select 'orders', 'p"
                            + producer + "-"
                            + i + "-" + e + "', 'k" + key + "', jsonb_build_object('n', count(*))"
                            + " from postrider.event where key = 'k" + key + "'");
                }
                if (random.nextInt(5) == 0) {
                    psql.rollback();
                } else {
                    psql.commit();
                }
            }
        }
    }

    // ── G4, G5: causal and whole ────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_transaction_that_saw_a_commit_comes_after_it_even_if_it_is_older(TestDatabase database) {
        try (Psql older = new Psql(database);
                Psql younger = new Psql(database);
                Psql sequencer = new Psql(database)) {
            sequencer.pass();
            older.begin().text("select pg_current_xact_id()::text");
            younger.emit("orders", "cause");
            assertThat(older.number("select count(*) from postrider.event")).isEqualTo(1);
            older.emit("orders", "effect").commit();
            sequencer.pass();
            assertThat(sequencer.log("orders")).containsExactly("cause", "effect");
        }
    }

    @Test
    void all_events_of_a_transaction_come_after_a_commit_that_it_saw(TestDatabase database) {
        try (Psql early = new Psql(database);
                Psql other = new Psql(database);
                Psql sequencer = new Psql(database)) {
            sequencer.pass();
            early.begin().emit("orders", "early-1");
            other.emit("orders", "cause");
            early.emit("orders", "early-2").commit();
            sequencer.pass();
            assertThat(sequencer.log("orders")).containsExactly("cause", "early-1", "early-2");
        }
    }

    /** Somebody reads the backlog, so it cannot be emptied, though all of it is given out. */
    @Test
    void a_finished_backlog_does_not_delay_a_new_era(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql reading = new Psql(database)) {
            psql.emitMany("orders", "t", 10).passAll();
            psql.begin();
            for (int i = 0; i < 50; i++) {
                psql.emit("orders", "many");
            }
            psql.commit();
            psql.text("select events from postrider.sequence(20)");
            psql.execute("update postrider.era set timeline = '0000BEEF'");
            reading.begin().text("select count(*)::text from postrider.backlog");
            psql.passAll();
            psql.emit("other", "after").passAll();
            assertThat(psql.log("other")).containsExactly("after");
            assertThat(psql.log("orders")).hasSize(60);
            reading.rollback();
        }
    }

    @Test
    void interleaved_transactions_stay_contiguous_in_each_topic(TestDatabase database) {
        try (Psql a = new Psql(database).begin();
                Psql b = new Psql(database).begin();
                Psql sequencer = new Psql(database)) {
            sequencer.pass();
            for (int i = 0; i < 5; i++) {
                a.emit("left", "a" + i).emit("right", "a" + i);
                b.emit("right", "b" + i).emit("left", "b" + i);
            }
            a.commit();
            b.commit();
            sequencer.passAll();
            assertThat(sequencer.log("left"))
                    .containsExactly("a0", "a1", "a2", "a3", "a4", "b0", "b1", "b2", "b3", "b4");
            assertThat(sequencer.log("right"))
                    .containsExactly("a0", "a1", "a2", "a3", "a4", "b0", "b1", "b2", "b3", "b4");
            assertThat(sequencer.texts("select topics::text || heads::text from postrider.pass where events > 0"))
                    .as("both topics moved in one pass")
                    .hasSize(1);
        }
    }

    // ── G6: nobody waits for another's transaction ──────────────────────────────────────────────────────────────────

    @Test
    void an_open_transaction_delays_only_its_own_events(TestDatabase database) {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (TestDatabase elsewhere = TestDatabase.create();
                Psql writing = new Psql(database).begin();
                Psql emitting = new Psql(database).begin();
                Psql another = new Psql(elsewhere).begin();
                Node node = new Node(database)) {
            writing.execute("create table t (i int)");
            another.execute("create table t (i int)");
            emitting.emit("orders", "late");
            node.with(Listener.relay("relay", "orders", event -> heard.add(event.type())));
            for (int i = 0; i < 5; i++) {
                node.emit(Event.of("orders", "t" + i, "{}"));
                int wanted = i + 1;
                Await.until("event " + i, Duration.ofSeconds(60), () -> heard.size() == wanted);
            }
            emitting.commit();
            Await.until("the late one", Duration.ofSeconds(60), () -> heard.size() == 6);
            writing.rollback();
            another.rollback();
        }
        assertThat(heard).containsExactly("t0", "t1", "t2", "t3", "t4", "late");
    }

    @Test
    void the_rows_of_a_huge_open_transaction_are_not_visited_by_later_passes(TestDatabase database) {
        try (Psql giant = new Psql(database).begin();
                Psql psql = new Psql(database)) {
            psql.pass();
            giant.emitMany("orders", "g", 50_000);
            psql.emit("orders", "small");
            psql.pass();
            psql.begin();
            for (int i = 0; i < 20; i++) {
                assertThat(psql.pass()).isZero();
            }
            assertThat(
                            psql.number(
                                    "select sum(pg_stat_get_xact_blocks_fetched(oid)) from pg_class where relname like 'event\\_%'"))
                    .as("blocks touched by 20 empty passes, of about 800 that the giant has")
                    .isLessThan(20 * 20);
            psql.commit();
            giant.commit();
            psql.passAll();
            assertThat(psql.number("select count(*) from postrider.log")).isEqualTo(50_001);
        }
    }

    @Test
    void prepared_transactions_delay_no_others_and_are_delivered_on_commit(TestDatabase database) {
        try (Psql prepared = new Psql(database);
                Psql psql = new Psql(database)) {
            psql.pass();
            prepared.begin()
                    .emit("orders", "prepared")
                    .execute("prepare transaction 'p1'")
                    .commit();
            prepared.begin()
                    .emit("orders", "given-up")
                    .execute("prepare transaction 'p2'")
                    .commit();
            for (int i = 0; i < 10; i++) {
                psql.emit("orders", "t" + i);
                assertThat(psql.pass()).isEqualTo(1);
            }
            prepared.execute("rollback prepared 'p2'");
            assertThat(psql.pass()).isZero();
            prepared.execute("commit prepared 'p1'");
            assertThat(psql.pass()).isEqualTo(1);
            assertThat(psql.log("orders")).hasSize(11).endsWith("t9", "prepared");
        }
    }

    @Test
    void with_notify_off_a_transaction_can_be_prepared_while_the_sequencer_sleeps(TestDatabase database) {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database, options -> options.withPoll(Duration.ofMillis(200)));
                Psql prepared = new Psql(database)) {
            node.with(Listener.relay("relay", "orders", event -> heard.add(event.type())));
            node.awaitAsleep();
            assertThatThrownBy(() -> prepared.begin().emit("orders", "notifies").execute("prepare transaction 'p0'"))
                    .as("a NOTIFY cannot be prepared")
                    .isInstanceOfSatisfying(
                            Psql.SqlFailure.class, e -> assertThat(e.state()).isEqualTo("0A000"));
            prepared.rollback().execute("set postrider.notify = off");
            prepared.begin()
                    .emit("orders", "prepared")
                    .execute("prepare transaction 'p1'")
                    .commit();
            node.emit(Event.of("orders", "meanwhile", "{}"));
            Await.until("the other is delivered", () -> heard.size() == 1);
            prepared.execute("commit prepared 'p1'");
            Await.until("the prepared one is delivered", () -> heard.size() == 2);
        }
        assertThat(heard).containsExactly("meanwhile", "prepared");
    }

    // ── a backlog goes in pieces ────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_large_transaction_is_sequenced_in_parts_with_others_in_between(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql large = new Psql(database)) {
            psql.emit("other", "first").passAll();
            large.begin()
                    .emitMany("orders", "large-", 1_050)
                    .emit("other", "of-large")
                    .commit();
            List<Long> heads = new ArrayList<>();
            int passes = 0;
            boolean interleaved = false;
            long given;
            while ((given = psql.pass(100)) > 0) {
                assertThat(given).isLessThanOrEqualTo(101);
                heads.add(psql.number("select coalesce(max(position), 0) from postrider.head where topic = 'orders'"));
                assertThat(psql.number("select count(*) from postrider.log where topic = 'orders'"))
                        .as("what the head says is there")
                        .isEqualTo(heads.get(passes));
                passes++;
                if (passes == 3) {
                    psql.emit("other", "between").emit("orders", "behind");
                } else if (passes == 4) {
                    interleaved = psql.log("other").contains("between");
                }
            }
            assertThat(passes).isBetween(11, 14);
            assertThat(heads).isSorted().doesNotHaveDuplicates();
            assertThat(interleaved)
                    .as("another topic did not wait for the large one")
                    .isTrue();
            assertThat(psql.log("other")).containsExactly("first", "of-large", "between");
            assertThat(psql.log("orders"))
                    .hasSize(1_051)
                    .endsWith("behind")
                    .startsWith(IntStream.rangeClosed(1, 1_050)
                            .mapToObj(i -> "large-" + i)
                            .toArray(String[]::new));
            assertThat(psql.number("select count(*) from postrider.backlog")).isZero();
        }
    }

    @Test
    void many_small_transactions_are_sequenced_in_parts_in_order(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emit("orders", "first").passAll();
            psql.execute("do $$ begin for i in 1..1050 loop perform postrider.emit('orders', 't' || i || '.1', '{}');"
                    + " perform postrider.emit('orders', 't' || i || '.2', '{}'); commit; end loop; end $$");
            int passes = 0;
            while (psql.pass(101) > 0) {
                passes++;
            }
            assertThat(passes).isBetween(20, 23);
            List<String> expected = new ArrayList<>(List.of("first"));
            for (int i = 1; i <= 1050; i++) {
                Collections.addAll(expected, "t" + i + ".1", "t" + i + ".2");
            }
            assertThat(psql.log("orders")).containsExactlyElementsOf(expected);
        }
    }

    @Test
    void the_first_pass_sequences_older_events_in_parts(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql open = new Psql(database).begin()) {
            open.emit("orders", "open");
            psql.emitMany("orders", "old-", 250).emitMany("other", "old-", 30);
            assertThat(psql.pass(100)).isLessThanOrEqualTo(100);
            open.commit();
            psql.emit("orders", "new");
            while (psql.pass(100) > 0) {
                // again
            }
            assertThat(psql.log("other")).hasSize(30);
            assertThat(psql.log("orders"))
                    .hasSize(252)
                    .startsWith("old-1", "old-2")
                    .endsWith("open", "new");
        }
    }

    /** As after a restore: the numbers of transactions are another cluster's, and ours come to be the same later. */
    @Test
    void restored_events_are_not_confused_with_transactions_of_the_same_number(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            long foreign = psql.number("select pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 5");
            psql.execute("insert into postrider.event (tx, topic, type, payload)" + " select '" + foreign
                    + "', 'orders', 'restored-' || i, '{}' from generate_series(1, 250) i");
            assertThat(psql.pass(100)).isEqualTo(100);
            psql.execute("do $$ begin for i in 1..10 loop perform pg_current_xact_id(); commit; end loop; end $$");
            psql.emit("orders", "ours");
            while (psql.pass(100) > 0) {
                // again
            }
            assertThat(psql.log("orders")).hasSize(251).doesNotHaveDuplicates().endsWith("ours");
        }
    }

    @Test
    void a_dump_that_reads_the_backlog_does_not_stop_it(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql dump = new Psql(database)) {
            psql.emit("orders", "first").passAll();
            psql.emitMany("orders", "t", 250);
            psql.pass(100);
            dump.begin().execute("lock table postrider.backlog in access share mode");
            psql.passAll();
            psql.emit("orders", "behind").passAll();
            assertThat(psql.log("orders")).hasSize(252).endsWith("behind");
            dump.rollback();
            psql.emit("orders", "last").passAll();
            assertThat(psql.log("orders")).hasSize(253).endsWith("last");
            assertThat(psql.number("select count(*) from postrider.backlog")).isZero();
        }
    }

    @Test
    void an_event_that_vanishes_after_it_was_promised_a_position_stops_the_pass(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emit("orders", "first").passAll();
            psql.emitMany("orders", "t", 250);
            psql.pass(100);
            psql.execute("delete from postrider.event where type = 't220'");
            psql.pass(100);
            assertThatThrownBy(() -> psql.pass(100))
                    .isInstanceOfSatisfying(
                            Psql.SqlFailure.class, e -> assertThat(e.state()).isEqualTo("PR002"));
            assertThat(psql.log("orders")).hasSize(201);
        }
    }

    // ── what others set, or what nobody wrote ───────────────────────────────────────────────────────────────────────

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void a_pass_refuses_a_snapshot_older_than_its_lock(String isolation, TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute("set default_transaction_isolation = '" + isolation + "'");
            assertThatThrownBy(psql::pass)
                    .isInstanceOfSatisfying(
                            Psql.SqlFailure.class, e -> assertThat(e.state()).isEqualTo("PR001"));
        }
    }

    @Test
    void a_pass_refuses_a_transaction_that_has_written_before(TestDatabase database) {
        try (Psql psql = new Psql(database).begin()) {
            psql.emit("orders", "own");
            assertThatThrownBy(psql::pass)
                    .isInstanceOfSatisfying(
                            Psql.SqlFailure.class, e -> assertThat(e.state()).isEqualTo("PR003"));
            psql.rollback();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "local", "remote_write"})
    void a_pass_commits_durably_whatever_the_session_says(String setting, TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emit("orders", "a");
            psql.execute("set synchronous_commit = " + setting);
            psql.begin();
            assertThat(psql.pass()).isEqualTo(1);
            assertThat(psql.text("show synchronous_commit")).isEqualTo("on");
            psql.commit();
            assertThat(psql.text("show synchronous_commit")).isEqualTo(setting);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "default_transaction_isolation = 'repeatable read'",
                "default_transaction_isolation = 'serializable'",
                "synchronous_commit = off",
                "lock_timeout = '1ms'",
                "search_path = ''",
                "session_replication_role = 'replica'",
                // what changes how values look, and how statements are planned
                "timezone = 'Pacific/Kiritimati'; datestyle = 'German, DMY'; intervalstyle = 'sql_standard';"
                        + " bytea_output = 'escape'; enable_indexscan = off; plan_cache_mode = 'force_custom_plan';"
                        + " default_transaction_deferrable = on"
            })
    void defaults_of_the_database_neither_break_nor_weaken_a_node(String settings, TestDatabase database) {
        List<Long> heard = new CopyOnWriteArrayList<>();
        try (Psql admin = new Psql(database)) {
            admin.execute("create table booked (position bigint primary key)");
            for (String setting : settings.split("; ")) {
                admin.execute("alter database " + database.name() + " set " + setting);
            }
        }
        try (Node node = new Node(database);
                Psql producer = new Psql(database)) {
            node.with(
                    Listener.relay("relay", "orders", event -> heard.add(event.position())),
                    Listener.transactional("booking", "orders", (connection, event) -> {
                        try (var insert = connection.prepareStatement("insert into public.booked values (?)")) {
                            insert.setLong(1, event.position());
                            insert.executeUpdate();
                        }
                    }));
            for (int i = 0; i < 20; i++) {
                producer.emit("orders", "t" + i);
            }
            Await.until("all relayed", () -> heard.size() >= 20);
            Await.until("all booked", () -> producer.number("select count(*) from public.booked") == 20);
            assertThat(producer.log("orders")).hasSize(20);
        }
        assertThat(heard)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, 20).mapToObj(Long::valueOf).toList());
    }

    @Test
    void a_default_statement_timeout_does_not_end_a_long_pass(TestDatabase database) {
        try (Psql admin = new Psql(database)) {
            admin.emitMany("orders", "t", 40_000);
            admin.execute("alter database " + database.name() + " set statement_timeout = '100ms'");
        }
        try (Node node = new Node(database, options -> options.withPassSize(1_000_000));
                Psql slow = new Psql(database)) {
            slow.execute("set statement_timeout = 0")
                    .begin()
                    .execute("lock table postrider.backlog in access share mode");
            node.with();
            Await.until(
                    "all have positions",
                    () -> slow.number(
                                    "select coalesce(max(position), 0) from postrider.head" + " where topic = 'orders'")
                            == 40_000);
        }
    }

    @Test
    void a_default_that_changes_while_a_node_runs_does_not_stop_it(TestDatabase database) {
        List<Long> heard = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database, options -> options.withPoll(Duration.ofMillis(50)));
                Psql psql = new Psql(database)) {
            node.with(Listener.transactional("booking", "orders", (connection, event) -> heard.add(event.position())));
            psql.emit("orders", "a");
            node.awaitCursor("booking", 1);
            psql.execute(
                    "alter database " + database.name() + " set default_transaction_isolation = 'repeatable read'");
            psql.text("select count(pg_terminate_backend(pid))::text from pg_stat_activity"
                    + " where datname = current_database() and pid <> pg_backend_pid()");
            psql.emit("orders", "b", "c");
            node.awaitCursor("booking", 3);
        }
        assertThat(heard.stream().distinct()).containsExactly(1L, 2L, 3L);
    }

    @Test
    void a_node_does_not_start_if_transactions_are_read_only(TestDatabase database) {
        try (Psql admin = new Psql(database)) {
            admin.execute("alter database " + database.name() + " set default_transaction_read_only = on");
        }
        try (Postrider postrider = Postrider.on(database.dataSource())) {
            assertThatThrownBy(postrider::start)
                    .isInstanceOfSatisfying(
                            PostriderException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CONFLICT))
                    .hasMessageContaining("default_transaction_read_only");
        }
    }

    @Test
    void a_node_refuses_to_start_if_the_id_sequence_has_a_cache(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Postrider postrider = Postrider.on(database.dataSource())) {
            assertThat(psql.number("select seqcache from pg_sequence where seqrelid = 'postrider.event_ids'::regclass"))
                    .isEqualTo(1);
            psql.execute("alter sequence postrider.event_ids cache 50");
            assertThatThrownBy(postrider::start)
                    .isInstanceOfSatisfying(
                            PostriderException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CONFLICT))
                    .hasMessageContaining("event_ids")
                    .hasMessageContaining("cache");
        }
    }

    @Test
    void a_pass_that_finds_nothing_writes_nothing(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emit("orders", "a").passAll();
            psql.begin();
            assertThat(psql.pass()).isZero();
            assertThat(psql.text("select pg_current_xact_id_if_assigned()::text"))
                    .isNull();
            psql.commit();
            assertThat(psql.number("select count(*) from postrider.pass")).isEqualTo(1);
        }
    }

    @Test
    void the_snapshot_advances_after_many_other_transactions(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emit("orders", "a").passAll();
            psql.execute("create table other (i int)");
            psql.execute("do $$ begin for i in 1..10001 loop begin insert into other values (i);"
                    + " exception when others then null; end; end loop; end $$");
            psql.pass();
            assertThat(psql.number("select events from postrider.pass order by n desc limit 1"))
                    .isZero();
            assertThat(
                            psql.number(
                                    "select pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
                                            + " - pg_snapshot_xmax(snapshot)::text::bigint from postrider.pass order by n desc limit 1"))
                    .isLessThan(1_000);
        }
    }
}
