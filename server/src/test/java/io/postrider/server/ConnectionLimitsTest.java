package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No client can occupy all connections of the server, by sending slowly or by opening many. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class ConnectionLimitsTest {
    private static final int MOST = 60;
    private static final String HEAD = "GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    private static LiveServer server;

    private final ScheduledExecutorService drip = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService clients = Executors.newCachedThreadPool();

    @BeforeAll
    static void serve(TestDatabase database) {
        server = LiveServer.on(
                database,
                Map.of("postrider.http.head-timeout", "2s", "server.tomcat.max-connections", Integer.toString(MOST)));
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @AfterEach
    void stop() {
        drip.shutdownNow();
        clients.shutdownNow();
    }

    private static String answer(RawHttp http) throws IOException {
        return http.readUntil("{\"status\":\"up\"}");
    }

    /** Sends this text again and again, more often than once per 10 s, until the server closes the connection. */
    private Duration timeUntilClosed(RawHttp http, String again) throws IOException {
        long begun = System.nanoTime();
        Future<?> dripping = drip.scheduleAtFixedRate(
                () -> {
                    try {
                        http.send(again);
                    } catch (IOException e) {
                        throw new IllegalStateException("closed by the server", e); // ends the schedule
                    }
                },
                0,
                200,
                TimeUnit.MILLISECONDS);
        http.readToEnd();
        dripping.cancel(true);
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    @Test
    void a_head_that_is_not_complete_in_time_is_closed() throws Exception {
        Map<String, String> heads = new LinkedHashMap<>();
        heads.put("", "x");
        heads.put("GET /health/l", "x");
        heads.put(HEAD, "X-Slow: 1\r\n");
        heads.put(HEAD + "X-Slow: ", "x");
        heads.put("\r\n", "\r\n");
        heads.put(HEAD + "X-Then: silence", "");
        Map<String, Future<Duration>> closed = new LinkedHashMap<>();
        heads.forEach((begin, again) -> closed.put(begin, clients.submit(() -> {
            try (RawHttp http = RawHttp.to(server)) {
                http.send(begin);
                return timeUntilClosed(http, again);
            }
        })));
        for (Map.Entry<String, Future<Duration>> one : closed.entrySet()) {
            assertThat(one.getValue().get())
                    .as(one.getKey())
                    .isBetween(Duration.ofMillis(1_500), Duration.ofSeconds(8)); // Tomcat's own timeout is 10 s
        }
    }

    @Test
    void the_deadline_holds_for_the_second_request_of_a_connection_too() throws IOException {
        try (RawHttp socket = RawHttp.to(server)) {
            socket.send(HEAD + "\r\n");
            answer(socket);
            socket.send(HEAD + "\r\n" + HEAD);
            answer(socket);
            assertThat(timeUntilClosed(socket, "X-Slow: 1\r\n")).isLessThan(Duration.ofSeconds(8));
        }
    }

    @Test
    void the_deadline_of_a_head_is_none_for_the_connection() throws Exception {
        try (RawHttp socket = RawHttp.to(server)) {
            AtomicInteger answers = new AtomicInteger();
            Await.until("requests in pieces, for longer than the deadline", Duration.ofSeconds(60), () -> {
                socket.send(HEAD.substring(0, 20));
                TimeUnit.MILLISECONDS.sleep(400); // the head is slow, and in time
                socket.send(HEAD.substring(20) + "\r\n");
                answer(socket);
                return answers.incrementAndGet() == 8;
            });
        }
    }

    @Test
    void one_address_leaves_room_for_the_others(TestDatabase database) throws IOException {
        List<RawHttp> attackers = new ArrayList<>();
        // No head is late before the probe gives up, after 20 s.
        Map<String, String> settings = Map.of(
                "postrider.http.head-timeout", "1m",
                "server.tomcat.connection-timeout", "1m",
                "server.tomcat.max-connections", Integer.toString(MOST));
        try (LiveServer crowded = LiveServer.on(database, settings)) {
            for (int i = 0; i < 3 * MOST; i++) {
                RawHttp attacker = RawHttp.from("127.0.0.2", crowded);
                attackers.add(attacker);
                attacker.send(HEAD);
            }
            try (RawHttp probe = RawHttp.to(crowded)) {
                probe.send(HEAD + "\r\n");
                assertThat(answer(probe)).startsWith("HTTP/1.1 200");
            }
        } finally {
            for (RawHttp attacker : attackers) {
                attacker.close();
            }
        }
    }

    @Test
    void connections_that_are_closed_are_no_longer_counted() throws IOException {
        for (int i = 0; i < 4 * MOST; i++) {
            try (RawHttp socket = RawHttp.from("127.0.0.3", server)) {
                socket.send(HEAD + "Connection: close\r\n\r\n");
                assertThat(answer(socket)).startsWith("HTTP/1.1 200");
                assertThat(socket.readToEnd()).isEmpty();
            }
        }
    }

    @Test
    void an_operator_can_set_the_connections_of_one_address(TestDatabase database) throws IOException {
        try (LiveServer strict = LiveServer.on(database, Map.of("postrider.http.connections-per-address", "2"));
                RawHttp first = RawHttp.from("127.0.0.2", strict);
                RawHttp second = RawHttp.from("127.0.0.2", strict);
                RawHttp third = RawHttp.from("127.0.0.2", strict);
                RawHttp other = RawHttp.from("127.0.0.1", strict)) {
            assertThat(third.readToEnd()).isEmpty();
            for (RawHttp socket : List.of(first, second, other)) {
                socket.send(HEAD + "\r\n");
                assertThat(answer(socket)).startsWith("HTTP/1.1 200");
            }
        }
    }
}
