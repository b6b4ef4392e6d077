package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** G8, G11: whoever lost a listener cannot settle for it, and what it did is rolled back. */
@Migrated
@Tag("slow")
@Tag("hot")
class OwnershipTest {
    private static final Duration OFTEN = Duration.ofMillis(50);

    /** Two nodes; the first one can be made to lose its wire, and with it its listeners, in the middle of a handler. */
    private static final class Pair implements AutoCloseable {
        final FaultyDataSource direct;
        final Node first;
        final Node second;
        final Psql psql;
        final CountDownLatch inside = new CountDownLatch(1);
        final CountDownLatch go = new CountDownLatch(1);
        final AtomicBoolean blocked = new AtomicBoolean();

        Pair(TestDatabase database) {
            direct = new FaultyDataSource(database.dataSource());
            first = new Node(
                    database,
                    options -> options.withNode("first").withDirect(direct).withPoll(OFTEN));
            second = new Node(database, options -> options.withNode("second").withPoll(OFTEN));
            psql = new Psql(database);
            psql.execute("create table effect (node text, position bigint)");
        }

        /** Called by the first node's handler: stops there, once. */
        void block() throws InterruptedException {
            if (!blocked.getAndSet(true)) {
                inside.countDown();
                go.await(60, TimeUnit.SECONDS);
            }
        }

        /** The first node believes to own the listener, and the second does. */
        void robTheFirst(String listener) throws InterruptedException {
            assertThat(inside.await(60, TimeUnit.SECONDS)).isTrue();
            direct.fail(true);
            long pid = psql.number("select owner_pid from postrider.listeners where name = '" + listener + "'");
            psql.text("select pg_terminate_backend(" + pid + ")");
            Await.until(
                    "the second owns it",
                    () -> second.status(listener).owner() != null
                            && second.status(listener).owner().equals("second"));
        }

        List<Long> effects() {
            return psql.texts("select position from effect order by position").stream()
                    .map(Long::valueOf)
                    .toList();
        }

        @Override
        public void close() {
            go.countDown();
            direct.fail(false);
            first.close();
            second.close();
            psql.close();
        }
    }

    @Test
    void transactional_effects_happen_once_although_two_nodes_believe_they_own_the_listener(TestDatabase database)
            throws Exception {
        try (Pair pair = new Pair(database)) {
            pair.psql.emitMany("orders", "t", 20);
            pair.first.with(Listener.transactional("booking", "orders", (connection, event) -> {
                effect("first", connection, event);
                if (event.position() == 3) {
                    pair.block();
                }
            }));
            assertThat(pair.inside.await(60, TimeUnit.SECONDS)).isTrue();
            pair.second.with(Listener.transactional(
                    "booking", "orders", (connection, event) -> effect("second", connection, event)));
            pair.robTheFirst("booking");
            pair.second.awaitCursor("booking", 20);
            assertThat(pair.effects()).isEqualTo(upto(20));
            pair.go.countDown();
            Await.until(
                    "the first has rolled back",
                    () -> pair.psql.number("select count(*) from pg_stat_activity"
                                    + " where datname = current_database() and state like 'idle in transaction%'")
                            == 0);
            pair.direct.fail(false);
            pair.psql.emit("orders", "after");
            pair.second.awaitCursor("booking", 21);
            assertThat(pair.effects()).isEqualTo(upto(21));
            assertThat(pair.psql.texts("select distinct node from effect")).containsExactly("second");
            assertThat(pair.psql.number("select count(*) from postrider.dead_letter"))
                    .isZero();
            assertThat(pair.psql.number("select count(*) from postrider.setback"))
                    .isZero();
        }
    }

