package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestRun;
import io.postrider.testkit.TestServer;
import java.io.BufferedReader;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A database that is killed, and whose sessions are ended and stopped, under load (G1, G2, G3, G4, G5, G8, G10). */
@Tag("slow")
class DatabaseDeathTest {
    private static final String TOPIC = "orders";
    private static final int KILLS = TestRun.count(8, 50);
    private static final int ENDED = 30;
    private static final int STOPS = 300;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static EmbeddedPostgres server;
    private static int databases;

    private String url;
    private DataSource dataSource;
    private Audit audit;

    /** What the relay was given, remembered outside the database: a crash cannot take it back. */
    private final Queue<LogEvent> given = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void startServer() {
        server = EmbeddedPostgres.start(TestServer.options()
                .withSetting("wal_writer_delay", "10s") // a writer that hardly ever comes round leaves the most to lose
                .withSetting("recovery_init_sync_method", "syncfs")); // a start after a kill in 0.1 s instead of 0.6 s
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void prepare() throws Exception {
        String name = "faults_" + ++databases;
        server.createDatabase(name);
        url = server.jdbcUrl(name);
        dataSource = server.dataSource(name);
        audit = new Audit(dataSource, TOPIC);
        Postrider.on(dataSource).migrate();
        Traces.create(dataSource);
    }

    @Test
    void kills_of_the_database_lose_nothing_and_nothing_was_delivered_too_early() throws Exception {
        long seed = Seed.next("kill -9 of PostgreSQL");
        Random random = new Random(seed);
        List<Load.Transaction> transactions;
        long slowest = 0;
        try (HikariDataSource outside = outside();
                Node node = node(effect(), Traces.sent(TOPIC, "node", outside));
                Load load = new Load(dataSource, TOPIC, seed, 8, Duration.ofMillis(20)).start()) {
            for (int kill = 1; kill <= KILLS; kill++) {
                if (kill == KILLS / 2) {
                    beLazy(load);
                }
                int before = given.size();
                long began = System.nanoTime();
                Await.until("events are delivered before kill " + kill, PATIENCE, () -> given.size() > before + 20);
                slowest = Math.max(slowest, System.nanoTime() - began);
                LockSupport.parkNanos(Seed.nanos(random, 0, 200)); // no wait for something: the moment is the fault
                server.kill();
                server.start();
                assertThat(missing())
                        .as("delivered, but gone after kill " + kill)
                        .isEmpty();
            }
            transactions = load.stop();
            Await.until("all is handled", PATIENCE, audit::isDrained);
        }
        System.out.printf(
                "kill -9 of PostgreSQL: %d kills, deliveries went on within %d ms of the start at the latest; %s; %s%n",
                KILLS, slowest / 1_000_000, Audit.summary(transactions), repeats());
        assertThat(Duration.ofNanos(slowest))
                .as("from a start to deliveries, at worst")
                .isLessThan(Duration.ofSeconds(30));
        assertThat(audit.violations(transactions)).isEmpty();
    }

    @Test
    void a_stream_of_ended_sessions_loses_nothing() throws Exception {
        long seed = Seed.next("pg_terminate_backend");
        Random random = new Random(seed);
        List<Load.Transaction> transactions;
        int ended = 0;
        try (HikariDataSource outside = outside();
                Node node = node(effect(), Traces.sent(TOPIC, "node", outside));
                Load load = new Load(dataSource, TOPIC, seed, 8, Duration.ofMillis(20)).start()) {
            long began = System.nanoTime();
            Duration time = Duration.ZERO;
            // 6 s, or as long as a busy machine takes for as many.
            while (time.toSeconds() < 6 || ended <= ENDED && time.toSeconds() < 60) {
                LockSupport.parkNanos(Seed.nanos(random, 0, 40));
                time = Duration.ofNanos(System.nanoTime() - began);
                ended += Rows.texts(dataSource, """
                        select pid from (
                          select pid from pg_stat_activity
                          where datname = current_database() and pid <> pg_backend_pid() order by random() limit 1
                        ) s where pg_terminate_backend(pid)
                        """).size();
            }
            transactions = load.stop();
            Await.until("all is handled", PATIENCE, audit::isDrained);
        }
        assertThat(ended).as("sessions that were ended").isGreaterThan(ENDED);
        System.out.printf("pg_terminate_backend: %d sessions; %s; %s%n", ended, Audit.summary(transactions), repeats());
        assertThat(audit.violations(transactions)).isEmpty();
    }

    /** As a machine with too few cores would: a session stands still for a moment, wherever it is, with whatever it holds. */
    @Test
    void a_stream_of_stopped_sessions_loses_nothing() throws Exception {
        long seed = Seed.next("SIGSTOP of backends");
        Random random = new Random(seed);
        List<Load.Transaction> transactions;
        int stopped = 0;
        Process shell = new ProcessBuilder("/bin/sh").redirectErrorStream(true).start();
        try (Node node = node();
                Load load = new Load(dataSource, TOPIC, seed, 12, Duration.ofMillis(1)).start();
                Writer commands = shell.outputWriter();
                BufferedReader answers = shell.inputReader()) {
            List<String> pids = List.of();
            for (int i = 0; i < STOPS; i++) {
                if (i % 50 == 0) {
                    pids = Rows.texts(
                            dataSource,
                            "select pid from pg_stat_activity where datname = current_database()"
                                    + " and pid <> pg_backend_pid() and query like '%postrider%'");
                }
                String pid = pids.get(random.nextInt(pids.size()));
                commands.write("kill -STOP " + pid + " 2>/dev/null && sleep 0.010 && kill -CONT " + pid
                        + " 2>/dev/null && echo done || echo gone\n");
                commands.flush();
                stopped += answers.readLine().equals("done") ? 1 : 0;
            }
            transactions = load.stop();
            Await.until("all is handled", PATIENCE, audit::isDrained);
        } finally {
            shell.destroy();
        }
        System.out.printf("SIGSTOP of backends: %d stops; %s; %s%n", stopped, Audit.summary(transactions), repeats());
        assertThat(stopped).as("sessions that were stopped").isGreaterThan(STOPS / 2);
        assertThat(audit.ofProducers(transactions)).isEmpty();
        assertThat(audit.ofLog()).isEmpty();
        assertThat(audit.ofLedgers()).isEmpty();
    }

    /** From now on nobody waits for the disk by himself: neither producers nor, if it would not insist, the node. */
    private void beLazy(Load load) throws Exception {
        load.beLazy(true);
        Rows.execute(
                dataSource,
                "do $$ begin execute format('alter database %I set synchronous_commit = off',"
                        + " current_database()); end $$");
    }

    private List<UUID> missing() throws Exception {
        List<UUID> until = given.stream().map(LogEvent::id).distinct().toList(); // first: more are given while we look
        Set<String> there = Set.copyOf(Rows.texts(dataSource, "select event_id from postrider.event"));
        return until.stream().filter(id -> !there.contains(id.toString())).toList();
    }

    private String repeats() {
        long different = given.stream().map(LogEvent::id).distinct().count();
        return different + " events, " + (given.size() - different) + " sent twice";
    }

    private Node node(Listener... more) {
        List<Listener> listeners = new ArrayList<>(List.of(more));
        listeners.add(Listener.relay("given", TOPIC, given::add).withStart(StartPoint.beginning()));
        return Node.start(url, "node", options -> options, listeners);
    }

    /** Where the relay sends to does not forget what it has taken, whatever {@link #beLazy} says. */
    private HikariDataSource outside() {
        return Node.pool(url + "&options=-c%20synchronous_commit=on", 1);
    }

    private static Listener effect() {
        return Traces.effect(TOPIC, "node", (connection, event) -> {})
                .withBackoff(Duration.ofMillis(20), Duration.ofMillis(200));
    }
}
