package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.FailurePolicy;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.ListenConnection;
import io.postrider.internal.db.SchemaName;
import io.postrider.proof.faults.Load.Transaction;
import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.program.PgBouncer;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/** PgBouncer in transaction mode between us and the database (trap 35). */
@Tag("slow")
@NeedsProgram("pgbouncer")
@PostgresTest(failOnOpenSessions = false)
class PoolerTest {
    private static final String TOPIC = "orders";
    private static final int POOL = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final TestDatabase database;
    private final DataSource direct;
    private final Audit audit;

    PoolerTest(TestDatabase database) throws Exception {
        this.database = database;
        this.direct = database.dataSource();
        this.audit = new Audit(direct, TOPIC);
        Postrider.on(direct).migrate();
        Traces.create(direct);
    }

    @Test
    @Tag("alone")
    void producers_behind_a_pooler_need_nothing_special() throws Exception {
        LinkedBlockingQueue<UUID> given = new LinkedBlockingQueue<>();
        long seed = Seed.next("pooled producers");
        List<Transaction> transactions;
        List<Long> micros = new ArrayList<>();
        try (PgBouncer pooler = PgBouncer.before(database, POOL);
                HikariDataSource outside = Node.pool(database.jdbcUrl(), 1);
                Node node = Node.start(
                        database.jdbcUrl(),
                        "node",
                        options -> options,
                        List.of(
                                Traces.effect(TOPIC, "node", (connection, event) -> {}),
                                Traces.sent(TOPIC, "node", outside),
                                Listener.relay("given", "bell", event -> given.add(event.id()))))) {
            try (Load load = new Load(of(pooler.url()), TOPIC, seed, 12, Duration.ofMillis(4)).start()) {
                Await.until("some are committed", PATIENCE, () -> load.committed() > 1_000);
                transactions = load.stop();
            }
            Await.until("all is handled", PATIENCE, audit::isDrained);
            try (Connection connection = of(pooler.url()).getConnection()) {
                connection.setAutoCommit(false);
                for (int i = 0; i < 20; i++) {
                    Await.until("the sequencer sleeps", this::isAsleep);
                    long began = System.nanoTime();
                    UUID id = node.postrider().emit(connection, Event.of("bell", "ring", "{}"));
                    connection.commit();
                    assertThat(given.poll(60, TimeUnit.SECONDS)).isEqualTo(id);
                    micros.add((System.nanoTime() - began) / 1_000);
                }
            }
        }
        micros.sort(null);
        System.out.printf(
                "pooled producers: %s; wake-up through the pooler p50 %d µs, max %d µs%n",
                Audit.summary(transactions), micros.get(10), micros.get(19));
        assertThat(audit.violations(transactions)).isEmpty();
        assertThat(micros.get(10)).as("by notification, not by the poll of 1 s").isLessThan(200_000);
    }

    @Test
    void nodes_behind_a_pooler_say_so_deliver_all_and_leave_nothing_in_its_sessions() throws Exception {
        long seed = Seed.next("pooled nodes");
        List<Transaction> transactions;
        Rows.execute(
                direct,
                "do $$ begin"
                        + " execute format('alter database %I set statement_timeout = 77000', current_database());"
                        + " execute format('alter database %I set lock_timeout = 78000', current_database()); end $$");
        try (PgBouncer pooler = PgBouncer.before(database, POOL)) {
            assertThat(isPooled(pooler.url())).isTrue();
            assertThat(isPooled(database.jdbcUrl())).isFalse();
            try (HikariDataSource outside = Node.pool(pooler.url(), 1);
                    Node one = Node.start(
                            pooler.url(),
                            "one",
                            options -> options,
                            List.of(
                                    Traces.effect(TOPIC, "one", (connection, event) -> {}),
                                    Traces.sent(TOPIC, "one", outside)));
                    ChildJvm two = ChildJvm.of(NodeMain.class)
                            .withArguments(pooler.url(), TOPIC, "two")
                            .withProperty("org.slf4j.simpleLogger.log.io.postrider", "info")
                            .start()) {
                two.awaitLine("ready", PATIENCE);
                Await.until(
                        "it says so",
                        PATIENCE,
                        () -> two.errors().stream().anyMatch(line -> line.contains("wire_pooled")));
                try (Load load = new Load(of(pooler.url()), TOPIC, seed, 4, Duration.ofMillis(10)).start()) {
                    Await.until("some are committed", PATIENCE, () -> load.committed() > 300);
                    transactions = load.stop();
                }
                Await.until("all is handled", PATIENCE, audit::isDrained);
            }
            Await.until(
                    "nobody works any more",
                    PATIENCE,
                    () -> Rows.number(
                                    direct,
                                    "select count(*) from pg_stat_activity where datname = current_database() and state <> 'idle'")
                            == 1);
            assertThat(
                            Rows.texts(
                                    direct,
                                    "select classid || ' ' || objid from pg_locks where locktype = 'advisory'"
                                            + " and database = (select oid from pg_database where datname = current_database())"))
                    .as("locks left behind")
                    .isEmpty();
            assertThat(settings(pooler.url())).as("settings left behind").containsOnly("77s 78s read committed");
        }
        System.out.println("pooled nodes: " + Audit.summary(transactions) + "; sent "
                + Rows.text(direct, "select count(*) || ' for ' || count(distinct position) from sent"));
        assertThat(audit.violations(transactions)).isEmpty();
    }

