package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.postrider.Postrider;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.testkit.Await;
import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.Ports;
import io.postrider.testkit.TcpProxy;
import io.postrider.testkit.TestRun;
import io.postrider.testkit.TestServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A server that loses its last commits while the nodes keep running: a standby that missed them is promoted, or a server with
 * {@code synchronous_commit = off} crashes. Every job and event that the new server has is done or delivered, and
 * transactional effects happen once (G14). Every node reports the positions that a promotion lost. {@code ./test prove} runs 20 rounds of each.
 */
@Tag("slow")
@Tag("once")
class ServerLosesCommitsTest {
    private static final int ROUNDS = TestRun.count(2, 20);
    private static final int NODES = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Its memory of settlements may be ahead of the server's, and its claims show other nodes where a takeover begins. */
    @Test
    void a_worker_that_has_not_signed_in_since_a_crash_cannot_claim() throws Exception {
        String claim = "select count(*) from postrider.claim('q', 'queue:q',"
                + " (select max(w.id) from postrider.worker w), 10, 10, 1000000, null)";
        try (EmbeddedPostgres server = EmbeddedPostgres.start(TestServer.options())) {
            server.createDatabase("shop");
            DataSource shop = server.dataSource("shop");
            Postrider.on(shop).migrate();
            Rows.execute(shop, "insert into postrider.worker (node) values ('node')");
            assertThat(Rows.number(shop, claim)).isEqualTo(1);
            crashBackend(server, shop); // the postmaster keeps running
            assertRefused(shop, claim);
            Rows.execute(shop, "insert into postrider.worker (node) values ('node')");
            assertThat(Rows.number(shop, claim)).isEqualTo(1);
            server.kill();
            server.start();
            assertRefused(shop, claim);
        }
    }

    private static void assertRefused(DataSource server, String claim) {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> Rows.number(server, claim))
                .returns("PR006", SQLException::getSQLState);
    }

    /** PostgreSQL ends all sessions and recovers when one of its processes dies. */
    private static void crashBackend(EmbeddedPostgres server, DataSource shop) throws Exception {
        try (Connection victim = shop.getConnection();
                Statement statement = victim.createStatement()) {
            ResultSet pid = statement.executeQuery("select pg_backend_pid()");
            pid.next();
            new ProcessBuilder("kill", "-9", pid.getString(1)).start().waitFor();
        }
        Await.until("the server has recovered", PATIENCE, () -> Rows.number(shop, "select 1") == 1);
    }

    @Test
    void nodes_that_stay_up_finish_all_that_a_server_knows_after_crashes_without_flushes() throws Exception {
        Random random = new Random(Seed.next("crash with synchronous_commit = off"));
        try (EmbeddedPostgres server = EmbeddedPostgres.start(TestServer.options()
                .withSetting("wal_writer_delay", "10s")
                .withSetting("synchronous_commit", "off")
                .withSetting("max_connections", "80")
                .withSetting("recovery_init_sync_method", "syncfs"))) {
            server.createDatabase("shop");
            DataSource shop = server.dataSource("shop");
            try (JobFleet fleet = JobFleet.start(server.jdbcUrl("shop"), NODES, random.nextLong())) {
                for (int round = 1; round <= ROUNDS; round++) {
                    awaitMore(shop, round);
                    LockSupport.parkNanos(Seed.nanos(random, 0, 300)); // a random moment for the fault
                    server.kill();
                    server.start();
                    LockSupport.parkNanos(Seed.nanos(random, 300, 600)); // continues under load
                    fleet.awaitAllDone("after crash " + round, shop);
                }
                fleet.awaitAllDoneAtLast(shop);
            }
        }
    }

    @Test
    @NeedsProgram("pg_basebackup")
    void nodes_that_stay_up_finish_all_that_a_promoted_standby_knows() throws Exception {
        Random random = new Random(Seed.next("promotion of a standby that missed commits"));
        int[] ports = {Ports.free(), Ports.free()};
        String url = "jdbc:postgresql://127.0.0.1:" + ports[0] + ",127.0.0.1:" + ports[1]
                + "/shop?user=postgres&targetServerType=primary&connectTimeout=2&hostRecheckSeconds=0";
        PGSimpleDataSource shop = new PGSimpleDataSource();
        shop.setUrl(url);
        Cluster primary =
                Cluster.makeAt(ports[0], "max_connections = 80").start().createDatabase("shop");
        try (JobFleet fleet = JobFleet.start(url, NODES, random.nextLong())) {
            for (int round = 1; round <= ROUNDS; round++) {
                try (TcpProxy network = TcpProxy.to(primary.port())) {
                    Cluster standby = Cluster.standbyOf(primary, network.port(), ports[round % 2])
                            .start();
                    awaitMore(shop, round);
                    network.refuse();
                    network.cutAll();
                    long kept = JobFleet.head(primary.dataSource("shop")); // at most
                    LockSupport.parkNanos(Seed.nanos(random, 100, 1_000)); // the standby misses these commits
                    long lost = fleet.awaitSeenAfter(kept);
                    primary.close();
                    primary = standby;
                    Rows.execute(standby.dataSource("postgres"), "select pg_promote()");
                    LockSupport.parkNanos(Seed.nanos(random, 300, 600)); // continues under load
                    fleet.awaitAllDone("after promotion " + round, shop);
                    fleet.awaitReported(round + 1, lost, shop);
                }
            }
            fleet.awaitAllDoneAtLast(shop);
            assertThat(Rows.number(shop, "select count(*) from postrider.era")).isEqualTo(ROUNDS + 1);
        } finally {
            primary.close();
        }
    }

    private static void awaitMore(DataSource server, int round) throws Exception {
        long before = JobFleet.done(server);
        Await.until("jobs are done before fault " + round, PATIENCE, () -> JobFleet.done(server) > before + 100);
    }
}
