package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Watch;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.testkit.Await;
import io.postrider.testkit.TcpProxy;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestRun;
import io.postrider.testkit.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Waking up: quickly, without slowing commits, and without depending on any notification. */
@Migrated
class WakeTest {
    private static final Duration LONGEST_POLL = Duration.ofSeconds(3);

    // ── the idle lock ───────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    @Tag("alone")
    void a_commit_wakes_a_sleeping_sequencer(TestDatabase database) {
        List<Long> heard = new CopyOnWriteArrayList<>();
        AtomicInteger notified = new AtomicInteger();
        List<Long> millis = new ArrayList<>();
        try (Node node =
                new Node(database, options -> options.withPoll(LONGEST_POLL).withWatch(counting(notified)))) {
            node.with(Listener.relay("relay", "orders", event -> heard.add(System.nanoTime())));
            for (int i = 0; i < 7; i++) {
                node.awaitAsleep();
                node.emit(Event.of("orders", "a", "{}"));
                long committed = System.nanoTime();
                int wanted = i + 1;
                Await.until("it arrived", () -> heard.size() == wanted);
                millis.add((heard.get(i) - committed) / 1_000_000);
            }
        }
        Collections.sort(millis);
        assertThat(millis.get(3)).as("median in ms of %s, poll 3 s", millis).isLessThan(500);
        assertThat(notified.get()).as("wake-ups").isGreaterThanOrEqualTo(6);
    }

    @Test
    void producers_do_not_notify_a_sequencer_that_is_awake(TestDatabase database) throws SQLException {
        List<LogEvent> heard = new CopyOnWriteArrayList<>();
        try (Psql awake = new Psql(database);
                Psql ear = new Psql(database)) {
            awake.begin().emit("orders", "open"); // it has the idle lock shared, so nobody falls asleep
            ear.execute("listen postrider");
            try (Node node = new Node(database, options -> options.withPoll(LONGEST_POLL))) {
                node.with(Listener.relayBatch("relay", "orders", heard::addAll));
                node.leaderPid();
                fourProducers(database, 100);
                Await.until("all arrived", () -> heard.size() == 400);
                assertThat(notifications(ear, "event"))
                        .as("notifications of 400 commits")
                        .isZero();
                awake.commit();
                Await.until("that of the open one, too", () -> heard.size() == 401);
                node.awaitAsleep();
            }
        }
    }

    @Test
    @Tag("alone")
    void a_burst_of_commits_notifies_far_less_often_than_it_commits(TestDatabase database) throws SQLException {
        AtomicInteger heard = new AtomicInteger();
        try (Node node = new Node(database, options -> options.withPoll(LONGEST_POLL));
                Psql ear = new Psql(database)) {
            node.with(Listener.relayBatch("relay", "orders", events -> heard.addAndGet(events.size())));
            node.awaitAsleep();
            ear.execute("listen postrider");
            fourProducers(database, 750);
            Await.until("all arrived", () -> heard.get() == 3_000);
            long notified = notifications(ear, "event");
            System.out.println("a burst of 3000 commits: " + notified + " notifications");
            assertThat(notified).as("notifications of 3000 commits").isBetween(1L, 600L);
        }
    }

    @Test
    void a_transient_error_does_not_end_the_node_connection(TestDatabase database) {
        AtomicInteger thrown = new AtomicInteger();
        List<Long> heard = new CopyOnWriteArrayList<>();
        Watch failing = new Watch() {
            @Override
            public void sequenced(long events, Duration took) {
                if (events > 0 && thrown.getAndIncrement() == 0) {
                    throw new OutOfMemoryError("for a moment");
                }
            }
        };
        try (Node node = new Node(
                        database,
                        options -> options.withPoll(Duration.ofMillis(50)).withWatch(failing));
                Psql producer = new Psql(database)) {
            node.with(Listener.relay("relay", "orders", event -> heard.add(event.position())));
            for (int i = 1; i <= 3; i++) {
                producer.emit("orders", "t");
                int wanted = i;
                Await.until("it arrived", () -> heard.size() == wanted);
            }
            assertThat(thrown.get()).isGreaterThan(1);
        }
    }

    private static void fourProducers(TestDatabase database, int commits) {
        IntStream.range(0, 4)
                .mapToObj(p -> Background.run(() -> {
                    try (Psql producer = new Psql(database)) {
                        for (int i = 0; i < commits; i++) {
                            producer.emit("orders", "p" + p + "-" + i);
                        }
                    }
                }))
                .toList()
                .forEach(CompletableFuture::join);
    }

