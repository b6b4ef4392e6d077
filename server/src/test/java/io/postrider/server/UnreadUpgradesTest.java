package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that do not read the answer to an upgrade keep no places of the gateway, and no other client from its upgrade. */
@PostgresTest
@Tag("security")
class UnreadUpgradesTest {
    private static final int FEW = 30;
    private static final int MANY = 80;
    private static final String UPGRADE = "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }

    /** Behind enough answers that the socket's buffers have no room for the answer to the upgrade. */
    private static Socket nonReader(int port, int answers) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(2048); // before it connects, or the window is large already
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.getOutputStream()
                .write((get("/postrider.js").repeat(3) + get("/health/live").repeat(answers) + UPGRADE)
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static double connections(LiveServer server) {
        return server.server()
                .bean(MeterRegistry.class)
                .get("postrider_gateway_connections")
                .gauge()
                .value();
    }

    /**
     * With few answers the upgrade is answered, and with many it is not even read. In between there is a number that leaves less room
     * than the answer to the upgrade needs, because it is larger than the others.
     */
    @Test
    void upgrades_behind_answers_that_nobody_reads_keep_no_place(TestDatabase database) throws IOException {
        List<Socket> nonReaders = new ArrayList<>();
        try (LiveServer server = LiveServer.on(database)) {
            try {
                for (int answers = FEW; answers < MANY; answers++) {
                    nonReaders.add(nonReader(server.port(), answers));
                }
                Await.until("one with few answers is open", Duration.ofSeconds(8), () -> connections(server) >= 1);
                try (RawHttp later = RawHttp.to(server)) {
                    assertThat(later.send(UPGRADE).readUntil("\r\n\r\n")).startsWith("HTTP/1.1 101");
                }
                assertThat(connections(server)).isLessThan((MANY - FEW) / 2);
            } finally {
                for (Socket socket : nonReaders) {
                    socket.close();
                }
            }
            // A client that was upgraded and left is noticed when the time for its hello, 10 s, is over.
            Await.until("all places are free", Duration.ofSeconds(30), () -> connections(server) == 0);
        }
    }
}