    /** Without a direct line every node runs every listener: what one of them has begun is not begun again by the others. */
    @ParameterizedTest
    @EnumSource(
            value = FailurePolicy.class,
            names = {"BLOCK", "PARK"})
    void an_attempt_under_way_on_one_node_is_left_alone_by_the_others(FailurePolicy policy) throws Exception {
        Set<Long> failed = ConcurrentHashMap.newKeySet();
        try (PgBouncer pooler = PgBouncer.before(database, 3 * POOL)) {
            List<Node> nodes = new ArrayList<>();
            for (String name : List.of("a", "b", "c")) {
                nodes.add(Node.start(
                        pooler.url(),
                        name,
                        options -> options,
                        List.of(Traces.effect(TOPIC, name, (connection, event) -> {
                                    if (failed.add(event.position())) {
                                        throw new IllegalStateException("only the first time");
                                    }
                                    TimeUnit.MILLISECONDS.sleep(400);
                                })
                                .withAttempts(5)
                                .withBackoff(Duration.ofMillis(20), Duration.ofMillis(20))
                                .withPolicy(policy))));
            }
            try (Connection connection = of(pooler.url()).getConnection()) {
                connection.setAutoCommit(false);
                for (int i = 0; i < 3; i++) {
                    nodes.get(0)
                            .postrider()
                            .emit(connection, Event.of(TOPIC, "t", "{}").withKey("k" + i));
                    connection.commit();
                }
            }
            Await.until(
                    "all have their effect", PATIENCE, () -> Rows.number(direct, "select count(*) from effect") == 3);
            nodes.forEach(Node::close);
        }
        assertThat(Rows.number(direct, "select count(*) from postrider.dead_letter"))
                .isZero();
        assertThat(failed).hasSize(3);
    }

    /** No session is ours behind a pooler, so a worker shows that it lives by a time in its row. */
    @Tag("once")
    @Test
    void a_worker_behind_a_pooler_is_believed_while_it_gives_signs_of_life_and_taken_over_when_it_is_killed()
            throws Exception {
        Rows.execute(
                direct,
                "drop table effect, sent; create table effect (job uuid, attempt int, node text);"
                        + " create table sent (like effect)");
        String longJob = "select postrider.enqueue('q', 'effect', '{\"millis\": %d}')::text";
        try (PgBouncer pooler = PgBouncer.before(database, 3 * POOL);
                ChildJvm one = worker(pooler, "one")) {
            one.awaitLine("ready", PATIENCE);
            String steady = Rows.text(direct, longJob.formatted(14_000)); // longer than the 12 s of silence
            awaitRunning(steady, "one");
            try (ChildJvm two = worker(pooler, "two")) {
                two.awaitLine("ready", PATIENCE);
                Await.until("it is done by the one that began it", PATIENCE, () -> isDone(steady));
                String left = Rows.text(direct, longJob.formatted(2_000));
                Await.until(
                        "somebody has it",
                        PATIENCE,
                        () -> Rows.text(direct, "select locked_by from postrider.jobs where id = '" + left + "'")
                                != null);
                boolean first = "one"
                        .equals(Rows.text(direct, "select locked_by from postrider.jobs where id = '" + left + "'"));
                long began = System.nanoTime();
                (first ? one : two).kill9();
                Await.until("the other has done it", PATIENCE, () -> isDone(left));
                System.out.printf(
                        "pooled worker, kill -9: its job of 2 s was done after %d ms%n",
                        (System.nanoTime() - began) / 1_000_000);
            }
            assertThat(Rows.texts(direct, "select attempt_count::text from postrider.jobs where id = '" + steady + "'"))
                    .containsExactly("1");
        }
        assertThat(Rows.number(direct, "select count(*) from effect")).isEqualTo(2);
    }

    private ChildJvm worker(PgBouncer pooler, String name) {
        return ChildJvm.of(WorkerMain.class)
                .withHeap("64m")
                .withArguments(pooler.url(), name)
                .start();
    }

    private void awaitRunning(String job, String node) {
        Await.until(
                "it runs",
                PATIENCE,
                () -> node.equals(Rows.text(direct, "select locked_by from postrider.jobs where id = '" + job + "'")));
    }

    private boolean isDone(String job) throws Exception {
        return Rows.text(direct, "select state from postrider.jobs where id = '" + job + "'")
                .equals("DONE");
    }

    /** As every session of the pool has them. */
    private static List<String> settings(String url) throws Exception {
        List<Connection> all = new ArrayList<>();
        List<String> settings = new ArrayList<>();
        try {
            for (int i = 0; i < POOL; i++) {
                Connection connection = of(url).getConnection();
                all.add(connection);
                connection.setAutoCommit(false); // keeps its session until we let go
                try (var statement = connection.createStatement();
                        var result =
                                statement.executeQuery("select pg_backend_pid(), current_setting('statement_timeout')"
                                        + " || ' ' || current_setting('lock_timeout') || ' '"
                                        + " || current_setting('default_transaction_isolation')")) {
                    result.next();
                    settings.add(result.getString(2));
                }
            }
        } finally {
            for (Connection connection : all) {
                connection.close();
            }
        }
        return settings;
    }

    private static boolean isPooled(String url) {
        DataSource dataSource = of(url);
        try (ListenConnection line =
                ListenConnection.open(dataSource, new Database(dataSource, SchemaName.of("postrider")))) {
            return line.isPooled();
        }
    }

    private boolean isAsleep() throws Exception {
        return !Rows.texts(
                        direct,
                        "select 1 from pg_locks where locktype = 'advisory' and objid = 1 and granted"
                                + " and classid = 'postrider.event'::regclass::oid and mode = 'ExclusiveLock'")
                .isEmpty();
    }

    private static DataSource of(String url) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url);
        return dataSource;
    }
}
