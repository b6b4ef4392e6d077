package io.postrider.gateway;

import io.postrider.testkit.Await;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.management.ObjectName;
import org.apache.tomcat.websocket.WsSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nothing of a WebSocket is kept after it was closed, also not until the time for its hello is over. */
@Tag("security")
class ClosedSocketsTest extends GatewayTestBase {
    private static final String UPGRADE = "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

    /** How many objects of a class there are after a garbage collection. */
    private static long reachable(Class<?> type) throws Exception {
        String histogram = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {null},
                        new String[] {String[].class.getName()});
        return histogram
                .lines()
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words.length >= 4 && words[3].equals(type.getName()))
                .mapToLong(words -> Long.parseLong(words[1]))
                .sum();
    }

    @Test
    void sockets_that_were_reset_are_not_reachable() throws Exception {
        try (Served served = serve(options().withHello(Duration.ofMinutes(1), 4096))) {
            for (int i = 0; i < 50; i++) {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.port)) {
                    socket.setSoTimeout(10_000);
                    socket.getOutputStream().write(UPGRADE.getBytes(StandardCharsets.US_ASCII));
                    socket.getInputStream().read();
                    socket.setSoLinger(true, 0); // closed by a reset
                }
            }
            // Tomcat may keep a few that it uses again.
            Await.until("the sessions are gone", Duration.ofSeconds(10), () -> reachable(WsSession.class) <= 5);
        }
    }
}
