package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A WebSocket that sends frames of any kind without end is closed, before and after its hello. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class SocketFloodTest {
    private static final String UPGRADE = "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
    private static final String MASK = "\0\0\0\0";
    private static LiveServer server;

    @BeforeAll
    static void serve(TestDatabase database) {
        server = LiveServer.on(database);
    }

    @AfterAll
    static void end() {
        server.close();
    }

    private static String frame(int head, String text) {
        String length = text.length() < 126
                ? Character.toString((char) (0x80 | text.length()))
                : "\u00fe" + (char) (text.length() >> 8) + (char) (text.length() & 0xff);
        return (char) head + length + MASK + text;
    }

    private static RawHttp open() throws IOException {
        RawHttp socket = RawHttp.to(server);
        socket.send(UPGRADE).readUntil("\r\n\r\n");
        return socket;
    }

    private static void hello(RawHttp socket) throws IOException {
        socket.send(frame(
                        0x81,
                        "{\"type\":\"hello\",\"token\":\"" + server.user("ann", "acme")
                                + "\",\"topic\":\"orders\",\"rooms\":[\"user:ann\"]}"))
                .readUntil("\"position\"");
    }

    /** Whether the server closes the connection soon, and before the time for a hello is over. */
    private static boolean isClosed(RawHttp socket) throws IOException {
        socket.socket.setSoTimeout(4_000);
        try {
            socket.socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true; // reset: the server did not read the rest
        }
    }

    @ParameterizedTest
    @CsvSource({"0, false", "0, true", "138, false", "138, true"})
    void empty_pieces_and_pongs_without_end_close_it(int head, boolean saysHello) throws IOException {
        try (RawHttp socket = open()) {
            if (saysHello) {
                hello(socket);
            }
            if (head == 0) {
                socket.send(frame(0x01, ""));
            }
            try {
                socket.send(frame(head, "").repeat(20_000));
            } catch (SocketException e) {
                // closed already
            }
            assertThat(isClosed(socket)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void pings_without_end_close_it_although_all_pongs_are_read(boolean saysHello) throws IOException {
        try (RawHttp socket = open()) {
            if (saysHello) {
                hello(socket);
            }
            int pongs = 0;
            try {
                while (pongs < 2_000) {
                    socket.send(frame(0x89, "ping").repeat(10));
                    for (int i = 0; i < 10; i++) {
                        socket.readUntil("ping");
                        pongs++;
                    }
                }
            } catch (IOException e) {
                // closed
            }
            assertThat(pongs).as("pongs until it was closed").isLessThanOrEqualTo(1_000);
        }
    }

    /**
     * As many as a client may need: a token in small pieces, and pings now and then. On a busy machine a pong can take longer than
     * the 20 ms after which the server closes the socket, and a client connects again. Frames over the limit would always close it.
     */
    @Test
    void some_pings_and_a_hello_in_pieces_are_allowed() {
        String text = "{\"type\":\"hello\",\"token\":\"" + server.user("ann", "acme")
                + "\",\"topic\":\"orders\",\"rooms\":[\"user:ann\"]}";
        Await.until("the hello is accepted", () -> {
            try (RawHttp socket = open()) {
                socket.send(frame(0x01, text.substring(0, 20)));
                for (int i = 20; i < 60; i++) {
                    socket.send(frame(0x00, text.substring(i, i + 1)) + (i % 4 == 0 ? frame(0x89, "") : ""));
                }
                socket.send(frame(0x80, text.substring(60))).readUntil("\"position\"");
                return true;
            } catch (IOException e) {
                return false;
            }
        });
    }
}
