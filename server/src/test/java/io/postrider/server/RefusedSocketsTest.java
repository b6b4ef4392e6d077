package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A request that is no handshake opens no WebSocket, and one that was refused does not keep its connection. */
@PostgresTest
@Tag("security")
class RefusedSocketsTest {
    private static final String UPGRADE = "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

    /** A text frame of less than 126 bytes with a mask of zeros. */
    private static String frame(String text) {
        return "\u0081" + (char) (0x80 | text.length()) + "\0\0\0\0" + text;
    }

    @Test
    void the_connection_is_closed_soon_after_the_close_frame(TestDatabase database) throws IOException {
        try (LiveServer server = LiveServer.on(database);
                RawHttp socket = RawHttp.to(server)) {
            socket.socket.setSoTimeout(60_000);
            socket.send(UPGRADE).readUntil("\r\n\r\n");
            socket.send(frame("{\"type\":\"hello\",\"token\":\"forged\"}")).readUntil("refused"); // the close frame
            long begun = System.nanoTime();
            socket.readToEnd();
            // Tomcat waits 30 s for the answer to a close frame, and looks every 10 s.
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
        }
    }

    /** Tomcat keeps it as long as the WebSocket. */
    @Test
    void a_head_of_more_than_8_KB_is_no_handshake(TestDatabase database) throws IOException {
        String large = UPGRADE.replace("\r\n\r\n", "\r\nCookie: " + "c".repeat(8_192) + "\r\n\r\n");
        try (LiveServer server = LiveServer.on(database);
                RawHttp socket = RawHttp.to(server)) {
            assertThat(socket.send(large).readUntil("8192 characters")).startsWith("HTTP/1.1 400");
        }
    }

    @Test
    void only_a_get_is_a_handshake(TestDatabase database) throws IOException {
        String post = UPGRADE.replace("GET", "POST").replace("\r\n\r\n", "\r\nContent-Length: 1\r\n\r\nx");
        try (LiveServer server = LiveServer.on(database);
                RawHttp socket = RawHttp.to(server)) {
            assertThat(socket.send(post).readUntil("\r\n\r\n"))
                    .startsWith("HTTP/1.1 405")
                    .contains("Allow: GET\r\n");
        }
    }
}
