package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With larger heads, which Spring's settings allow, the server accepts fewer connections instead of running out of memory. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
@Tag("slow")
class LargeHeadsTest {
    /** Fewer than the connections that the kernel keeps waiting (100) and those that the server accepts (22). */
    private static final int CONNECTIONS = 110;

    /** 110 connections with a buffer of 1 MB each would take more than the heap of 96 MB. */
    @Test
    void half_heads_do_not_exhaust_the_heap(TestDatabase database) throws Exception {
        Map<String, String> settings = LiveServer.settings(database, LiveServer.newSecret());
        settings.put("server.max-http-request-header-size", "1MB");
        settings.put("postrider.http.head-timeout", "1m");
        settings.put("server.tomcat.connection-timeout", "1m");
        ChildJvm.Launch launch = ChildJvm.of(SplitProcessTest.Main.class).withHeap("96m");
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            launch = launch.withProperty("given." + setting.getKey(), setting.getValue());
        }
        try (ChildJvm server = launch.start()) {
            String line = server.awaitLine("port ", Duration.ofSeconds(120));
            int port = Integer.parseInt(line.substring("port ".length()).strip());
            attack(port);
            try (RawHttp http = RawHttp.from("127.0.0.1", port)) {
                assertThat(http.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                                .readToEnd())
                        .startsWith("HTTP/1.1 200");
            }
            assertThat(server.isAlive()).isTrue();
        }
    }

    private static void attack(int port) throws IOException {
        List<RawHttp> attackers = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                RawHttp attacker = RawHttp.from("127.0.0." + (2 + i % 20), port);
                attackers.add(attacker);
                try {
                    attacker.send("GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Large: ");
                } catch (IOException e) {
                    // the address has its share already
                }
            }
        } finally {
            for (RawHttp attacker : attackers) {
                attacker.close();
            }
        }
    }
}
