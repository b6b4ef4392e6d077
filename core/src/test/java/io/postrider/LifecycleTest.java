package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Watch;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.SchemaName;
import io.postrider.internal.listen.Assignments;
import io.postrider.internal.listen.RunningListeners;
import io.postrider.internal.log.Heads;
import io.postrider.internal.wake.NodeConnection;
import io.postrider.internal.watch.ActivityLog;
import io.postrider.internal.watch.Reports;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes come and go, and leave nothing behind. */
@Migrated
@Tag("slow")
@Tag("security")
class LifecycleTest {
    @Test
    void a_refused_start_can_be_repeated_after_its_cause_is_fixed(TestDatabase database) {
        List<Long> heard = new CopyOnWriteArrayList<>();
        try (Psql psql = new Psql(database);
                Node other = new Node(database)) {
            other.with(Listener.relay("second", "elsewhere", event -> {}));
            try (Postrider node = Postrider.on(database.dataSource())
                    .add(Listener.relay("first", "orders", event -> heard.add(event.position())))
                    .add(Listener.relay("second", "orders", event -> {}))) {
                assertThatThrownBy(node::start).hasMessageContaining("listens to topic elsewhere");
                assertThatThrownBy(() -> node.add(Listener.relay("first", "orders", event -> {})))
                        .hasMessageContaining("added twice");
                other.close();
                psql.execute("update postrider.listener set topic = 'orders' where name = 'second'");
                node.start();
                psql.emit("orders", "a");
                Await.until("it arrived", () -> heard.size() == 1);
            }
        }
    }

    @Test
    void a_worker_whose_adding_failed_can_be_added_again(TestDatabase database) {
        FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
        AtomicInteger done = new AtomicInteger();
        Worker worker = Worker.on("q").handling("t", job -> {
            done.incrementAndGet();
            return Fate.done();
        });
        try (Psql psql = new Psql(database);
                Postrider node = Postrider.on(faulty, Options.defaults().withDirect(database.dataSource()))) {
            node.start();
            faulty.away(true);
            assertThatThrownBy(() -> node.add(worker)).isInstanceOf(PostriderException.class);
            faulty.away(false);
            node.add(worker);
            assertThatThrownBy(() -> node.add(worker)).hasMessageContaining("already");
            psql.execute("select postrider.enqueue('q', 't', '{}')");
            Await.until("it is done", () -> done.get() == 1);
        }
    }