    /** As after a failover that lost commits: what was read on the old server must not be settled on the new one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void events_read_in_one_era_are_not_delivered_in_another(boolean fails, TestDatabase database) throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        List<Long> calls = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database, options -> options.withPoll(OFTEN));
                Psql psql = new Psql(database)) {
            psql.emitMany("orders", "t", 3);
            node.with(Listener.relay("relay", "orders", event -> {
                calls.add(event.position());
                if (calls.size() == 1) {
                    inside.countDown();
                    go.await(60, TimeUnit.SECONDS);
                    if (fails) {
                        throw new IllegalStateException("the old event fails");
                    }
                }
            }));
            assertThat(inside.await(60, TimeUnit.SECONDS)).isTrue();
            psql.execute(
                    "insert into postrider.era (era, system_identifier, timeline, high, reason)"
                            + " select era + 1, system_identifier, timeline, high, 'test' from postrider.era order by era desc limit 1");
            go.countDown();
            node.awaitCursor("relay", 3);
            assertThat(calls).as("all of them again").endsWith(1L, 2L, 3L);
            assertThat(psql.number("select count(*) from postrider.setback")).isZero();
            assertThat(psql.texts("select from_position || '-' || to_position from postrider.delivery"
                            + " where from_position > 0 order by n"))
                    .containsExactly("1-3");
        }
    }

    /** Listeners that share reads: what was read before the first pass in the new era must not be offered after it. */
    @Test
    void listeners_with_a_backlog_continue_through_a_change_of_era(TestDatabase database) {
        try (Node node = new Node(database, options -> options.withPoll(OFTEN));
                Psql psql = new Psql(database)) {
            psql.emitMany("orders", "t", 2_000);
            psql.passAll();
            psql.execute("update postrider.era set timeline = '0000CAFE'");
            List<Long> first = new CopyOnWriteArrayList<>();
            List<Long> second = new CopyOnWriteArrayList<>();
            node.with(
                    Listener.relay("first", "orders", event -> first.add(event.position()))
                            .withBatch(20),
                    Listener.relay("second", "orders", event -> second.add(event.position()))
                            .withBatch(20));
            node.awaitCursor("first", 500);
            psql.execute("update postrider.era set timeline = '0000BEEF'");
            node.awaitCursor("first", 2_000);
            node.awaitCursor("second", 2_000);
            assertThat(psql.number("select count(*) from postrider.era")).isGreaterThanOrEqualTo(2);
            assertThat(first).containsAll(upto(2_000));
            assertThat(second).containsAll(upto(2_000));
        }
    }

