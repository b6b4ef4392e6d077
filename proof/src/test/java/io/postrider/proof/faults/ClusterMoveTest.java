package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.admin.Watch;
import io.postrider.proof.faults.Load.Fate;
import io.postrider.proof.faults.Load.Transaction;
import io.postrider.testkit.Await;
import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.TcpProxy;
import io.postrider.testkit.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A log that is carried to another cluster in the middle of everything (G14). */
@Tag("slow")
@Tag("once")
@NeedsProgram({"pg_dump", "pg_basebackup"})
class ClusterMoveTest {
    private static final long SEED = Seed.next("move");
    private static final long WRAP = 1L << 32;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Numbers its transactions from 30 billion on, as a cluster does that is old. */
    private static Cluster old;

    private static Halfway log;
    private static Path dump;

    @BeforeAll
    static void leaveALogInTheMiddle() throws Exception {
        old = Cluster.make();
        old.reset("-e", "7");
        old.start().createDatabase("shop");
        log = Halfway.make(old.url("shop"), old.dataSource("shop"), SEED);
        dump = old.dump("shop");
    }

    @AfterAll
    static void stop() throws Exception {
        old.close();
    }

    @Test
    void restored_into_a_cluster_with_lower_transaction_numbers_and_a_newer_version() throws Exception {
        try (TestDatabase database = TestDatabase.create()) {
            Cluster.restore(dump, database.server().port(), database.server().password(), database.name());
            Halfway here = log.carriedTo(database.jdbcUrl(), database.dataSource());
            here.goOn(SEED + 1);
            assertThat(here.eras()).containsExactly("first pass", "another cluster");
        }
    }

    @Test
    void restored_into_a_cluster_with_higher_transaction_numbers() throws Exception {
        try (Cluster high = Cluster.make()) {
            high.reset("-e", "9");
            high.start().createDatabase("shop");
            Cluster.restore(dump, high.port(), "", "shop");
            Halfway here = log.carriedTo(high.url("shop"), high.dataSource("shop"));
            here.goOn(SEED + 2);
            assertThat(here.eras()).containsExactly("first pass", "another cluster");
        }
    }

    @Test
    void restored_beside_the_original_in_the_same_cluster() throws Exception {
        old.createDatabase("restored");
        Cluster.restore(dump, old.port(), "", "restored");
        log.carriedTo(old.url("restored"), old.dataSource("restored")).goOn(SEED + 3);
    }

    @Test
    void cloned_as_a_template() throws Exception {
        Rows.execute(old.dataSource("postgres"), "create database clone template shop");
        log.carriedTo(old.url("clone"), old.dataSource("clone")).goOn(SEED + 4);
    }

    /** Keeps the transaction numbers, but not the cluster's identity. */
    @Test
    void upgraded_in_place() throws Exception {
        try (Cluster before = Cluster.make()) {
            before.start().createDatabase("shop");
            Halfway here = Halfway.make(before.url("shop"), before.dataSource("shop"), SEED + 5);
            before.stop();
            try (Cluster after = before.upgraded().start()) {
                Halfway there = here.carriedTo(after.url("shop"), after.dataSource("shop"));
                there.goOn(SEED + 6);
                assertThat(there.eras()).containsExactly("first pass", "another cluster");
            }
        }
    }

