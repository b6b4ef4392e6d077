package io.postrider.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A place is not lost when the answer to an upgrade is never sent, so that no WebSocket is opened or closed. */
@Tag("security")
class LostUpgradesTest extends GatewayTestBase {
    private static final String UPGRADE = "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

    /** Closes the connection instead of sending the answer. */
    private static final class NoAnswer extends ValveBase {
        @Override
        public void invoke(Request request, Response response) throws IOException, ServletException {
            getNext().invoke(request, response);
            if (response.getStatus() == 101) {
                response.getCoyoteResponse().action(ActionCode.CLOSE_NOW, null);
            }
        }
    }

    private static void loseUpgrades(Served served, int upgrades) throws IOException {
        NoAnswer valve = new NoAnswer();
        served.add(valve);
        for (int i = 0; i < upgrades; i++) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.port)) {
                socket.setSoTimeout(10_000);
                socket.getOutputStream().write(UPGRADE.getBytes(StandardCharsets.US_ASCII));
                assertThat(socket.getInputStream().read()).isNegative();
            }
        }
        served.remove(valve);
    }

    @Test
    void their_places_are_taken_by_connections_that_come_later() throws Exception {
        try (Served small = serve(options().withConnections(8, 8).withHello(Duration.ofSeconds(60), 4096))) {
            loseUpgrades(small, 10);
            String ann = small.token("ann", "p1", Identity.Reach.USER);
            small.socket(ann, null, "user:ann").await("position");
            small.sse(ann, "&room=user:ann").await("position");
        }
    }

    @Test
    void their_places_are_free_when_no_hello_can_come_any_more() throws Exception {
        try (Served served = serve(options().withHello(Duration.ofMillis(500), 4096))) {
            loseUpgrades(served, 10);
            Await.until("nobody is connected", Duration.ofSeconds(10), () -> served.hub.connections() == 0);
        }
    }
}
