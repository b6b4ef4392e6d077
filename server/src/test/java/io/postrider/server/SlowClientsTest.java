package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.io.OutputStream;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** More slow clients than the server has worker threads do not keep it from serving others. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class SlowClientsTest {
    private static final int CLIENTS = 300;
    private static final int NON_READERS = 400;
    private static final int PAGE = 8_000_000;
    private static final int UNREAD_PAGES = 20;
    private static final String EVENTS = "/v1/topics/orders/events";
    private static LiveServer server;

    @BeforeAll
    static void serve(TestDatabase database) {
        server = LiveServer.on(
                database, Map.of("postrider.http.body-timeout", "3s", "postrider.http.answer-timeout", "5s"));
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
        do {
            assertServed(Duration.ofSeconds(2));
        } while (System.nanoTime() - until < 0);
    }

    private static void assertServed(Duration limit) {
        assertInTime(
                limit,
                () -> assertThat(server.get(null, "/health/live").status()).isEqualTo(200));
        assertInTime(
                limit,
                () -> assertThat(server.post(server.operator(), EVENTS, "{\"type\":\"a\",\"payload\":1}")
                                .status())
                        .isEqualTo(201));
    }

    private static void assertInTime(Duration limit, Runnable request) {
        long begun = System.nanoTime();
        request.run();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(limit);
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
        "POST /postrider.js, none, Content-Length: 100000, 405"
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

    /** Requests whose answers do not fit into the buffer of a socket, which takes about 100 KB: 92 KB, and then these. */
    private static String pipelined(String path) {
        return get("/v1/openapi.json") + get("/postrider.js") + get(path).repeat(50);
    }

    private static String get(String path) {
        return head("GET " + path, "") + "\r\n";
    }

    private static double unreadBytes() {
        return server.server()
                .bean(MeterRegistry.class)
                .get("postrider_http_unread_bytes")
                .gauge()
                .value();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/openapi.json",
                "/postrider.js",
                "/metrics",
                "/v1/queues",
                "/health/live",
                "/v1/stream",
                "/not/there"
            })
    void answers_that_nobody_reads_hold_no_worker(String path) throws IOException {
        try (NonReaders crowd = new NonReaders(server.port(), pipelined(path)).connect(NON_READERS)) {
            crowd.awaitAnswers(150); // as many as used to stop the API, for 10 s
            for (int i = 0; i < 3; i++) {
                assertServed(Duration.ofSeconds(6));
            }
        }
    }

    @Test
    void large_pages_that_a_user_does_not_read_take_bounded_memory_and_hold_up_nobody_else() throws IOException {
        String ann = server.user("ann", "acme");
        String path = "/v1/topics/pages/events?limit=100";
        emitPage(path, ann);
        double most = Runtime.getRuntime().maxMemory() / 8.0;
        try (NonReaders crowd = new NonReaders(server.port(), head("GET " + path, ann) + "\r\n")) {
            for (int pages = 10; pages <= UNREAD_PAGES; pages += 10) { // the limit on readers would refuse more at once
                crowd.connect(10).awaitAnswers(pages);
                assertThat(unreadBytes()).isBetween(1.0, most / 4);
            }
            assertServed(Duration.ofSeconds(6));
            assertThat(server.get(server.user("bob", "other"), path).status()).isEqualTo(200);
            for (int client = 0; client < UNREAD_PAGES; client++) {
                assertThat(crowd.status(client)).isIn("HTTP/1.1 200", "HTTP/1.1 503");
            }
        }
        Await.until("all of it is released", Duration.ofSeconds(30), () -> unreadBytes() == 0);
        assertThat(server.get(ann, path).text().length()).isGreaterThan(PAGE);
    }

    /** Events of ann that fill more than one page. */
    private static void emitPage(String path, String ann) {
        String event = "{\"type\":\"t\",\"project_id\":\"acme\",\"user_id\":\"ann\",\"payload\":\""
                + "x".repeat(PAGE / 32) + "\"}";
        for (int i = 0; i < 34; i++) {
            assertThat(server.post(server.operator(), "/v1/topics/pages/events", event)
                            .status())
                    .isEqualTo(201);
        }
        Await.until(
                "the page is full",
                Duration.ofSeconds(60),
                () -> server.get(ann, path).text().length() > PAGE);
    }

    @Test
    void a_client_that_reads_an_answer_slowly_is_cut_at_the_deadline() throws Exception {
        String ann = server.user("ann", "slow");
        String path = "/v1/topics/slow/events?limit=100";
        String event = "{\"type\":\"t\",\"project_id\":\"slow\",\"user_id\":\"ann\",\"payload\":\""
                + "x".repeat(200_000) + "\"}";
        for (int i = 0; i < 10; i++) {
            server.post(server.operator(), "/v1/topics/slow/events", event);
        }
        Await.until(
                "the events are recorded",
                Duration.ofSeconds(60),
                () -> server.get(ann, path).text().length() > 2_000_000);
        try (NonReaders one = new NonReaders(server.port(), head("GET " + path, ann) + "\r\n").connect(1)) {
            one.awaitAnswers(1);
            Await.until("the deadline has passed", Duration.ofSeconds(30), () -> {
                one.input(0).readNBytes(256); // progress, so that no idle timeout ends it
                return unreadBytes() == 0;
            });
            long read = one.input(0).transferTo(OutputStream.nullOutputStream());
            assertThat(read).as("what the kernel still had, and not the answer").isLessThan(1_000_000);
        }
        assertThat(server.get(ann, path).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"good, HTTP/1.1 100", "none, HTTP/1.1 401"})
    void a_client_that_asks_whether_to_send_its_body_is_answered_after_its_token_was_checked(String who, String first)
            throws IOException {
        String body = "{\"type\":\"a\",\"payload\":1}";
        String head = head("POST " + EVENTS, who.equals("good") ? server.operator() : "")
                + "Connection: close\r\nExpect: 100-continue\r\nContent-Length: " + body.length() + "\r\n\r\n";
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo(first);
            if (who.equals("good")) {
                socket.getOutputStream().write(body.getBytes(StandardCharsets.US_ASCII));
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                        .contains("HTTP/1.1 201");
            }
        }
    }
}
