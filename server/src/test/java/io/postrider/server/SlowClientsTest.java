package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** More slow clients than the server has worker threads do not keep it from serving others. */
@PostgresTest(per = PostgresTest.Per.CLASS)
class SlowClientsTest {
    private static final int CLIENTS = 300;
    private static final String EVENTS = "/v1/topics/orders/events";
    private static LiveServer server;

    @BeforeAll
    static void serve(TestDatabase database) {
        server = LiveServer.on(database, Map.of("postrider.http.body-timeout", "3s"));
    }

    @AfterAll
    static void end() {
        server.close();
    }

    /** Clients that send the same first bytes and then one byte per second. */
    private static final class Crowd implements AutoCloseable {
        private final List<Socket> sockets = new ArrayList<>();
        private final ScheduledExecutorService drip = Executors.newSingleThreadScheduledExecutor();

        Crowd(int port, String begin) throws IOException {
            for (int i = 0; i < CLIENTS; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(20_000);
                socket.getOutputStream().write(begin.getBytes(StandardCharsets.US_ASCII));
                sockets.add(socket);
            }
            drip.scheduleAtFixedRate(this::drop, 500, 1_000, TimeUnit.MILLISECONDS);
        }

        private void drop() {
            for (Socket socket : sockets) {
                try {
                    socket.getOutputStream().write('1');
                } catch (IOException e) {
                    // the server has closed it
                }
            }
        }

        String answer(int client) throws IOException {
            byte[] first = sockets.get(client).getInputStream().readNBytes(12);
            return new String(first, StandardCharsets.US_ASCII);
        }

        @Override
        public void close() throws IOException {
            drip.shutdownNow();
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static String head(String line, String token) {
        return line + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                + (token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n");
    }

    private static void assertServed() {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        String operator = server.operator();
        do {
            assertInTime(
                    () -> assertThat(server.get(null, "/health/live").status()).isEqualTo(200));
            assertInTime(() -> assertThat(server.post(operator, EVENTS, "{\"type\":\"a\",\"payload\":1}")
                            .status())
                    .isEqualTo(201));
        } while (System.nanoTime() - until < 0);
    }

    private static void assertInTime(Runnable request) {
        long begun = System.nanoTime();
        request.run();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @CsvSource({
        "POST /v1/topics/orders/events, none, Content-Length: 100000, 401",
        "POST /v1/topics/orders/events, none, Transfer-Encoding: chunked, 401",
        "POST /v1/topics/orders/events, forged, Content-Length: 100000, 401",
        "POST /v1/topics/orders/events, good, Content-Length: 100000, 408",
        "POST /v1/topics/orders/events, good, Transfer-Encoding: chunked, 408",
        "POST /v1/topics/orders/events, good, Content-Length: 100000000, 413",
        "POST /v1/no/such/route, good, Content-Length: 100000, 404",
        "POST /health/live, none, Content-Length: 100000, 405",
        "GET /health/live, none, Content-Length: 100000, 400",
        "GET /v1/stream?topic=orders&room=user:ann, good, Content-Length: 100000, 400",
        "POST /metrics, none, Transfer-Encoding: chunked, 405",
        "POST /postrider.js, none, Content-Length: 100000, 200"
    })
    void a_body_that_trickles_holds_no_worker(String line, String who, String length, String status)
            throws IOException {
        String token = who.equals("none") ? "" : who.equals("good") ? server.operator() : "forged";
        String begin = head(line, token) + length + "\r\n\r\n" + (length.endsWith("chunked") ? "ffff\r\n{" : "{");
        try (Crowd crowd = new Crowd(server.port(), begin)) {
            assertServed();
            for (int client = 0; client < CLIENTS; client += 50) {
                assertThat(crowd.answer(client)).isEqualTo("HTTP/1.1 " + status);
            }
        }
    }

    @Test
    void a_head_that_trickles_or_never_comes_holds_no_worker() throws IOException {
        try (Crowd slow = new Crowd(server.port(), "POST " + EVENTS + " HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
                Crowd silent = new Crowd(server.port(), "")) {
            assertServed();
        }
    }

    @Test
    void a_client_with_a_wrong_token_sees_its_answer_and_so_does_the_next_request_of_the_connection()
            throws IOException {
        String body = "{\"type\":\"a\",\"payload\":\"" + "x".repeat(100_000) + "\"}";
        for (int i = 0; i < 20; i++) {
            assertThat(server.post("forged", EVENTS, body).status()).isEqualTo(401);
            assertThat(server.post(server.operator(), EVENTS, body).status()).isEqualTo(201);
        }
    }

    @Test
    void bodies_that_are_being_read_are_bounded_together_and_let_go() throws IOException {
        String body = "x".repeat(250_000);
        String begin = head("POST " + EVENTS, server.operator()) + "Content-Length: 260000\r\n\r\n" + body;
        try (Crowd crowd = new Crowd(server.port(), begin)) {
            Await.until("all were told that their body is late, or too much at once", Duration.ofSeconds(20), () -> {
                for (int client = 0; client < CLIENTS; client += 50) {
                    assertThat(crowd.answer(client)).isIn("HTTP/1.1 408", "HTTP/1.1 503");
                }
                return true;
            });
        }
        assertServed();
    }
}
