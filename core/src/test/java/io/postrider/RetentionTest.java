package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.DeadLetter;
import io.postrider.admin.VerifyResult;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.SchemaName;
import io.postrider.internal.retain.Retention;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Segments, in steps by hand: what is removed, what is kept, and who waits for whom. */
@Migrated(segmentSize = 1_000)
@Tag("slow")
class RetentionTest {
    private static final Duration NONE = Duration.ZERO;
    private static final Duration DAY = Duration.ofDays(1);

    // ── segments ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void segments_are_created_in_advance(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            assertThat(segments(psql, "log")).containsExactly("0-1000", "1000-2000", "2000-3000");
            psql.emitMany("orders", "t", 1_500);
            keepHouse(database, DAY, DAY);
            assertThat(segments(psql, "log")).containsExactly("0-1000", "1000-2000", "2000-3000", "3000-4000");
            keepHouse(database, DAY, DAY);
            assertThat(segments(psql, "log")).hasSize(4);
            assertThat(psql.number("select count(*) from postrider.event_beyond"))
                    .isZero();
            assertThat(psql.number("select count(*) from postrider.event_1000")).isEqualTo(501);
        }
    }

    @Test
    void two_nodes_can_run_retention_concurrently(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emitMany("orders", "t", 5_000).passAll();
            listener(psql, "l", "orders", 5_000);
            settle(psql);
            List<CompletableFuture<Void>> nodes = IntStream.range(0, 3)
                    .mapToObj(i -> Background.run(() -> {
                        for (int round = 0; round < 5; round++) {
                            keepHouse(database, NONE, DAY);
                        }
                    }))
                    .toList();
            nodes.forEach(CompletableFuture::join);
            keepHouse(database, NONE, DAY);
            assertThat(psql.number("select count(*) from postrider.segment where family = 'log' and high <= 5000 and"
                            + " emptied_at is null"))
                    .isZero();
            psql.emit("orders", "after").passAll();
            assertThat(psql.number("select max(position) from postrider.events"))
                    .isEqualTo(5_001);
        }
    }

    @Test
    void a_segment_is_emptied_when_it_is_old_and_every_listener_has_passed_it(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emitMany("orders", "t", 2_500).passAll();
            listener(psql, "quick", "orders", 2_500);
            listener(psql, "slow", "orders", 1_500);
            listener(psql, "elsewhere", "other", 0);
            settle(psql);
            keepHouse(database, DAY, DAY);
            assertThat(closed(psql)).containsExactly("0", "1000");
            assertThat(psql.number("select count(*) from postrider.events where topic = 'orders'"))
                    .isEqualTo(2_500);

            keepHouse(database, NONE, DAY);
            assertThat(psql.number("select min(position) from postrider.events where topic = 'orders'"))
                    .as("the slow one is past the first segment, in the second")
                    .isEqualTo(1_000);
            assertThat(psql.number("select count(*) from postrider.events where topic = 'orders'"))
                    .isEqualTo(1_501);

            psql.text("select postrider.deliver('slow', 1501, 2500, 1000, 'test')::text");
            keepHouse(database, NONE, DAY);
            keepHouse(database, NONE, DAY);
            assertThat(psql.number("select min(position) from postrider.events where topic = 'orders'"))
                    .isEqualTo(2_000);
            assertThat(
                            psql.texts(
                                    "select relname from pg_class where relname in ('event_0', 'log_0', 'event_1000', 'log_1000')"))
                    .as("dropped, too")
                    .isEmpty();
            assertThat(psql.number("select position from postrider.listeners where name = 'slow'"))
                    .isEqualTo(2_500);
            assertThat(psql.row("select lag, detached_at from postrider.listeners where name = 'slow'"))
                    .isEqualTo("0|null");
            psql.emit("orders", "after").passAll();
            assertThat(psql.number("select max(position) from postrider.events where topic = 'orders'"))
                    .isEqualTo(2_501);
        }
    }

    @Test
    void the_open_transaction_of_a_producer_keeps_the_segment_of_its_ids(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql open = new Psql(database).begin()) {
            psql.pass();
            open.emit("orders", "late");
            psql.emitMany("orders", "t", 2_500).passAll();
            listener(psql, "l", "orders", 2_500);
            settle(psql);
            keepHouse(database, NONE, NONE);
            assertThat(closed(psql)).isEmpty();
            open.commit();
            psql.passAll();
            assertThat(psql.text(
                            "select type from postrider.events where topic = 'orders' order by position desc limit 1"))
                    .isEqualTo("late");
            settle(psql);
            keepHouse(database, NONE, DAY);
            assertThat(closed(psql)).containsExactly("0", "1000");
            assertThat(psql.number("select count(*) from postrider.events where type = 'late'"))
                    .as("the listener has not handled it")
                    .isEqualTo(1);
            psql.text("select postrider.deliver('l', 2501, 2501, 1, 'test')::text");
            keepHouse(database, NONE, DAY);
            assertThat(psql.number("select count(*) from postrider.events where type = 'late'"))
                    .isZero();
        }
    }

    /** Events kept by age on a quiet system: the sequence moves on to the next segment, and must never move back. */
    @Test
    void a_rotation_does_not_reuse_ids_that_were_drawn_meanwhile(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql holding = new Psql(database);
                Psql producer = new Psql(database)) {
            psql.text("select postrider.make_segments(300000, 1000000)::text");
            psql.text("select setval('postrider.event_ids', (select low + 1 from postrider.segment"
                    + " where family = 'log' and high - low = 300000 order by low limit 1))::text");
            psql.emit("orders", "a").passAll();
            psql.text("select postrider.close_segments('1 day')::text");
            holding.begin().execute("lock table postrider.segment in share mode");
            CompletableFuture<Void> closing = Background.run(() -> {
                try (Psql other = new Psql(database)) {
                    other.text("select postrider.close_segments('0 seconds')::text");
                }
            });
            Await.until(
                    "it waits for the lock",
                    () -> psql.number("select count(*) from pg_locks where not granted and relation ="
                                    + " 'postrider.segment'::regclass")
                            == 1);
            producer.text("select count(nextval('postrider.event_ids'))::text from generate_series(1, 400000)");
            producer.emit("orders", "b").passAll();
            long drawn = psql.number("select last_value from postrider.event_ids");
            holding.rollback();
            closing.join();
            assertThat(psql.number("select last_value from postrider.event_ids"))
                    .isGreaterThanOrEqualTo(drawn);
            producer.emit("orders", "c").passAll();
            assertThat(psql.log("orders")).containsExactly("a", "b", "c");
        }
    }

    @Test
    void a_log_without_its_last_position_is_complete_and_a_reset_by_time_avoids_the_gap(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql late = new Psql(database).begin()) {
            psql.pass();
            late.emit("orders", "late");
            psql.emitMany("orders", "t", 1_500).passAll();
            late.commit();
            psql.passAll();
            listener(psql, "l", "orders", 1_501);
            settle(psql);
            keepHouse(database, NONE, DAY);
            assertThat(psql.number("select max(position) from postrider.log where topic = 'orders'"))
                    .isEqualTo(1_500);
            assertThat(Postrider.on(database.dataSource()).verifier().verify(step -> {}))
                    .allMatch(VerifyResult::holds);
            try (Node node = new Node(database)) {
                assertThat(node.postrider.reset("l", StartPoint.time(Instant.EPOCH)))
                        .isEqualTo(1_501);
            }
        }
    }

    @Test
    void after_a_late_commit_was_deleted_the_log_is_complete_from_the_oldest_position(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql late = new Psql(database).begin()) {
            psql.pass();
            late.emit("orders", "late"); // a low id, in the first segment
            psql.emitMany("orders", "t", 1_500).passAll();
            late.commit();
            psql.passAll(); // and a high position: 1501
            psql.emitMany("orders", "t", 1_000).passAll();
            listener(psql, "l", "orders", 1_501);
            settle(psql);
            keepHouse(database, NONE, DAY);
            assertThat(psql.number("select count(*) from postrider.log where topic = 'orders' and position = 1501"))
                    .as("the late one went with its segment")
                    .isZero();
            assertThat(psql.number("select min(position) from postrider.log where topic = 'orders'"))
                    .isLessThan(1_501);
            try (Node node = new Node(database)) {
                CountDownLatch handled = new CountDownLatch(1_000);
                node.with(Listener.relay("new", "orders", event -> handled.countDown()));
                node.awaitCursor("new", 2_501);
                assertThat(handled.getCount()).as("events from 1502 on").isZero();
            }
        }
    }

    @Test
    void a_prepared_transaction_is_delivered_after_two_rotations(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.pass();
            psql.begin()
                    .emit("orders", "prepared")
                    .execute("prepare transaction 'p'")
                    .commit();
            for (int rotation = 0; rotation < 2; rotation++) {
                psql.emitMany("orders", "t", 1_500).passAll();
                settle(psql);
                keepHouse(database, NONE, NONE);
            }
            psql.execute("commit prepared 'p'");
            psql.passAll();
            assertThat(psql.text(
                            "select type from postrider.events where topic = 'orders' order by position desc limit 1"))
                    .isEqualTo("prepared");
        }
    }

    @Test
    void the_current_segment_is_rotated_when_it_is_old(TestDatabase database) {
        try (TestDatabase large = TestDatabase.createFrom(
                        "migrated-4000000",
                        dataSource -> Postrider.on(dataSource).migrate());
                Psql psql = new Psql(large);
                Psql open = new Psql(large).begin()) {
            psql.pass();
            open.emit("orders", "open");
            psql.emit("orders", "a").passAll();
            psql.text("select postrider.close_segments('1 day')::text");
            psql.emit("orders", "b").passAll();
            assertThat(psql.number("select max(id) from postrider.event")).isLessThan(100);
            psql.text("select postrider.close_segments('0')::text");
            psql.emit("orders", "c").passAll();
            assertThat(psql.number("select max(id) from postrider.event")).isBetween(4_000_000L, 4_000_010L);
            open.emit("orders", "open-too").commit();
            settle(psql);
            psql.text("select postrider.close_segments('1 day')::text");
            assertThat(closed(psql)).containsExactly("0");
            assertThat(psql.log("orders")).containsExactly("a", "b", "c", "open", "open-too");
            assertThat(psql.row(
                            "select first_position, last_position from postrider.segment_topic where topic = 'orders'"))
                    .isEqualTo("1|4");
            keepHouse(large, NONE, NONE);
            assertThat(psql.texts("select type from postrider.events where topic = 'orders'"))
                    .containsExactlyInAnyOrder("c", "open-too");
        }
    }

    // ── what is kept ────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void dead_letters_and_parked_events_outlive_their_segment(TestDatabase database) {
        AtomicBoolean broken = new AtomicBoolean(true);
        List<String> done = new CopyOnWriteArrayList<>();
        Listener dying = Listener.relay("dying", "orders", event -> {
                    if (broken.get() && event.type().equals("bad")) {
                        throw new IllegalStateException("no");
                    }
                    done.add("dying " + event.type());
                })
                .withAttempts(1);
        Listener parking = Listener.relay("parking", "orders", event -> {
                    if (broken.get() && event.type().equals("bad")) {
                        throw new IllegalStateException("no");
                    }
                    done.add("parking " + event.type());
                })
                .withPolicy(FailurePolicy.PARK)
                .withAttempts(1_000)
                .withBackoff(Duration.ofMillis(20), Duration.ofMillis(20));
        try (Psql psql = new Psql(database);
                Node node = new Node(
                        database, options -> options.withSegmentSize(1_000).withPoll(Duration.ofMillis(50)))) {
            node.emit(
                    Event.of("orders", "bad", "{\"n\": 1}").withKey("k"),
                    Event.of("orders", "behind", "{\"n\": 2}").withKey("k"));
            psql.emitMany("orders", "t", 1_200);
            node.with(dying.withTypes("bad", "behind"), parking.withTypes("bad", "behind"));
            node.awaitCursor("dying", 1_202);
            node.awaitCursor("parking", 1_202);
            Await.until("the segment has gone", Duration.ofSeconds(60), () -> {
                psql.emit("other", "push");
                keepHouse(database, NONE, DAY);
                return psql.number("select count(*) from postrider.events where type in ('bad', 'behind')") == 0;
            });
            assertThat(psql.number("select count(*) from postrider.setback where listener = 'parking'"))
                    .isEqualTo(2);
            broken.set(false);
            Await.until("the parked ones came", () -> done.contains("parking behind"));
            assertThat(node.postrider
                            .deadLetters()
                            .replay(node.deadLetters("dying").stream()
                                    .map(DeadLetter::id)
                                    .toList()))
                    .isEqualTo(1);
            Await.until("the dead one came", () -> done.contains("dying bad"));
        }
        assertThat(done).containsExactlyInAnyOrder("dying behind", "parking bad", "parking behind", "dying bad");
        assertThat(done.indexOf("parking bad")).isLessThan(done.indexOf("parking behind"));
    }

    @Test
    void an_inactive_listener_is_detached_after_the_patience_and_reports_it(TestDatabase database) {
        List<Long> heard = new CopyOnWriteArrayList<>();
        try (Psql psql = new Psql(database)) {
            psql.emitMany("orders", "t", 2_500).passAll();
            listener(psql, "gone", "orders", 10);
            listener(psql, "there", "orders", 2_500);
            settle(psql);
            keepHouse(database, NONE, DAY);
            assertThat(psql.text("select detached_at from postrider.listeners where name = 'gone'"))
                    .isNull();
            assertThat(psql.number("select count(*) from postrider.events where topic = 'orders'"))
                    .isEqualTo(2_500);

            keepHouse(database, NONE, NONE);
            assertThat(psql.text("select detached_at from postrider.listeners where name = 'gone'"))
                    .isNotNull();
            assertThat(psql.text("select detached_at from postrider.listeners where name = 'there'"))
                    .isNull();
            assertThat(psql.number("select min(position) from postrider.events where topic = 'orders'"))
                    .isEqualTo(2_000);
            assertThat(psql.text("select postrider.deliver('gone', 11, 12, 2, 'test')::text"))
                    .as("it cannot go on as if nothing had happened")
                    .isEqualTo("false");
            try (Node node =
                    new Node(database, options -> options.withSegmentSize(1_000).withPoll(Duration.ofMillis(50)))) {
                node.with(
                        Listener.relay("gone", "orders", event -> heard.add(event.position())),
                        Listener.relay("there", "orders", event -> {}));
                psql.emit("orders", "new");
                node.awaitCursor("there", 2_501);
                assertThat(heard).isEmpty();
                assertThat(node.postrider.reset("gone", StartPoint.beginning())).isEqualTo(1_999);
                node.awaitCursor("gone", 2_501);
                assertThat(node.status("gone").detachedAt()).isNull();
            }
            assertThat(heard).hasSize(502).startsWith(2_000L).endsWith(2_501L);
        }
    }

    @Test
    void a_new_listener_at_the_beginning_starts_at_the_oldest_event_that_is_kept(TestDatabase database) {
        List<Long> beginning = new CopyOnWriteArrayList<>();
        List<Long> position = new CopyOnWriteArrayList<>();
        List<Long> time = new CopyOnWriteArrayList<>();
        try (Psql psql = new Psql(database)) {
            psql.emitMany("orders", "t", 2_300).passAll();
            settle(psql);
            keepHouse(database, NONE, DAY);
            try (Node node =
                    new Node(database, options -> options.withSegmentSize(1_000).withPoll(Duration.ofMillis(50)))) {
                node.postrider
                        .add(Listener.relay("b", "orders", event -> beginning.add(event.position()))
                                .withStart(StartPoint.beginning()))
                        .add(Listener.relay("p", "orders", event -> position.add(event.position()))
                                .withStart(StartPoint.position(7)))
                        .add(Listener.relay("t", "orders", event -> time.add(event.position()))
                                .withStart(StartPoint.time(java.time.Instant.EPOCH)))
                        .start();
                for (String name : List.of("b", "p", "t")) {
                    node.awaitCursor(name, 2_300);
                }
            }
        }
        assertThat(beginning).hasSize(301).startsWith(2_000L).endsWith(2_300L);
        assertThat(position).isEqualTo(beginning);
        assertThat(time).isEqualTo(beginning);
    }

    @Test
    void a_topic_whose_events_were_all_deleted_continues_at_its_next_position(TestDatabase database) {
        List<Long> heard = new CopyOnWriteArrayList<>();
        try (Psql psql = new Psql(database)) {
            psql.emit("quiet", "a", "b").emitMany("orders", "t", 1_200).passAll();
            settle(psql);
            keepHouse(database, NONE, DAY);
            assertThat(psql.number("select count(*) from postrider.events where topic = 'quiet'"))
                    .isZero();
            try (Node node =
                    new Node(database, options -> options.withSegmentSize(1_000).withPoll(Duration.ofMillis(50)))) {
                node.with(Listener.relay("q", "quiet", event -> heard.add(event.position())));
                psql.emit("quiet", "c");
                node.awaitCursor("q", 3);
            }
        }
        assertThat(heard).containsExactly(3L);
    }

    // ── ledgers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void ledgers_are_shortened_and_heads_and_cursors_survive(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            withSmallLedgers(psql);
            psql.emit("quiet", "a", "b").passAll();
            listener(psql, "quiet", "quiet", 1);
            listener(psql, "busy", "orders", 0);
            listener(psql, "unmoved", "nothing", 0);
            for (int i = 1; i <= 230; i++) {
                psql.emit("orders", "t" + i).pass();
                assertThat(psql.text("select postrider.deliver('busy', " + i + ", " + i + ", 1, 'test')::text"))
                        .isEqualTo("true");
                if (i % 20 == 0) {
                    psql.text("select postrider.make_segments(1000, 50)::text");
                    psql.text("select postrider.close_segments('1 day')::text");
                    shorten(psql);
                    psql.text("select postrider.drop_segments()");
                }
            }
            assertThat(psql.number("select count(*) from postrider.pass")).isBetween(50L, 170L);
            assertThat(psql.number("select count(*) from postrider.delivery")).isBetween(50L, 170L);
            assertThat(psql.number("select count(*) from postrider.pass_beyond"))
                    .isZero();
            assertThat(psql.number(
                            "select count(*) from postrider.segment where family in ('pass', 'delivery') and low = 0"))
                    .isZero();
            assertThat(psql.row("select position, head from postrider.listeners where name = 'quiet'"))
                    .isEqualTo("1|2");
            assertThat(psql.row("select position, head from postrider.listeners where name = 'busy'"))
                    .isEqualTo("230|230");
            assertThat(psql.row("select position, head from postrider.listeners where name = 'unmoved'"))
                    .isEqualTo("0|0");
            psql.emit("quiet", "c").emit("orders", "last").pass();
            assertThat(psql.log("quiet")).containsExactly("a", "b", "c");
            assertThat(psql.log("orders")).hasSize(231).endsWith("last");
            assertThat(psql.text("select postrider.deliver('quiet', 2, 3, 2, 'test')::text"))
                    .isEqualTo("true");
        }
    }

    @Test
    void shortening_ledgers_does_not_wait_for_a_busy_listener(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql working = new Psql(database)) {
            withSmallLedgers(psql);
            listener(psql, "working", "orders", 0);
            listener(psql, "busy", "other", 0);
            psql.emit("orders", "a").passAll();
            for (int i = 1; i <= 170; i++) {
                psql.emit("other", "t" + i).pass();
                psql.text("select postrider.deliver('busy', " + i + ", " + i + ", 1, 'test')::text");
            }
            psql.text("select postrider.make_segments(1000, 50)::text");
            psql.text("select postrider.close_segments('1 day')::text");
            working.begin().text("select postrider.deliver('working', 1, 1, 1, 'test')::text");
            psql.execute("set lock_timeout = '100ms'");
            assertThat(shorten(psql))
                    .as("its last row is still in the first segment")
                    .noneMatch(name -> name.equals("delivery_0"));
            working.commit();
            assertThat(shorten(psql)).contains("delivery_0");
            assertThat(psql.row("select position from postrider.listeners where name = 'working'"))
                    .isEqualTo("1");
            assertThat(psql.row("select position from postrider.listeners where name = 'busy'"))
                    .isEqualTo("170");
        }
    }

    /** As a dump may be that has its snapshot and not yet its locks. */
    @Test
    void a_snapshot_from_before_a_ledger_is_shortened_still_has_every_cursor(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql dump = new Psql(database)) {
            withSmallLedgers(psql);
            listener(psql, "quiet", "orders", 0);
            listener(psql, "busy", "other", 0);
            for (int i = 1; i <= 170; i++) {
                psql.emit("other", "t" + i).pass();
                psql.text("select postrider.deliver('busy', " + i + ", " + i + ", 1, 'test')::text");
            }
            psql.text("select postrider.make_segments(1000, 50)::text");
            psql.text("select postrider.close_segments('1 day')::text");
            dump.execute("begin isolation level repeatable read").number("select count(*) from postrider.listener");
            assertThat(psql.texts("select postrider.shorten_ledgers()")).isEmpty();
            assertThat(psql.texts("select postrider.shorten_ledgers()")).isEmpty();
            assertThat(dump.number("select count(*) from postrider.delivery where listener = 'quiet'"))
                    .isEqualTo(1);
            dump.execute("rollback");
            assertThat(shorten(psql)).contains("delivery_0");
            assertThat(psql.number("select count(*) from postrider.delivery where listener = 'quiet'"))
                    .isEqualTo(1);
        }
    }

    /** Both steps, without the time between them. */
    private static List<String> shorten(Psql psql) {
        List<String> emptied = new ArrayList<>(psql.texts("select postrider.shorten_ledgers('0 seconds')"));
        emptied.addAll(psql.texts("select postrider.shorten_ledgers('0 seconds')"));
        return emptied;
    }

    /** As if the library had been made with ledgers of 50 rows a segment. */
    private static void withSmallLedgers(Psql psql) {
        for (String table : psql.texts("select t || '_' || low from postrider.segment, unnest(case family"
                + " when 'pass' then array['pass', 'head'] else array['delivery'] end) t"
                + " where family in ('pass', 'delivery')")) {
            psql.execute("drop table postrider." + table);
        }
        psql.execute("delete from postrider.segment where family in ('pass', 'delivery')");
        psql.text("select postrider.make_segments(1000, 50)::text");
    }

    // ── rows beyond the last segment ────────────────────────────────────────────────────────────────────────────────

    @Test
    void rows_beyond_the_last_segment_are_delivered(TestDatabase database) {
        List<Long> heard = new CopyOnWriteArrayList<>();
        try (Psql psql = new Psql(database);
                Psql open = new Psql(database)) {
            withSmallLedgers(psql);
            for (int i = 0; i < 170; i++) {
                psql.emitMany("orders", "t" + i + "-", 20).pass();
            }
            open.begin().emit("orders", "open");
            psql.emitMany("orders", "u", 10).pass();
            assertThat(psql.number("select count(*) from postrider.event_beyond"))
                    .isGreaterThan(300);
            assertThat(psql.number("select count(*) from postrider.log_beyond")).isGreaterThan(300);
            assertThat(psql.number("select count(*) from postrider.pass_beyond"))
                    .isGreaterThan(10);
            psql.execute("set lock_timeout = '100ms'");
            open.commit();
            psql.text("select postrider.make_segments(1000, 50)::text");
            psql.emitMany("orders", "v", 10).passAll();
            psql.text("select count(nextval('postrider.event_ids'))::text from generate_series(1, 250)");
            psql.emitMany("orders", "w", 10).passAll();
            assertThat(psql.texts("select distinct tableoid = 'postrider.event_beyond'::regclass from postrider.event"
                            + " where type like 'v%'"))
                    .as("the new segment leaves room for ids that are drawn while it is made")
                    .containsExactly("t");
            assertThat(psql.texts("select distinct tableoid = 'postrider.event_beyond'::regclass from postrider.event"
                            + " where type like 'w%'"))
                    .as("the new segment begins after them")
                    .containsExactly("f");
            assertThat(psql.log("orders")).hasSize(3_431);
            try (Node node =
                    new Node(database, options -> options.withSegmentSize(1_000).withPoll(Duration.ofMillis(50)))) {
                node.with(Listener.relay("l", "orders", event -> heard.add(event.position()))
                        .withBatch(1_000));
                psql.emit("orders", "last");
                node.awaitCursor("l", 3_432);
            }
        }
        assertThat(heard).hasSize(3_432).isSorted().doesNotHaveDuplicates();
    }

    // ── vacuum ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /** As a vacuum against wraparound does, which is not cancelled for those that wait: for hours, if the segment is large. */
    @Test
    void a_vacuum_that_holds_a_segment_delays_retention_and_no_producer(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql vacuuming = new Psql(database)) {
            psql.execute("insert into postrider.event (topic, type, payload) select 'orders', 't',"
                            + " to_jsonb(repeat('x', 1800)) from generate_series(1, 1200)")
                    .passAll(); // 250 pages in the first segment, each followed by a pause of 100 ms or more
            listener(psql, "l", "orders", 1_200);
            settle(psql);
            vacuuming.execute("set vacuum_cost_delay = 100").execute("set vacuum_cost_limit = 1");
            long pid = vacuuming.pid();
            CompletableFuture<Void> vacuum =
                    Background.run(() -> vacuuming.execute("vacuum (freeze, disable_page_skipping) postrider.event_0"));
            Await.until(
                    "it holds the segment",
                    () -> psql.number(
                                    "select count(*) from pg_locks where pid = " + pid + " and granted"
                                            + " and mode = 'ShareUpdateExclusiveLock' and relation = 'postrider.event_0'::regclass")
                            == 1);
            emitWhileHousekeeping(database, psql);
            assertThat(vacuum).isNotDone();
            assertThat(psql.number(
                            "select count(*) from postrider.segment where family = 'log' and emptied_at is not null"))
                    .isZero();
            assertThat(psql.number("select count(*) from postrider.event_0")).isPositive();

            psql.execute("select pg_cancel_backend(" + pid + ")");
            assertThat(vacuum).failsWithin(Duration.ofSeconds(60));
            try (Psql holder = new Psql(database).begin()) {
                psql.texts("select e.name from postrider.empty_segments('0', '1 day') e");
                assertThat(psql.number("select count(*) from postrider.event_0"))
                        .isZero();
                holder.execute("lock table postrider.event_0 in share update exclusive mode"); // it is empty: by hand
                emitWhileHousekeeping(database, psql);
                assertThat(psql.text("select to_regclass('postrider.event_0')::text"))
                        .isNotNull();
                holder.rollback();
            }
            keepHouse(database, NONE, DAY);
            keepHouse(database, NONE, DAY);
            assertThat(psql.text("select to_regclass('postrider.event_0')::text"))
                    .as("dropped")
                    .isNull();
        }
    }

    /** No statement of a producer, the sequencer or a listener waits for a lock longer than a second. */
    private static void emitWhileHousekeeping(TestDatabase database, Psql psql) {
        CompletableFuture<Void> housekeeping = Background.run(() -> {
            for (int i = 0; i < 2; i++) {
                keepHouse(database, NONE, DAY);
            }
        });
        psql.execute("set lock_timeout = '1s'");
        long head = psql.number("select coalesce(max(position), 0) from postrider.log where topic = 'meanwhile'");
        int emitted = 0;
        while (!housekeeping.isDone() || emitted == 0) {
            psql.emit("meanwhile", "t").passAll();
            emitted++;
        }
        housekeeping.join();
        assertThat(psql.number("select max(position) from postrider.log where topic = 'meanwhile'"))
                .isEqualTo(head + emitted);
        psql.execute("reset lock_timeout");
    }

    // ── nobody queues behind retention ──────────────────────────────────────────────────────────────────────────────

    @Test
    @Tag("alone")
    void producers_and_listeners_continue_while_a_dump_blocks_retention(TestDatabase database) {
        List<Long> millis = new ArrayList<>();
        AtomicBoolean done = new AtomicBoolean();
        List<Long> heard = new CopyOnWriteArrayList<>();
        try (Psql psql = new Psql(database);
                Psql dump = new Psql(database);
                Node node = new Node(
                        database, options -> options.withSegmentSize(1_000).withPoll(Duration.ofMillis(50)))) {
            psql.emitMany("orders", "t", 3_500).passAll();
            node.with(Listener.relayBatch("l", "orders", events -> events.forEach(event -> heard.add(event.position())))
                    .withBatch(1_000));
            node.awaitCursor("l", 3_500);
            settle(psql);
            dump.begin();
            for (String table :
                    dump.texts("select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace"
                            + " where n.nspname = 'postrider' and c.relkind in ('r', 'p')")) {
                dump.execute("lock table postrider." + table + " in access share mode");
            }
            CompletableFuture<Void> retention = Background.run(() -> {
                while (!done.get()) {
                    keepHouse(database, NONE, DAY);
                }
            });
            for (int i = 0; i < 60; i++) {
                long began = System.nanoTime();
                psql.emit("orders", "d" + i);
                millis.add((System.nanoTime() - began) / 1_000_000);
            }
            node.awaitCursor("l", 3_560);
            assertThat(psql.number("select count(*) from postrider.segment where emptied_at is not null"))
                    .as("nothing could be emptied")
                    .isZero();
            dump.rollback();
            Await.until(
                    "retention goes on",
                    () -> psql.number(
                                    "select count(*) from postrider.events where topic = 'orders' and position < 2900")
                            == 0);
            done.set(true);
            retention.join();
        }
        millis.sort(null);
        assertThat(millis.get(millis.size() - 1))
                .as("the longest of %s ms", millis)
                .isLessThan(1_000);
        assertThat(millis.get(millis.size() / 2))
                .as("the median of %s ms", millis)
                .isLessThan(100);
        assertThat(heard).hasSize(3_560);
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private static void keepHouse(TestDatabase database, Duration keep, Duration patience) {
        try (Retention retention =
                new Retention(new Database(database.dataSource(), SchemaName.of("postrider")), 1_000, keep, patience)) {
            retention.keepHouse();
        }
    }

    /** Events on another topic, so that the floor rises above all that was written before. */
    private static void settle(Psql psql) {
        for (int i = 0; i < 4; i++) {
            psql.emit("settle", "s" + i).pass();
        }
    }

    private static void listener(Psql psql, String name, String topic, long cursor) {
        psql.execute("insert into postrider.listener (name, topic, kind, policy, batch, attempts)" + " values ('" + name
                + "', '" + topic + "', 'relay', 'block', 100, 5)");
        psql.execute("insert into postrider.delivery (listener, from_position, to_position, events, worker)"
                + " values ('" + name + "', 0, " + cursor + ", 0, 'test')");
    }

    private static List<String> segments(Psql psql, String family) {
        return psql.texts("select low || '-' || high from postrider.segment where family = ? order by low", family);
    }

    private static List<String> closed(Psql psql) {
        return psql.texts(
                "select low from postrider.segment where family = 'log' and closed_at is not null order by low");
    }
}
