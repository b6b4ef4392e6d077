package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.gateway.Identity.Reach;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients cannot exhaust the heap of a server, here of 96 MB, in a process that ends with an OutOfMemoryError. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class SmallHeapTest {
    private static final Duration START = Duration.ofSeconds(120);
    private static final Duration ANSWER = Duration.ofSeconds(60);
    private static final int BODIES = 60;
    private static final int HEADS = 4_000;
    private static final int PARAMETERS = 600;
    private static final int SOCKETS = 1_500;
    private static final String NEST = "[".repeat(190) + "]".repeat(190) + ",";
    private static ChildJvm server;
    private static int port;
    private static final String SECRET = LiveServer.newSecret();

    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(ANSWER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    private static TestDatabase database;

    @BeforeAll
    static void serve(TestDatabase given) {
        database = given;
        Map<String, String> settings = LiveServer.settings(database, SECRET);
        settings.put("postrider.http.head-timeout", "1m"); // no head is late while it is attacked
        settings.put("server.tomcat.connection-timeout", "1m");
        ChildJvm.Launch launch = ChildJvm.of(SplitProcessTest.Main.class).withHeap("96m");
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            launch = launch.withProperty("given." + setting.getKey(), setting.getValue());
        }
        server = launch.start();
        port = Integer.parseInt(
                server.awaitLine("port ", START).substring("port ".length()).strip());
    }

    @AfterAll
    static void end() {
        server.close();
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(ANSWER);
    }

    private void assertAlive() throws Exception {
        assertThat(client.send(request("/health/live").build(), BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(200);
        assertThat(server.isAlive()).isTrue();
    }

    /** 25,000,000 arrays in 60 bodies of 190 KB: their trees would take 600 MB at once. */
    @Test
    void bodies_of_nested_json_at_once_do_not_exhaust_the_heap() throws Exception {
        String token = LiveServer.mint(SECRET).issue("root", null, Reach.ALL, LiveServer.HOUR);
        String body = "{\"type\":\"t\",\"payload\":[" + NEST.repeat(500) + "1]}";
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < BODIES; i++) {
            answers.add(client.sendAsync(
                    request("/v1/topics/orders/events")
                            .header("Authorization", "Bearer " + token)
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    BodyHandlers.ofString()));
        }
        Map<Integer, Integer> statuses = new TreeMap<>();
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            statuses.merge(answer.get(ANSWER.toSeconds(), TimeUnit.SECONDS).statusCode(), 1, Integer::sum);
        }
        assertThat(statuses.keySet()).isSubsetOf(201, 503).contains(201);
        assertAlive();
    }

    /** 24 pages of 8 MiB at once, by two users each of two projects. Mixed text takes two bytes a character in a string. */
    @Test
    void large_pages_that_are_read_at_once_do_not_exhaust_the_heap() throws Exception {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            // recorded already: the memory that recording takes is not the subject here
            statement.execute(
                    "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers,"
                            + " created_at, project_id, user_id) select 'pages', i, gen_random_uuid(), 'large',"
                            + " to_jsonb(repeat('x', 259000) || '\u90f5'), '{}', now(), 'p' || i % 2, 'u' || i % 4"
                            + " from generate_series(1, 160) i");
        }
        List<HttpRequest> reads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String token = LiveServer.mint(SECRET).issue("u" + i, "p" + i % 2, Reach.USER, LiveServer.HOUR);
            reads.add(request("/v1/topics/pages/events?limit=1000")
                    .header("Authorization", "Bearer " + token)
                    .build());
        }
        Map<Integer, Integer> statuses = new TreeMap<>();
        List<CompletableFuture<HttpResponse<Void>>> answers = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            answers.add(client.sendAsync(reads.get(i % 4), BodyHandlers.discarding()));
        }
        for (CompletableFuture<HttpResponse<Void>> answer : answers) {
            statuses.merge(answer.get(ANSWER.toSeconds(), TimeUnit.SECONDS).statusCode(), 1, Integer::sum);
        }
        assertThat(statuses.keySet()).isSubsetOf(200, 503).contains(200);
        assertAlive();
    }

    /** 1,500 connections of 70 KB would take 105 MB. The frames have one byte more than was sent. */
    @Test
    void sockets_that_have_not_said_hello_do_not_exhaust_the_heap() throws Exception {
        String begin = "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
                + "\u0081\u00fe\u003e\u0081\0\0\0\0" + "x".repeat(16_000);
        attack(SOCKETS, begin);
        assertAlive();
    }

    /** 600 connections of 125 KB would take 75 MB: the head of the upgrade, and a hello in pieces of three-byte characters. */
    @Test
    void unfinished_hellos_of_large_characters_do_not_exhaust_the_heap() throws Exception {
        String payload = "\u00e2\u0082\u00ac".repeat(1_022);
        String piece = "\u00fe\u000b\u00fa\0\0\0\0" + payload;
        String begin = "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                + ("X: " + "v".repeat(160) + "\r\n").repeat(45) + "\r\n"
                + "\u0001" + piece + ("\0" + piece).repeat(15) + "\0\u00dd" + "\0\0\0\0" + payload.substring(0, 93);
        attack(SOCKETS, begin);
        assertAlive();
    }

    /** 4,000 connections of 63 KB would take 250 MB. From several addresses, because each has only a share of the connections. */
    @Test
    void heads_that_are_not_complete_do_not_exhaust_the_heap() throws Exception {
        String begin = "GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Large: " + "x".repeat(12_000);
        attack(HEADS, begin);
        assertAlive();
    }

    /** 600 requests with 998 parameters each would take 210 MB until their bodies come. */
    @Test
    void parameters_of_requests_that_wait_for_their_bodies_do_not_exhaust_the_heap() throws Exception {
        String token = LiveServer.mint(SECRET).issue("ann", "shop", Reach.USER, LiveServer.HOUR);
        StringBuilder query = new StringBuilder("a=1");
        for (int i = 0; i < 997; i++) {
            query.append("&p").append(i).append("=%41");
        }
        attack(
                PARAMETERS,
                "POST /v1/topics/orders/events?" + query + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                        + token + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n");
        assertAlive();
    }

    private static void attack(int connections, String begin) throws IOException {
        List<RawHttp> attackers = new ArrayList<>();
        int refused = 0;
        try {
            for (int i = 0; i < connections; i++) {
                RawHttp attacker = RawHttp.from("127.0.0." + (2 + i % 20), port);
                attackers.add(attacker);
                try {
                    attacker.send(begin);
                } catch (IOException e) {
                    refused++; // the address has its share already
                }
            }
        } finally {
            for (RawHttp attacker : attackers) {
                attacker.close();
            }
        }
        assertThat(refused).isLessThan(connections - 200);
    }
}
