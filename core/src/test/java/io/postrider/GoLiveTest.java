package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestRun;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Go-live and back under load, on several nodes, with kills: every position is either recorded in shadow or sent once. */
@Migrated
@Tag("slow")
@Tag("once")
class GoLiveTest {
    private static final Duration MOST = Duration.ofSeconds(60);
    private static final String RELAY = "switched";

    private final List<Long> shadow = new ArrayList<>();
    private final Random random = new Random();

    @Test
    void switches_under_load_lose_nothing_and_send_nothing_twice(TestDatabase database) throws Exception {
        RecordingSink sink = new RecordingSink();
        Listener relay = sink.relay(RELAY).withShadow(true).withBatch(50);
        try (Node first = node(database, relay);
                Node second = node(database, relay);
                Load load = new Load(database.dataSource())) {
            int switches = TestRun.count(15, 100);
            switchModes(first, switches, () -> {});
            load.close();
            drain(first);
            assertThat(sink.arrived).doesNotHaveDuplicates();
            assertExact(first, sink.arrived);
            assertThat(second.postrider.isConnected()).isTrue();
        }
    }

    @Test
    void kills_around_the_switch_lose_nothing_and_send_nothing_twice(TestDatabase database) throws Exception {
        try (Psql psql = new Psql(database)) {
            psql.execute("create table public.arrived (n bigserial, position bigint, event_id uuid, course bigint)");
        }
        try (Node control = new Node(database, options -> options);
                Load load = new Load(database.dataSource())) {
            ChildJvm.Launch launch = ChildJvm.of(RelayMain.class).withArguments(database.jdbcUrl());
            ChildJvm[] children = {launch.start(), launch.start()};
            try {
                children[0].awaitLine("ready", MOST);
                children[1].awaitLine("ready", MOST);
                switchModes(control, TestRun.count(8, 50), () -> {
                    int victim = random.nextInt(2);
                    children[victim].kill9();
                    children[victim] = launch.start();
                });
                load.close();
                drain(control);
            } finally {
                children[0].close();
                children[1].close();
            }
            try (Psql psql = new Psql(database)) {
                List<Long> arrived = psql.texts("select position from public.arrived order by n").stream()
                        .map(Long::valueOf)
                        .toList();
                assertThat(arrived).doesNotHaveDuplicates();
                assertExact(control, arrived);
            }
        }
    }

    /** Switches to and fro; what happens beside it comes just before or just after a switch. */
    private void switchModes(Node node, int times, Runnable fault) {
        for (int i = 0; i < times; i++) {
            awaitProgress(node, random.nextInt(50));
            boolean before = random.nextBoolean();
            if (before) {
                fault.run();
            }
            long live = node.postrider.listeners().goLive(RELAY);
            if (!before) {
                fault.run();
            }
            shadow.add(live);
            awaitProgress(node, random.nextInt(50));
            shadow.add(node.postrider.listeners().shadow(RELAY, MOST));
        }
        shadow.add(node.postrider.listeners().goLive(RELAY));
    }

    private static void awaitProgress(Node node, int positions) {
        long from = node.status(RELAY).position();
        Await.until("progress", MOST, () -> {
            var status = node.status(RELAY);
            if (status.position() < from + positions) {
                throw new IllegalStateException("from " + from + ", now " + status);
            }
            return true;
        });
    }

    private static void drain(Node node) {
        Await.until("all is handled", MOST, () -> node.status(RELAY).lag() == 0);
    }

    /** The phases alternate: shadow up to the first switch, live up to the second, and so on. */
    private void assertExact(Node node, List<Long> arrived) {
        long head = node.status(RELAY).head();
        List<Long> live = new ArrayList<>();
        for (int i = 0; i < shadow.size(); i += 2) {
            long end = i + 1 < shadow.size() ? shadow.get(i + 1) - 1 : head;
            LongStream.rangeClosed(shadow.get(i), end).forEach(live::add);
        }
        System.out.printf(
                "go-live: %d switches, %d events, %d sent, %d in shadow%n",
                shadow.size(), head, live.size(), head - live.size());
        assertThat(arrived).containsExactlyInAnyOrderElementsOf(live);
        assertThat(live).hasSizeBetween(1, (int) head - 1);
    }