    @Test
    void on_a_topic_without_a_head_nothing_can_be_delivered(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emit("other", "t");
            psql.passAll();
            psql.execute("insert into postrider.listener (name, topic, kind, policy, batch, attempts)"
                    + " values ('l', 'fresh', 'relay', 'block', 10, 5)");
            assertThat(psql.text("select postrider.deliver('l', 1, 1, 1, 'test', 1)::text"))
                    .as("no ledger")
                    .isEqualTo("false");
            psql.execute("insert into postrider.delivery (listener, from_position, to_position, events, worker)"
                    + " values ('l', 0, 0, 0, 'test')");
            assertThat(psql.text("select postrider.deliver('l', 1, 1, 1, 'test', 1)::text"))
                    .isEqualTo("false");
            assertThat(psql.text("select postrider.stands_at('l', 0, 1, 1)::text"))
                    .isEqualTo("false");
        }
    }

    /** A logical copy carries rows and no sequences. */
    @Test
    void in_another_cluster_the_sequences_follow_the_rows(TestDatabase database) {
        List<Long> heard = new CopyOnWriteArrayList<>();
        try (Psql psql = new Psql(database)) {
            try (Node node = new Node(database)) {
                psql.emitMany("orders", "t", 30);
                node.with(Listener.relay("relay", "orders", event -> heard.add(event.position()))
                        .withBatch(3));
                node.awaitCursor("relay", 30);
            }
            psql.execute("update postrider.era set system_identifier = 1");
            psql.text("select setval('postrider.event_ids', 1)::text");
            psql.text("select setval('postrider.delivery_numbers', 1)::text");
            psql.emit("orders", "low");
            psql.begin();
            assertThat(psql.text("select postrider.deliver('relay', 31, 31, 1, 'test')"))
                    .isEqualTo("t");
            assertThat(psql.text("select to_position from postrider.delivery order by n desc limit 1"))
                    .isEqualTo("31");
            psql.rollback();
            psql.passAll();
            assertThat(psql.number(
                            "select last_value - (select max(id) from postrider.event) from postrider.event_ids"))
                    .isNotNegative();
            try (Node node = new Node(database)) {
                node.with(Listener.relay("relay", "orders", event -> heard.add(event.position()))
                        .withBatch(3));
                psql.emit("orders", "after");
                node.awaitCursor("relay", 32);
            }
            assertThat(heard).isEqualTo(upto(32));
        }
    }

    private static String failure(Psql psql, String sql) {
        try {
            psql.text(sql);
            return "none";
        } catch (Psql.SqlFailure e) {
            return e.state();
        }
    }

    @Test
    void a_position_beyond_the_head_is_not_delivered_nor_set_back(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            psql.emitMany("orders", "t", 3);
            node.with(Listener.relay("relay", "orders", event -> {}));
            node.awaitCursor("relay", 3);
            node.close();
            assertThat(psql.text("select postrider.deliver('relay', 4, 4, 1, 'test', 1)::text"))
                    .isEqualTo("false");
            assertThat(psql.text("select postrider.stands_at('relay', 3, 4, 1)::text"))
                    .isEqualTo("false");
            psql.emit("orders", "next");
            psql.passAll();
            assertThat(psql.text("select postrider.stands_at('relay', 3, 4, 1)::text"))
                    .isEqualTo("true");
            assertThat(psql.text("select postrider.deliver('relay', 4, 4, 1, 'test', 2)::text"))
                    .isEqualTo("false");
            assertThat(psql.text("select postrider.deliver('relay', 4, 4, 1, 'test', 1)::text"))
                    .isEqualTo("true");
        }
    }

    @Test
    void a_relay_that_lost_ownership_moves_no_cursor_and_stops_sending(TestDatabase database) throws Exception {
        List<Long> first = new CopyOnWriteArrayList<>();
        List<Long> second = new CopyOnWriteArrayList<>();
        try (Pair pair = new Pair(database)) {
            pair.psql.emitMany("orders", "t", 6);
            pair.first.with(Listener.relay("relay", "orders", event -> {
                        pair.block();
                        first.add(event.position());
                    })
                    .withBatch(1));
            assertThat(pair.inside.await(60, TimeUnit.SECONDS)).isTrue();
            pair.second.with(Listener.relay("relay", "orders", event -> second.add(event.position()))
                    .withBatch(1));
            pair.robTheFirst("relay");
            pair.second.awaitCursor("relay", 6);
            pair.go.countDown();
            Await.until("the first has come back", () -> first.size() == 1);
            pair.psql.emit("orders", "after");
            pair.second.awaitCursor("relay", 7);
            assertThat(first).containsExactly(1L);
            assertThat(second).isEqualTo(upto(7));
            assertThat(pair.psql.texts(
                            "select from_position || '-' || to_position || ' ' || worker from postrider.delivery"
                                    + " where from_position > 0 order by n"))
                    .hasSize(7)
                    .allMatch(range -> range.endsWith("second"))
                    .startsWith("1-1 second", "2-2 second");
        }
    }

    @Test
    void a_retry_that_was_overtaken_by_another_node_is_rolled_back(TestDatabase database) throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        try (Pair pair = new Pair(database)) {
            pair.psql.emit("orders", "a");
            pair.first.with(Listener.transactional("booking", "orders", (connection, event) -> {
                        effect("first", connection, event);
                        if (broken.getAndSet(false)) {
                            throw new IllegalStateException("the first time");
                        }
                        pair.block();
                    })
                    .withPolicy(FailurePolicy.PARK)
                    .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1)));
            assertThat(pair.inside.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(pair.psql.number("select attempt from postrider.setback"))
                    .as("counted when begun")
                    .isEqualTo(2);
            pair.second.with(Listener.transactional(
                            "booking", "orders", (connection, event) -> effect("second", connection, event))
                    .withPolicy(FailurePolicy.PARK));
            pair.robTheFirst("booking");
            Await.until("the second has done it", () -> pair.effects().size() == 1);
            pair.go.countDown();
            Await.until(
                    "the first has rolled back",
                    () -> pair.psql.number("select count(*) from pg_stat_activity"
                                    + " where datname = current_database() and state like 'idle in transaction%'")
                            == 0);
            assertThat(pair.psql.texts("select node from effect")).containsExactly("second");
            assertThat(pair.psql.number("select count(*) from postrider.setback"))
                    .isZero();
        }
    }

    @Test
    void two_nodes_share_listeners_and_one_takes_over_in_order_when_the_other_closes(TestDatabase database) {
        List<String> handled = new CopyOnWriteArrayList<>();
        try (Psql psql = new Psql(database);
                Node second = new Node(database, options -> options.withPoll(OFTEN))) {
            try (Node first = new Node(database, options -> options.withPoll(OFTEN))) {
                for (int i = 0; i < 3; i++) {
                    String name = "l" + i;
                    first.postrider.add(
                            Listener.relay(name, "orders", event -> handled.add(name + ":" + event.position()))
                                    .withStart(StartPoint.beginning()));
                    second.postrider.add(
                            Listener.relay(name, "orders", event -> handled.add(name + ":" + event.position()))
                                    .withStart(StartPoint.beginning()));
                }
                first.with();
                second.with();
                psql.emitMany("orders", "t", 50);
                for (int i = 0; i < 3; i++) {
                    second.awaitCursor("l" + i, 50);
                }
            }
            psql.emitMany("orders", "u", 50);
            for (int i = 0; i < 3; i++) {
                second.awaitCursor("l" + i, 100);
            }
            assertThat(psql.number("select count(*) from postrider.tenure where ended_at is null"))
                    .as("only the second's are open")
                    .isEqualTo(3);
        }
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            for (long position : upto(100)) {
                expected.add("l" + i + ":" + position);
            }
        }
        assertThat(handled)
                .as("each once, although relays may repeat: both ended in order")
                .hasSize(300);
        assertThat(handled).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void a_short_database_outage_does_not_count_as_a_failed_attempt(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Node node = new Node(database, options -> options.withPoll(OFTEN))) {
            psql.execute("create table effect (node text, position bigint)");
            node.with(Listener.transactional("booking", "orders", (connection, event) -> effect("n", connection, event))
                    .withAttempts(1));
            for (int i = 1; i <= 5; i++) {
                psql.text("select count(pg_terminate_backend(pid))::text from pg_stat_activity"
                        + " where datname = current_database() and pid <> pg_backend_pid()");
                psql.emit("orders", "t" + i);
                node.awaitCursor("booking", i);
            }
            assertThat(psql.texts("select position from effect order by position"))
                    .containsExactly("1", "2", "3", "4", "5");
            assertThat(psql.number("select count(*) from postrider.dead_letter"))
                    .isZero();
        }
    }

    /** The handler sees it first, and it may have been the cause: an attempt, but no delivery. */
    @Test
    void a_connection_lost_during_a_handler_counts_an_attempt_and_repeats_no_effect(TestDatabase database) {
        AtomicBoolean first = new AtomicBoolean(true);
        try (Psql psql = new Psql(database);
                Node node = new Node(database, options -> options.withPoll(OFTEN))) {
            psql.execute("create table effect (node text, position bigint)");
            node.with(Listener.transactional("booking", "orders", (connection, event) -> {
                        if (first.getAndSet(false)) {
                            try (var statement = connection.createStatement();
                                    var result = statement.executeQuery("select pg_backend_pid()")) {
                                result.next();
                                psql.text("select pg_terminate_backend(" + result.getInt(1) + ")");
                            }
                        }
                        effect("n", connection, event);
                    })
                    .withAttempts(2)
                    .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1)));
            psql.emit("orders", "a");
            node.awaitCursor("booking", 1);
            assertThat(psql.texts("select position from effect")).containsExactly("1");
            assertThat(psql.number("select count(*) from postrider.dead_letter"))
                    .isZero();
        }
    }

    // ── an event that kills the process ─────────────────────────────────────────────────────────────────────────────

    @Test
    @Tag("once")
    void an_event_that_kills_the_process_is_isolated_and_its_neighbours_are_handled(TestDatabase database) {
        int starts = 0;
        try (Psql psql = new Psql(database)) {
            psql.execute("create table effect (node text, position bigint)");
            psql.emit("orders", "a", "b", "killer", "c", "d").passAll();
            boolean finished = false;
            while (!finished) {
                assertThat(++starts).as("starts").isLessThanOrEqualTo(6);
                try (ChildJvm child = ChildJvm.of(Deadly.class)
                        .withArguments(database.jdbcUrl())
                        .start()) {
                    Await.until(
                            "it is finished or dead",
                            Duration.ofSeconds(30),
                            () -> !child.isAlive() || child.lines().contains("handled d"));
                    finished = child.isAlive();
                    if (finished) {
                        Await.until(
                                "the cursor is there",
                                () -> psql.number("select position from postrider.listeners where name = 'deadly'")
                                        == 5);
                    }
                }
            }
            assertThat(psql.texts("select position from effect order by position"))
                    .containsExactly("1", "2", "4", "5");
            assertThat(psql.row("select type, attempts, error from postrider.dead_letters"))
                    .isEqualTo("killer|3|attempt 3 had no result: its process or its database connection ended");
            assertThat(psql.number("select count(*) from postrider.setback")).isZero();
        }
        assertThat(starts)
                .as("one that was not careful, three that were, and the one that goes on")
                .isEqualTo(5);
    }

    /** Ends the JVM as a crash in native code would, when it comes to the event. */
    static final class Deadly {
        public static void main(String[] args) throws Exception {
            PGSimpleDataSource dataSource = new PGSimpleDataSource();
            dataSource.setUrl(args[0]);
            Postrider postrider = Postrider.on(dataSource, Options.defaults().withPoll(OFTEN));
            postrider.add(Listener.transactional("deadly", "orders", (connection, event) -> {
                        effect("child", connection, event);
                        if (event.type().equals("killer")) {
                            Runtime.getRuntime().halt(9);
                        }
                        System.out.println("handled " + event.type());
                    })
                    .withAttempts(3)
                    .withStart(StartPoint.beginning()));
            postrider.start();
            new CountDownLatch(1).await();
        }
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private static void effect(String node, Connection connection, LogEvent event) throws SQLException {
        try (var insert = connection.prepareStatement("insert into effect values (?, ?)")) {
            insert.setString(1, node);
            insert.setLong(2, event.position());
            insert.executeUpdate();
        }
    }

    private static List<Long> upto(long last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }
}
