package io.postrider.proof.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.proof.check.HistoryChecker;
import io.postrider.proof.history.History;
import io.postrider.proof.record.ListenerRecorder;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestRun;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** G1 to G5, G7, G8 and G10 under heavy load. */
@PostgresTest
@Tag("slow")
class LoadTest {
    @Test
    void each_event_once_in_every_listener_causal_and_whole(TestDatabase database) throws Exception {
        ride(database, Mix.of(60, seed()));
    }

    @Test
    void and_so_under_a_longer_load(TestDatabase database) throws Exception {
        ride(database, Mix.of(TestRun.count(150, 600), seed()));
    }

    private static void ride(TestDatabase database, Mix mix) throws Exception {
        try (HikariDataSource pool = pool(database);
                LoadRun load = new LoadRun(pool, mix)) {
            List<String> transactional = new ArrayList<>();
            try (Postrider first = node(pool, "first");
                    Postrider second = node(pool, "second")) {
                for (String topic : mix.topics()) {
                    transactional.add(topic + "-ledger");
                    addListeners(load, first, topic, "first");
                    addListeners(load, second, topic, "second");
                }
                first.start();
                second.start();
                load.run();
                for (String topic : mix.topics()) {
                    awaitEnd(load, first, topic);
                    load.history().listener(topic + "-relay", topic).finished();
                }
            }
            assertSound(load.tell(transactional), mix);
            assertThat(load.committed(mix.topics().get(0))).isPositive();
        }
    }

    /** Runs without nodes; the log is read at the end. */
    @Test
    void passes_that_race_each_other_make_a_sound_log(TestDatabase database) throws Exception {
        Mix mix = Mix.of(50, seed()).withNoneOpenThroughout();
        try (HikariDataSource pool = pool(database)) {
            Postrider.on(pool, Options.defaults().withNode("sane")).migrate();
            try (LoadRun load = new LoadRun(pool, mix)) {
                racePasses(pool, load);
                assertSound(load.tell(List.of()), mix);
            }
        }
    }

    private static void racePasses(HikariDataSource pool, LoadRun load) throws Exception {
        AtomicBoolean running = new AtomicBoolean(true);
        ExecutorService threads = Executors.newFixedThreadPool(3);
        List<Future<Integer>> racers = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                racers.add(threads.submit(() -> {
                    try (Connection connection = pool.getConnection();
                            Statement statement = connection.createStatement()) {
                        int passes = 0;
                        while (running.get()) {
                            statement.execute("select postrider.sequence(20000)");
                            passes++;
                        }
                        return passes;
                    }
                }));
            }
            load.run();
        } finally {
            running.set(false);
            threads.shutdown();
        }
        for (Future<Integer> racer : racers) {
            assertThat(racer.get(60, TimeUnit.SECONDS))
                    .as("passes of one racer")
                    .isPositive();
        }
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 5; i++) {
                statement.execute("select postrider.sequence(20000)");
            }
        }
    }

    private static void assertSound(History history, Mix mix) {
        assertThat(HistoryChecker.check(history)).as("with seed %d", mix.seed()).isEmpty();
    }

    private static void awaitEnd(LoadRun load, Postrider node, String topic) {
        Await.until("all of " + topic + " handled", Duration.ofSeconds(60), () -> {
            long committed = load.committed(topic);
            return node.listeners().list().stream()
                    .filter(one -> one.topic().equals(topic))
                    .allMatch(one -> one.position() == committed);
        });
    }

    private static void addListeners(LoadRun load, Postrider node, String topic, String name) {
        ListenerRecorder relay = load.history().listener(topic + "-relay", topic);
        ListenerRecorder.Attempt attempt = relay.attempt();
        node.add(Listener.relay(topic + "-relay", topic, event -> attempt.handled(event.position(), event.id()))
                .withStart(StartPoint.beginning()));
        String ledger = topic + "-ledger";
        node.add(Listener.transactional(ledger, topic, (connection, event) -> effect(connection, ledger, event))
                .withStart(StartPoint.beginning()));
    }

    private static void effect(Connection connection, String listener, LogEvent event) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("insert into effect (listener, position, event_id) values (?, ?, ?)")) {
            insert.setString(1, listener);
            insert.setLong(2, event.position());
            insert.setObject(3, event.id());
            insert.executeUpdate();
        }
    }

    private static Postrider node(HikariDataSource pool, String name) {
        return Postrider.on(pool, Options.defaults().withNode(name)).migrate();
    }

    private static HikariDataSource pool(TestDatabase database) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setMaximumPoolSize(50);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    private static long seed() {
        return TestRun.seed("LoadTest");
    }
}
