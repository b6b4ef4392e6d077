package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.proof.faults.Load.Transaction;
import io.postrider.testkit.Await;
import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Servers on which a node cannot run, or cannot for a while. */
class ServerStateTest {
    private static final String TOPIC = "orders";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    @Tag("slow")
    @Tag("once")
    @NeedsProgram("pg_basebackup")
    void a_standby_is_refused() throws Exception {
        try (Cluster cluster = Cluster.make().start().createDatabase("shop")) {
            Postrider.on(cluster.dataSource("shop")).migrate();
            cluster.stop();
            cluster.standBy();
            cluster.start();
            assertRefused(cluster.dataSource("shop"), Kind.CONFLICT, "standby", "primary");
        }
    }

    @Test
    void a_server_that_is_not_there_is_said_to_be_unreachable() {
        PGSimpleDataSource nowhere = new PGSimpleDataSource();
        nowhere.setUrl("jdbc:postgresql://127.0.0.1:1/shop?user=postgres");
        assertRefused(nowhere, Kind.UNREACHABLE, "127.0.0.1:1", "refused");
    }

    private static void assertRefused(DataSource dataSource, Kind kind, String... words) {
        for (boolean migrate : List.of(false, true)) {
            try (Postrider postrider = Postrider.on(dataSource)) {
                PostriderException refused = catchThrowableOfType(
                        PostriderException.class, () -> (migrate ? postrider.migrate() : postrider).start());
                assertThat(refused).hasMessageContainingAll(words);
                assertThat(refused.kind()).isEqualTo(kind);
            }
        }
    }

    /** Every transaction of the node opens a connection here, so it cannot do anything meanwhile. */
    @Test
    @Tag("slow")
    void a_node_that_gets_no_connections_for_a_while_recovers() throws Exception {
        long seed = Seed.next("no connections");
        List<Transaction> transactions;
        try (EmbeddedPostgres server =
                EmbeddedPostgres.start(TestServer.options().withSetting("max_connections", "15"))) {
            server.createDatabase("shop");
            DataSource dataSource = server.dataSource("shop");
            Audit audit = new Audit(dataSource, TOPIC);
            Traces.create(dataSource);
            try (HikariDataSource outside = Node.pool(server.jdbcUrl("shop"), 1);
                    Postrider postrider = Postrider.on(dataSource).migrate();
                    Load load = new Load(dataSource, TOPIC, seed, 4, Duration.ofMillis(100))) {
                postrider
                        .add(Traces.effect(TOPIC, "node", (connection, event) -> {}))
                        .add(Traces.sent(TOPIC, "node", outside))
                        .start();
                load.start();
                Await.until("it runs", PATIENCE, () -> cursor(dataSource) > 50);
                List<Connection> all = takeAll(dataSource);
                LockSupport.parkNanos(Duration.ofSeconds(2).toNanos()); // the length of the fault
                for (Connection connection : all) {
                    connection.close();
                }
                long reached = Await.value("somebody can connect", PATIENCE, () -> Optional.of(cursor(dataSource)));
                Await.until("it runs again", PATIENCE, () -> cursor(dataSource) > reached + 50);
                transactions = load.stop();
                Await.until("all is handled", PATIENCE, audit::isDrained);
            }
            assertThat(audit.violations(transactions)).isEmpty();
        }
    }

    /** Takes every connection that becomes free, for as long as that needs. */
    private static List<Connection> takeAll(DataSource dataSource) {
        List<Connection> all = new ArrayList<>();
        int refused = 0;
        while (refused < 20) {
            try {
                all.add(dataSource.getConnection());
                refused = 0;
            } catch (SQLException e) {
                refused++;
            }
        }
        return all;
    }

    private static long cursor(DataSource dataSource) throws SQLException {
        return Rows.number(dataSource, "select coalesce(min(position), 0) from postrider.listeners");
    }
}