    @Test
    void with_every_notification_of_producers_lost_the_result_is_the_same(TestDatabase database) {
        List<String> heard = new CopyOnWriteArrayList<>();
        AtomicInteger notified = new AtomicInteger();
        List<String> sent = new ArrayList<>();
        try (Node node = new Node(
                        database,
                        options -> options.withPoll(Duration.ofMillis(50)).withWatch(counting(notified)));
                Psql producer = new Psql(database)) {
            node.with(Listener.relay("relay", "orders", event -> heard.add(event.type())));
            producer.execute("set postrider.notify = off");
            for (int i = 0; i < 10; i++) {
                node.awaitAsleep();
                producer.emit("orders", "t" + i);
                sent.add("t" + i);
            }
            Await.until("all arrived", () -> heard.size() == 10);
        }
        assertThat(heard).containsExactlyElementsOf(sent);
        assertThat(notified.get()).as("wake-ups").isZero();
    }

    @Test
    @Tag("alone")
    void with_notify_off_the_sequencer_polls_and_producers_do_not_notify(TestDatabase database) throws SQLException {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (Node node = new Node(
                        database, options -> options.withPoll(LONGEST_POLL).withNotify(false));
                Psql ear = new Psql(database);
                Psql producer = new Psql(database)) {
            node.with(Listener.relay("relay", "orders", event -> heard.add(event.type())));
            node.leaderPid();
            ear.execute("listen postrider");
            List<Long> millis = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                producer.begin()
                        .emit("orders", "t" + i)
                        .execute("prepare transaction 'p" + i + "'")
                        .commit();
                producer.execute("commit prepared 'p" + i + "'");
                long committed = System.nanoTime();
                int wanted = i + 1;
                Await.until("it arrived", () -> heard.size() == wanted);
                millis.add((System.nanoTime() - committed) / 1_000_000);
            }
            Collections.sort(millis);
            assertThat(millis.get(2)).as("median in ms of %s, poll 3 s", millis).isLessThan(500);
            assertThat(notifications(ear, "event")).isZero();
        }
    }

    // ── the wire ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void the_next_node_leads_when_the_first_one_closes(TestDatabase database) {
        List<String> heard = new CopyOnWriteArrayList<>();
        Node first = new Node(database, options -> options.withPoll(Duration.ofMillis(100)));
        try (Node second = new Node(database, options -> options.withPoll(Duration.ofMillis(100)))) {
            first.with(Listener.relay("relay", "orders", event -> heard.add("first")));
            long leader = first.leaderPid();
            second.with(Listener.relay("relay", "orders", event -> heard.add("second")));
            first.emit(Event.of("orders", "a", "{}"));
            Await.until("the first handled it", () -> heard.size() == 1);
            first.close();
            Await.until("the second leads", () -> second.leaderPid() != leader);
            second.emit(Event.of("orders", "b", "{}"));
            Await.until("the second handled it", () -> heard.size() == 2);
            second.awaitAsleep();
        } finally {
            first.close();
        }
        assertThat(heard).containsExactly("first", "second");
    }

    @Test
    void the_node_connection_is_restored_after_termination(TestDatabase database) {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database, options -> options.withPoll(LONGEST_POLL));
                Psql admin = new Psql(database)) {
            node.with(Listener.relay("relay", "orders", event -> heard.add(event.type())));
            List<String> sent = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                long wire = node.leaderPid();
                admin.text("select pg_terminate_backend(" + wire + ")");
                node.emit(Event.of("orders", "t" + i, "{}"));
                sent.add("t" + i);
                Await.until("it arrived", () -> heard.size() == sent.size());
                assertThat(node.leaderPid()).isNotEqualTo(wire);
            }
            assertThat(heard).containsExactlyElementsOf(sent);
        }
    }

    @Test
    void repeated_termination_of_all_connections_loses_nothing_and_repeats_no_effect(TestDatabase database) {
        try (Psql admin = new Psql(database);
                Node node = new Node(database, options -> options.withPoll(Duration.ofMillis(100)))) {
            admin.execute("create table made (n text primary key)");
            admin.execute("create table booked (position bigint, type text)");
            node.with(Listener.transactional("booking", "orders", WakeTest::book)
                    .withBatch(5)
                    .withAttempts(1_000)
                    .withBackoff(Duration.ofMillis(1), Duration.ofMillis(10)));
            AtomicBoolean enough = new AtomicBoolean();
            List<CompletableFuture<Void>> producers = IntStream.range(0, 2)
                    .mapToObj(p -> Background.run(() -> produceStubbornly(database, p, enough)))
                    .toList();
            for (int round = 0; round < 12; round++) {
                long booked = admin.number("select count(*) from booked");
                Await.until(
                        "a connection to terminate",
                        () -> admin.number(
                                        "select count(*) from (select pg_terminate_backend(pid) from pg_stat_activity"
                                                + " where datname = current_database() and pid <> pg_backend_pid()) t")
                                > 0);
                Await.until(
                        "some progress",
                        Duration.ofSeconds(60),
                        () -> admin.number("select count(*) from booked") > booked + 3);
            }
            enough.set(true);
            producers.forEach(CompletableFuture::join);
            Await.until(
                    "all booked",
                    Duration.ofSeconds(60),
                    () -> admin.number("select count(*) from booked") >= admin.number("select count(*) from made"));
            assertThat(admin.texts("select type from booked order by position"))
                    .doesNotHaveDuplicates()
                    .containsExactlyInAnyOrderElementsOf(admin.texts("select n from made"));
            assertThat(admin.log("orders")).hasSize((int) admin.number("select count(*) from made"));
            assertThat(admin.number("select count(*) from postrider.dead_letter"))
                    .isZero();
        }
    }

    /** Each event until its commit is known; one whose commit is unknown is looked up before it is tried again. */
    private static void produceStubbornly(TestDatabase database, int producer, AtomicBoolean enough) {
        for (int i = 0; !enough.get(); i++) {
            String name = "p" + producer + "-" + i;
            Await.until(name + " is committed", Duration.ofSeconds(60), () -> {
                try (Psql psql = new Psql(database)) {
                    if (psql.texts("select n from made where n = ?", name).isEmpty()) {
                        psql.begin()
                                .execute("insert into made values ('" + name + "')")
                                .emit("orders", name)
                                .commit();
                    }
                    return true;
                }
            });
        }
    }

    private static void book(Connection connection, LogEvent event) throws SQLException {
        try (var insert = connection.prepareStatement("insert into booked values (?, ?)")) {
            insert.setLong(1, event.position());
            insert.setString(2, event.type());
            insert.executeUpdate();
        }
    }

    @Test
    void a_network_that_is_cut_and_held_delays_and_loses_nothing(TestDatabase database) {
        List<Long> heard = new CopyOnWriteArrayList<>();
        try (TcpProxy proxy = TcpProxy.to(database.server().port());
                Psql producer = new Psql(database);
                Node node =
                        new Node(database.jdbcUrl(proxy.port()), options -> options.withPoll(Duration.ofMillis(100)))) {
            node.with(Listener.relay("relay", "orders", event -> heard.add(event.position())));
            for (int round = 1; round <= 4; round++) {
                producer.emit("orders", "a", "b");
                proxy.cutAll();
                producer.emit("orders", "c");
                proxy.hold();
                producer.emit("orders", "d");
                proxy.resume();
                int wanted = round * 4;
                Await.until(
                        wanted + " arrived",
                        Duration.ofSeconds(60),
                        () -> heard.stream().distinct().count() == wanted);
            }
            assertThat(proxy.cuts()).isGreaterThan(3);
        }
        assertThat(heard.stream().distinct().sorted().toList())
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 16).boxed().toList());
    }

    @Test
    @Tag("slow")
    @Tag("once")
    void a_hanging_node_is_terminated_and_its_listeners_continue_elsewhere(TestDatabase database) {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (TcpProxy proxy = TcpProxy.to(database.server().port());
                Node healthy = new Node(database);
                Node hanging = new Node(database.jdbcUrl(proxy.port()), options -> options)) {
            hanging.with(Listener.relay("relay", "orders", event -> heard.add("hanging")));
            long wire = hanging.leaderPid();
            healthy.with(Listener.relay("relay", "orders", event -> heard.add("healthy")));
            healthy.emit(Event.of("orders", "a", "{}"));
            healthy.awaitCursor("relay", 1);
            proxy.hold();
            healthy.emit(Event.of("orders", "b", "{}"));
            Await.until("the second took over", Duration.ofSeconds(30), () -> heard.contains("healthy"));
            assertThat(healthy.leaderPid()).isNotEqualTo(wire);
            proxy.resume();
        }
        assertThat(heard).containsExactly("hanging", "healthy");
    }

    @Test
    void the_node_connection_uses_the_direct_data_source_and_survives_its_errors(TestDatabase database) {
        List<String> heard = new CopyOnWriteArrayList<>();
        FaultyDataSource direct = new FaultyDataSource(database.dataSource());
        try (Node node =
                        new Node(database, options -> options.withDirect(direct).withPoll(Duration.ofMillis(100)));
                Psql admin = new Psql(database)) {
            direct.fail(true);
            node.with(Listener.relay("relay", "orders", event -> heard.add(event.type())));
            Await.until("it was tried", () -> direct.asked() > 0);
            direct.fail(false);
            node.emit(Event.of("orders", "a", "{}"));
            Await.until("it arrived", () -> heard.size() == 1);
            int before = direct.asked();
            direct.fail(true);
            admin.text("select pg_terminate_backend(" + node.leaderPid() + ")");
            Await.until("it was tried again", () -> direct.asked() > before);
            direct.fail(false);
            node.emit(Event.of("orders", "b", "{}"));
            Await.until("it arrived too", () -> heard.size() == 2);
        }
        assertThat(heard).containsExactly("a", "b");
    }

    // ── G13: quiet ──────────────────────────────────────────────────────────────────────────────────────────────────

    /** A minute in the full run, 15 s in a usual run, 5 s on other versions. */
    @Test
    @Tag("slow")
    void an_idle_system_writes_no_wal_and_uses_no_transaction_numbers() {
        Duration time = Duration.ofSeconds(TestServer.major() == 18 ? TestRun.count(15, 60) : 5);
        try (EmbeddedPostgres server = EmbeddedPostgres.start(TestServer.options()
                        .withSetting("wal_level", "minimal")
                        .withSetting("max_wal_senders", "0")
                        .withSetting("checkpoint_timeout", "1h")
                        .withSetting("autovacuum", "off"));
                TestDatabase database = TestDatabase.create(server);
                Node node = new Node(database);
                Node second = new Node(database);
                Psql psql = new Psql(database)) {
            node.with(
                    Listener.transactional("booking", "orders", (connection, event) -> {}),
                    Listener.relay("relay", "orders", event -> {}),
                    Listener.relay("filtered", "orders", event -> {}).withTypes("never"),
                    Listener.relay("empty", "nothing", event -> {}));
            second.with(Listener.relay("relay", "orders", event -> {}));
            psql.emitMany("orders", "t", 150);
            node.awaitCursor("booking", 150);
            node.awaitCursor("relay", 150);
            node.awaitCursor("filtered", 150);
            settled(psql);
            // A read prunes the page that writes left full, and logs that: at a moment nobody chooses. Vacuum does it
            // now.
            psql.execute("vacuum");
            String before = settled(psql);
            long end = System.nanoTime() + time.toNanos();
            Await.until("the time is over", time.plusSeconds(5), () -> {
                if (!footprint(psql).equals(before)) {
                    throw new AssertionError("not quiet: " + before + " became " + footprint(psql) + "; last: "
                            + psql.texts("select application_name || ' ' || query from pg_stat_activity"
                                    + " where datname = current_database() order by query_start desc"));
                }
                return System.nanoTime() - end > 0;
            });
        }
    }

    private static String settled(Psql psql) {
        String[] before = {""};
        long[] since = {System.nanoTime()};
        Await.until("it settles", Duration.ofSeconds(60), () -> {
            String now = footprint(psql);
            if (!now.equals(before[0])) {
                before[0] = now;
                since[0] = System.nanoTime();
            }
            return System.nanoTime() - since[0] > Duration.ofMillis(2_500).toNanos();
        });
        return before[0];
    }

    private static String footprint(Psql psql) {
        return psql.text("select pg_current_wal_insert_lsn() || ' ' || pg_snapshot_xmax(pg_current_snapshot())");
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private static Watch counting(AtomicInteger events) {
        return new Watch() {
            @Override
            public void notified(String what) {
                if (what.equals("event")) {
                    events.incrementAndGet();
                }
            }
        };
    }

    private static long notifications(Psql ear, String what) throws SQLException {
        ear.number("select 1");
        long count = 0;
        PGNotification[] heard = ear.connection().unwrap(PGConnection.class).getNotifications();
        for (PGNotification one : heard == null ? new PGNotification[0] : heard) {
            if (one.getParameter().equals(what)) {
                count++;
            }
        }
        return count;
    }
}