    @Test
    void fifty_starts_and_stops_at_once_under_load_leave_no_thread_no_connection_and_no_lock(TestDatabase database) {
        AtomicBoolean producing = new AtomicBoolean(true);
        AtomicInteger emitted = new AtomicInteger();
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Psql psql = new Psql(database);
                HikariDataSource pool = pool(database, 60)) {
            psql.execute("create table effect (position bigint)");
            CompletableFuture<Void> producer = CompletableFuture.runAsync(
                    () -> {
                        try (Psql producing1 = new Psql(database)) {
                            while (producing.get()) {
                                producing1.emit("orders", "t");
                                emitted.incrementAndGet();
                            }
                        }
                    },
                    threads);
            List<CompletableFuture<Void>> nodes = IntStream.range(0, 10)
                    .mapToObj(i -> CompletableFuture.runAsync(
                            () -> {
                                for (int round = 0; round < 5; round++) {
                                    Postrider node = startNode(pool);
                                    int before = emitted.get();
                                    Await.until("something was emitted meanwhile", () -> emitted.get() > before + 3);
                                    node.close();
                                }
                            },
                            threads))
                    .toList();
            nodes.forEach(CompletableFuture::join);
            producing.set(false);
            producer.join();

            Await.until("no thread is left", () -> threadsOfPostrider().isEmpty());
            // The sessions whose they were end a moment after their clients have gone.
            Await.until(
                    "no lock is left",
                    () -> psql.number("select count(*) from pg_locks where locktype = 'advisory' and database ="
                                    + " (select oid from pg_database where datname = current_database())")
                            == 0);
            assertThat(pool.getHikariPoolMXBean().getActiveConnections())
                    .as("connections in use")
                    .isZero();
            assertThat(psql.texts("select query from pg_stat_activity where datname = current_database()"
                            + " and state like 'idle in transaction%'"))
                    .isEmpty();
            assertThat(psql.texts("select channel from pg_listening_channels() as channel"))
                    .isEmpty();

            Postrider last = startNode(pool);
            int all = emitted.get();
            Await.until(
                    "all are handled", Duration.ofSeconds(30), () -> psql.number("select count(*) from effect") >= all);
            last.close();
            assertThat(psql.texts("select position from effect group by position having count(*) <> 1"))
                    .as("effects that did not happen once")
                    .isEmpty();
            assertThat(psql.number("select max(position) from effect")).isEqualTo(all);
            assertThat(psql.number("select count(*) from postrider.tenure where ended_at is null"))
                    .isZero();
            assertThat(psql.number("select count(*) from postrider.dead_letter"))
                    .isZero();
        } finally {
            threads.shutdownNow();
        }
    }

    private static Postrider startNode(HikariDataSource pool) {
        return Postrider.on(pool, Options.defaults().withPoll(Duration.ofMillis(50)))
                .add(Listener.transactional("booking", "orders", LifecycleTest::effect)
                        .withStart(StartPoint.beginning()))
                .add(Listener.relay("relay", "orders", event -> {}).withConcurrency(3))
                .start();
    }

    private static List<String> threadsOfPostrider() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("postrider-"))
                .toList();
    }

    @Test
    void close_waits_for_a_running_handler_and_its_delivery(TestDatabase database) throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (Psql psql = new Psql(database);
                Node node = new Node(database)) {
            psql.execute("create table effect (position bigint)");
            node.with(Listener.transactional("booking", "orders", (connection, event) -> {
                effect(connection, event);
                inside.countDown();
                go.await(60, TimeUnit.SECONDS);
            }));
            psql.emit("orders", "a");
            assertThat(inside.await(60, TimeUnit.SECONDS)).isTrue();
            Thread closing = new Thread(node.postrider::close);
            closing.start();
            Await.until("close waits for the handler", () -> closing.getState() == Thread.State.TIMED_WAITING);
            psql.emit("orders", "b");
            assertThat(closing.isAlive()).isTrue();
            go.countDown();
            closing.join(60_000);
            assertThat(closing.isAlive()).isFalse();
            assertThat(psql.texts("select position from effect"))
                    .as("finished, and no more begun")
                    .containsExactly("1");
            assertThat(psql.number("select position from postrider.listeners")).isEqualTo(1);
        }
    }

    @Test
    void a_handler_that_does_not_end_is_interrupted_after_the_grace_and_has_done_nothing(TestDatabase database)
            throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        try (Psql psql = new Psql(database);
                HikariDataSource pool = pool(database, 5)) {
            psql.execute("create table effect (position bigint)");
            psql.emit("orders", "a").passAll();
            Database door = new Database(pool, SchemaName.of("postrider"));
            Heads heads = new Heads(Watch.NOTHING);
            Assignments posts = new Assignments(heads);
            RunningListeners listeners =
                    new RunningListeners(door, heads, posts, new Reports("test", Watch.NOTHING, new ActivityLog(0)));
            NodeConnection wire = new NodeConnection(door, pool, Duration.ofMillis(50), Watch.NOTHING, List.of(posts));
            wire.start();
            Listener booking = Listener.transactional("booking", "orders", (connection, event) -> {
                        effect(connection, event);
                        inside.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            interrupted.set(true);
                            throw e;
                        }
                    })
                    .withStart(StartPoint.beginning());
            listeners.register(booking);
            listeners.run(booking);
            assertThat(inside.await(60, TimeUnit.SECONDS)).isTrue();
            listeners.stop(Duration.ofMillis(100));
            wire.close();
            assertThat(interrupted).isTrue();
            assertThat(psql.texts("select position from effect")).isEmpty();
            assertThat(psql.number("select position from postrider.listeners")).isZero();
            assertThat(psql.number("select count(*) from postrider.setback"))
                    .as("a shutdown is not the event's fault")
                    .isZero();
            assertThat(psql.number("select count(*) from postrider.tenure where ended_at is null"))
                    .as("it ended in order: its successor need not be careful")
                    .isZero();
        }
    }

    @Test
    @Tag("alone")
    void listeners_that_wait_end_at_once_when_their_node_closes(TestDatabase database) {
        Listener listener = Listener.relay("relay", "orders", event -> {});
        Listener paused = Listener.relay("paused", "orders", event -> {}).withPaused(true);
        Duration without = Duration.ZERO;
        Duration with = Duration.ZERO;
        try (Node first = new Node(database)) {
            first.with(listener);
            Await.until("the first has it", () -> first.status("relay").owner() != null);
            first.leaderPid();
            for (int i = 0; i < 5; i++) {
                without = without.plus(timeToClose(database));
                with = with.plus(timeToClose(database, listener, paused));
            }
        }
        // Listeners that are not woken wait for 1 s. Of five times, a busy machine may delay some.
        assertThat(with.minus(without))
                .as("what waiting listeners add to five closes")
                .isLessThan(Duration.ofSeconds(2));
    }

    /** How long it takes to close a node whose listeners all wait. */
    private static Duration timeToClose(TestDatabase database, Listener... listeners) {
        // With a long poll, which would wake them, too.
        Node node = new Node(database, options -> options.withPoll(Duration.ofSeconds(3)));
        node.with(listeners);
        int waiting = listeners.length == 0 ? 1 : 2; // nodes; a timer begins with the first wait
        Await.until("all listeners wait", () -> timers() == waiting && runningListeners() == 0);
        long began = System.nanoTime();
        node.close();
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private static long timers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("postrider-timer"))
                .count();
    }

    /** Threads on which a listener runs: one that waits has none. */
    private static long runningListeners() {
        return Thread.getAllStackTraces().values().stream()
                .filter(stack -> Arrays.stream(stack)
                        .anyMatch(frame -> frame.getClassName().endsWith(".ListenerRun")))
                .count();
    }

    @Test
    void a_node_starts_once_and_accepts_no_listener_after_close(TestDatabase database) {
        Postrider node = Postrider.on(database.dataSource());
        node.start();
        assertThatThrownBy(node::start).satisfies(LifecycleTest::isConflict);
        node.close();
        node.close();
        assertThatThrownBy(node::start).satisfies(LifecycleTest::isConflict);
        assertThatThrownBy(() -> node.add(Listener.relay("l", "t", event -> {})))
                .satisfies(LifecycleTest::isConflict);
    }

    @Test
    void a_node_that_was_never_started_can_be_closed(TestDatabase database) {
        long began = System.nanoTime();
        try (Postrider node = Postrider.on(database.dataSource())) {
            node.add(Listener.relay("l", "t", event -> {}));
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
        try (Psql psql = new Psql(database)) {
            assertThat(psql.number("select count(*) from postrider.listener")).isZero();
        }
    }

    // ── with the rights and the pool that an application has ────────────────────────────────────────────────────────

    @Test
    void a_node_needs_no_superuser_and_a_producer_only_the_right_to_insert() {
        try (TestDatabase database = TestDatabase.create();
                Psql admin = new Psql(database)) {
            String owner = "owner_" + database.name();
            String producer = "producer_" + database.name();
            admin.execute("create role " + owner + " login password 'x'");
            admin.execute("create role " + producer + " login password 'x'");
            admin.execute("grant create on database " + database.name() + " to " + owner);
            admin.execute("revoke connect, temporary on database " + database.name() + " from public");
            admin.execute("grant connect on database " + database.name() + " to " + owner + ", " + producer);
            AtomicInteger handled = new AtomicInteger();
            try (Node node = new Node(as(database, owner), options -> options.withPoll(Duration.ofMillis(50)));
                    Node second = new Node(as(database, owner), options -> options.withPoll(Duration.ofMillis(50)))) {
                node.execute("grant usage on schema postrider to " + producer);
                node.execute("grant insert on postrider.event to " + producer);
                node.execute("grant usage on sequence postrider.event_ids to " + producer);
                Listener listener =
                        Listener.transactional("l", "orders", (connection, event) -> handled.incrementAndGet());
                node.with(listener);
                second.with(listener);
                try (Psql poor = new Psql(dataSource(as(database, producer)))) {
                    node.awaitAsleep();
                    poor.emit("orders", "by-function");
                    poor.begin();
                    node.postrider.emit(poor.connection(), Event.of("orders", "by-java", "{}"));
                    poor.commit();
                    node.awaitCursor("l", 2);
                    assertThatThrownBy(() -> poor.number("select count(*) from postrider.event"))
                            .isInstanceOfSatisfying(
                                    Psql.SqlFailure.class,
                                    e -> assertThat(e.state()).isEqualTo("42501"));
                }
                assertThat(handled).hasValue(2);
                assertThat(node.status("l").owner()).isNotNull();
            } finally {
                admin.execute("drop owned by " + owner + " cascade").execute("drop owned by " + producer);
                admin.execute("drop role " + owner).execute("drop role " + producer);
            }
        }
    }

    @Test
    void a_node_works_with_a_small_pool_of_other_settings_and_returns_its_connections(TestDatabase database)
            throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setMaximumPoolSize(3);
        config.setAutoCommit(false);
        config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        config.setConnectionInitSql("set search_path = app; set statement_timeout = '29s'; set lock_timeout = '28s'");
        // Otherwise HikariCP leaves the transaction of connectionInitSql open, and a rollback undoes the settings.
        config.setIsolateInternalQueries(true);
        AtomicInteger handled = new AtomicInteger();
        try (HikariDataSource pool = new HikariDataSource(config);
                Psql psql = new Psql(database)) {
            psql.execute("create schema app");
            Postrider node = Postrider.on(pool, Options.defaults().withPoll(Duration.ofMillis(50)));
            for (int i = 0; i < 4; i++) {
                node.add(Listener.transactional("t" + i, "orders", (connection, event) -> handled.incrementAndGet()));
                node.add(Listener.relay("r" + i, "orders", event -> handled.incrementAndGet()));
            }
            node.start();
            psql.emitMany("orders", "t", 30);
            Await.until("all are handled", Duration.ofSeconds(60), () -> handled.get() == 8 * 30);
            node.close();
            for (int i = 0; i < 3; i++) {
                try (Connection one = pool.getConnection();
                        Connection two = pool.getConnection();
                        Connection three = pool.getConnection()) {
                    for (Connection connection : List.of(one, two, three)) {
                        assertThat(settings(connection)).isEqualTo("app 29s 28s serializable off");
                        assertThat(connection.getAutoCommit()).isFalse();
                        connection.rollback();
                    }
                }
            }
        }
    }

    private static String settings(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var result = statement.executeQuery(
                        "select current_setting('search_path') || ' '"
                                + " || current_setting('statement_timeout') || ' ' || current_setting('lock_timeout') || ' '"
                                + " || current_setting('transaction_isolation') || ' ' || current_setting('transaction_read_only')")) {
            result.next();
            return result.getString(1);
        }
    }

    private static String as(TestDatabase database, String role) {
        return database.jdbcUrl().replaceAll("\\?.*", "") + "?user=" + role + "&password=x";
    }

    private static javax.sql.DataSource dataSource(String url) {
        var dataSource = new org.postgresql.ds.PGSimpleDataSource();
        dataSource.setUrl(url);
        return dataSource;
    }

    private static void isConflict(Throwable e) {
        assertThat(((PostriderException) e).kind()).isEqualTo(Kind.CONFLICT);
    }

    private static void effect(Connection connection, LogEvent event) throws SQLException {
        try (var insert = connection.prepareStatement("insert into effect values (?)")) {
            insert.setLong(1, event.position());
            insert.executeUpdate();
        }
    }

    private static HikariDataSource pool(TestDatabase database, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }
}