    private static Node node(TestDatabase database, Listener relay) {
        return new Node(database, options -> options.withPoll(Duration.ofMillis(50))).with(relay);
    }

    /** Producers: some hold their transactions open, some roll back. */
    private static final class Load implements AutoCloseable {
        private final AtomicBoolean ended = new AtomicBoolean();
        private final List<CompletableFuture<Void>> writers;

        Load(DataSource dataSource) {
            writers = IntStream.range(0, 3)
                    .mapToObj(i -> Background.get(() -> write(dataSource)))
                    .toList();
        }

        private Void write(DataSource dataSource) {
            Random random = new Random();
            try (Psql psql = new Psql(dataSource)) {
                while (!ended.get()) {
                    psql.begin();
                    psql.emitMany(RELAY, "t", 1 + random.nextInt(3));
                    LockSupport.parkNanos(random.nextInt(20_000_000)); // the rate of the load
                    if (random.nextInt(5) == 0) {
                        psql.rollback();
                    } else {
                        psql.commit();
                    }
                }
            }
            return null;
        }

        @Override
        public void close() {
            ended.set(true);
            writers.forEach(CompletableFuture::join);
        }
    }

    /**
     * A sink outside the relay's transactions that says what it has: a table, written with connections of its own. A lock makes holds()
     * wait for what a killed process has left on its way.
     */
    private static final class TableSink implements Sink {
        private final DataSource dataSource;

        TableSink(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        Listener relay() {
            return Listener.relay(RELAY, RELAY, this)
                    .withShadow(true)
                    .withBatch(10)
                    .withStart(StartPoint.beginning());
        }

        @Override
        public String describe() {
            return "table arrived";
        }

        @Override
        public SendResult send(RelayEpoch epoch, List<LogEvent> events) throws SQLException {
            try (Connection connection = locked();
                    PreparedStatement insert = connection.prepareStatement(
                            "insert into public.arrived (position, event_id, course) values (?, ?, ?)")) {
                for (LogEvent event : events) {
                    insert.setLong(1, event.position());
                    insert.setObject(2, event.id());
                    insert.setLong(3, epoch.number());
                    insert.addBatch();
                }
                insert.executeBatch();
                connection.commit();
                return SendResult.whole();
            }
        }

        @Override
        public Map<Long, UUID> holds(RelayEpoch epoch, long after) throws SQLException {
            Map<Long, UUID> held = new HashMap<>();
            try (Connection connection = locked();
                    PreparedStatement select = connection.prepareStatement(
                            "select position, event_id from public.arrived where course = ? and position > ?")) {
                select.setLong(1, epoch.number());
                select.setLong(2, after);
                try (ResultSet result = select.executeQuery()) {
                    while (result.next()) {
                        held.put(result.getLong(1), result.getObject(2, UUID.class));
                    }
                }
            }
            return held;
        }

        private Connection locked() throws SQLException {
            Connection connection = dataSource.getConnection();
            connection.setAutoCommit(false);
            try (var lock = connection.createStatement()) {
                lock.execute("select pg_advisory_xact_lock(1)");
            }
            return connection;
        }

        @Override
        public String test() {
            return describe();
        }
    }

    /** A node with the relay, in a process of its own. */
    static final class RelayMain {
        public static void main(String[] args) throws InterruptedException {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(args[0]);
            config.setMaximumPoolSize(6);
            HikariDataSource dataSource = new HikariDataSource(config);
            Postrider.on(dataSource, Options.defaults().withPoll(Duration.ofMillis(50)))
                    .add(new TableSink(dataSource).relay())
                    .start();
            System.out.println("ready");
            Thread.currentThread().join();
        }
    }
}
