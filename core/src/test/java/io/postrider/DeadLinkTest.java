package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.TcpProxy;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections whose other end is gone or does not read, without a close or a reset. */
@Tag("slow")
@Tag("once")
class DeadLinkTest {
    private static final Duration LONGEST_POLL = Duration.ofSeconds(3);

    /** Without the ping it took 60 s: the limit of a statement, which must be long because of the pass that opens an era. */
    private static final Duration NOTICED = Duration.ofSeconds(60);

    @Test
    void a_node_on_a_half_open_link_connects_again_and_continues() {
        try (TestDatabase database = TestDatabase.create();
                TcpProxy network = TcpProxy.to(database.server().port())) {
            continuesOver(network, database.jdbcUrl(network.port()), database);
        }
    }

    @Test
    @NeedsProgram("openssl")
    void a_node_that_uses_tls_is_woken_and_notices_a_half_open_link(@TempDir Path directory) throws Exception {
        Certificate certificate = Certificate.make(directory);
        try (EmbeddedPostgres server = EmbeddedPostgres.start(TestServer.options()
                        .withSetting("ssl", "on")
                        .withSetting("ssl_cert_file", certificate.file().toString())
                        .withSetting("ssl_key_file", certificate.key().toString())
                        .withSetting("fsync", "off"));
                TestDatabase database = TestDatabase.create(server);
                TcpProxy network = TcpProxy.to(server.port())) {
            String url = database.jdbcUrl(network.port()) + "&sslmode=verify-ca&sslrootcert=" + certificate.file();
            continuesOver(network, url, database);
        }
    }

    private static void continuesOver(TcpProxy network, String url, TestDatabase database) {
        List<Long> handled = new CopyOnWriteArrayList<>();
        try (Node node = new Node(url, options -> options.withPoll(LONGEST_POLL));
                Psql producer = new Psql(database)) {
            node.with(Listener.relay("relay", "orders", event -> handled.add(System.nanoTime())));
            List<Long> millis = new ArrayList<>();
            for (int i = 1; i <= 7; i++) {
                node.awaitAsleep();
                millis.add(emitAndAwait(producer, handled, i, NOTICED).toMillis());
            }
            Collections.sort(millis);
            assertThat(millis.get(3)).as("median in ms of %s, poll 3 s", millis).isLessThan(500);
            long wire = node.leaderPid();
            assertThat(producer.text("select ssl from pg_stat_ssl where pid = " + wire))
                    .isEqualTo(url.contains("sslmode") ? "t" : "f");

            network.swallow();
            Duration took = emitAndAwait(producer, handled, 8, NOTICED);
            System.out.println("a half-open link delayed an event by " + took.toMillis() + " ms");
            assertThat(node.leaderPid()).isNotEqualTo(wire);
        }
        assertThat(handled).hasSize(8);
    }

    private static Duration emitAndAwait(Psql producer, List<Long> handled, int count, Duration most) {
        producer.emit("orders", "t" + count);
        long committed = System.nanoTime();
        Await.until("event " + count + " is handled", most, () -> handled.size() == count);
        return Duration.ofNanos(handled.get(count - 1) - committed);
    }

    /** The only node, so that no other one ends its sessions. */
    @Test
    void a_frozen_node_does_not_hold_back_vacuum() {
        String holders = "select count(*) from pg_stat_activity where datname = current_database()"
                + " and pid <> pg_backend_pid() and backend_xmin is not null";
        try (TestDatabase database = TestDatabase.create()) {
            Postrider.on(database.dataSource()).migrate();
            try (Psql psql = new Psql(database);
                    ChildJvm node = ChildJvm.of(NotificationFloodTest.Main.class)
                            .withArguments(database.jdbcUrl())
                            .start()) {
                node.awaitLine("ready", NOTICED);
                psql.emit("orders", "a");
                node.awaitLine("handled a", NOTICED);
                node.freeze();
                psql.emit("orders", "b");
                Await.until("an idle one holds nothing", () -> psql.number(holders) == 0);

                psql.execute("select count(pg_notify('postrider', repeat('x', 7900) || i))"
                        + " from generate_series(1, 3000) i");
                Await.until(
                        "its backend cannot write",
                        () -> psql.number(holders + " and wait_event = 'ClientWrite'") == 1);
                Await.until("its backend has ended", NOTICED, () -> psql.number(holders) == 0);

                node.resume();
                node.awaitLine("handled b", NOTICED);
            }
        }
    }

    /** A self-signed certificate for 127.0.0.1. */
    private record Certificate(Path file, Path key) {
        static Certificate make(Path directory) throws IOException, InterruptedException {
            Certificate made = new Certificate(directory.resolve("server.crt"), directory.resolve("server.key"));
            Process openssl = new ProcessBuilder(
                            "openssl",
                            "req",
                            "-x509",
                            "-newkey",
                            "rsa:2048",
                            "-nodes",
                            "-days",
                            "1",
                            "-subj",
                            "/CN=127.0.0.1",
                            "-out",
                            made.file.toString(),
                            "-keyout",
                            made.key.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("said").toFile())
                    .start();
            assertThat(openssl.waitFor())
                    .as(Files.readString(directory.resolve("said")))
                    .isZero();
            return made;
        }
    }
}