    /** The commits that the standby did not get are gone, as PostgreSQL says. All that it has, and all that comes, is not. */
    @Test
    void a_standby_that_missed_the_last_commits_is_promoted_under_a_running_node() throws Exception {
        List<UUID> given = new CopyOnWriteArrayList<>();
        List<String> reported = new CopyOnWriteArrayList<>();
        try (Cluster primary = Cluster.make().start().createDatabase("shop");
                TcpProxy network = TcpProxy.to(primary.port());
                Cluster standby = Cluster.standbyOf(primary, network.port()).start()) {
            Postrider.on(primary.dataSource("shop")).migrate();
            Traces.create(primary.dataSource("shop"));
            String url = primary.url("shop").replace("/shop", ",127.0.0.1:" + standby.port() + "/shop")
                    + "&targetServerType=primary&connectTimeout=2";
            PGSimpleDataSource either = new PGSimpleDataSource();
            either.setUrl(url);
            Listener relay = Listener.relay("given", Halfway.TOPIC, event -> given.add(event.id()))
                    .withStart(StartPoint.beginning());
            try (HikariDataSource outside = Node.pool(url, 1);
                    Node node = Node.start(
                            url,
                            "node",
                            options -> options.withWatch(reportingTo(reported)),
                            List.of(
                                    Traces.effect(Halfway.TOPIC, "node", (connection, event) -> {}),
                                    Traces.sent(Halfway.TOPIC, "node", outside),
                                    relay))) {
                List<UUID> kept = emit(either, 200);
                Await.until("they are delivered", PATIENCE, () -> given.containsAll(kept));
                String reached = Rows.text(primary.dataSource("postgres"), "select pg_current_wal_flush_lsn()");
                Await.until(
                        "the standby has them",
                        PATIENCE,
                        () -> Rows.text(
                                        standby.dataSource("postgres"),
                                        "select pg_last_wal_replay_lsn() >= '" + reached + "'")
                                .equals("t"));

                network.refuse();
                network.cutAll();
                List<UUID> lost = emit(either, 50);
                Await.until("they are delivered, too", PATIENCE, () -> given.containsAll(lost));
                primary.crash();
                Rows.execute(standby.dataSource("postgres"), "select pg_promote()");

                List<UUID> after = emit(either, 10);
                Await.until("what comes after is delivered", PATIENCE, () -> given.containsAll(after));
                Audit audit = new Audit(standby.dataSource("shop"), Halfway.TOPIC);
                Await.until("all is handled", PATIENCE, audit::isDrained);
                assertThat(audit.violations(List.of(
                                new Transaction(Fate.COMMITTED, kept, List.of()),
                                new Transaction(Fate.COMMITTED, after, List.of()))))
                        .isEmpty();
                assertThat(Rows.texts(standby.dataSource("shop"), "select reason from postrider.era order by era"))
                        .containsExactly("first pass", "another timeline");
                Await.until("it is reported", PATIENCE, () -> reported.size() == 2);
                assertThat(reported).containsExactly("era 2: another timeline", Halfway.TOPIC + " 201..250");
            }
        }
    }

    private static Watch reportingTo(List<String> reported) {
        return new Watch() {
            @Override
            public void eraOpened(int era, String reason) {
                reported.add("era " + era + ": " + reason);
            }

            @Override
            public void forgotten(String topic, long fromPosition, long toPosition) {
                reported.add(topic + " " + fromPosition + ".." + toPosition);
            }
        };
    }

    @Test
    void the_32_bits_of_the_transaction_numbers_wrap_under_a_running_node() throws Exception {
        try (Cluster cluster = Cluster.make()) {
            cluster.start();
            // Whatever is not frozen would lie in the future after the jump.
            Rows.execute(cluster.dataSource("postgres"), "update pg_database set datallowconn = true");
            Cluster.run(
                    "vacuumdb", "-h", "127.0.0.1", "-p", cluster.port() + "", "-U", "postgres", "--all", "--freeze");
            cluster.stop();
            cluster.reset("-x", Long.toString(WRAP - 7_000));
            Files.write(Path.of(cluster.data(), "pg_xact", "0FFF"), new byte[32 * 8192]);
            cluster.start().createDatabase("shop");
            DataSource shop = cluster.dataSource("shop");
            Postrider.on(shop).migrate();
            Traces.create(shop);
            Audit audit = new Audit(shop, Halfway.TOPIC);
            try (HikariDataSource outside = Node.pool(cluster.url("shop"), 1);
                    Node node = Node.start(
                            cluster.url("shop"),
                            "node",
                            options -> options,
                            List.of(
                                    Traces.effect(Halfway.TOPIC, "node", (connection, event) -> {}),
                                    Traces.sent(Halfway.TOPIC, "node", outside)));
                    Load load = new Load(shop, Halfway.TOPIC, SEED, 4, Duration.ofMillis(4)).start()) {
                Rows.execute(
                        shop,
                        "do $$ begin for i in 1..20000 loop perform pg_current_xact_id(); commit; end loop; end $$");
                assertThat(Rows.number(shop, "select min(tx::text::bigint) from postrider.event"))
                        .isLessThan(WRAP);
                Await.until(
                        "events of both sides",
                        PATIENCE,
                        () -> Rows.number(shop, "select max(tx::text::bigint) from postrider.event") > WRAP + 100);
                List<Transaction> transactions = load.stop();
                Await.until("all is handled", PATIENCE, audit::isDrained);
                assertThat(audit.violations(transactions)).isEmpty();
            }
            assertThat(Rows.texts(shop, "select reason from postrider.era")).containsExactly("first pass");
        }
    }

    private static List<UUID> emit(DataSource dataSource, int count) {
        return Await.value("a primary takes " + count + " events", PATIENCE, () -> {
            Postrider postrider = Postrider.on(dataSource);
            List<Event> events = IntStream.range(0, count)
                    .mapToObj(i -> Event.of(Halfway.TOPIC, "plain", "{}"))
                    .toList();
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                postrider.emitAll(connection, events);
                connection.commit();
            }
            return Optional.of(events.stream().map(Event::id).toList());
        });
    }
}
