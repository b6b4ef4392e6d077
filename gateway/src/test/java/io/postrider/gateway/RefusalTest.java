package io.postrider.gateway;

import static io.postrider.gateway.Identity.Reach.ALL;
import static io.postrider.gateway.Identity.Reach.PROJECT;
import static io.postrider.gateway.Identity.Reach.USER;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is not let in, and what they are told. */
@Tag("security")
class RefusalTest extends GatewayTestBase {
    private Served served;

    @BeforeAll
    void open() throws Exception {
        served = serve(options()
                .withOrigins("https://chat.test", "http://localhost:3000")
                .withRooms(3));
    }

    @AfterAll
    void shut() throws Exception {
        served.close();
    }

    private String ann() {
        return served.token("ann", "p1", USER);
    }

    private SseClient stream(String token, String query, String... headers) throws Exception {
        return served.keep(SseClient.open(served.port, "/v1/stream?" + query, token, headers));
    }

    private void assertRefused(SseClient client, int status, String detail) throws Exception {
        assertThat(client.status()).isEqualTo(status);
        assertThat(client.header("Content-Type")).startsWith("application/problem+json");
        assertThat(client.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(client.body())
                .contains(
                        "\"type\":\"urn:postrider:problem:" + status,
                        "\"status\":" + status,
                        "\"title\":",
                        detail,
                        "\"next\":\"");
    }

    private String here(String more) {
        return "topic=" + served.topic + more;
    }

    // ── SSE ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_connection_without_a_token_is_refused() throws Exception {
        SseClient client = stream(null, here("&room=user:ann"));
        assertThat(client.header("WWW-Authenticate")).startsWith("Bearer");
        assertRefused(client, 401, "token");
    }

    @Test
    void a_malformed_token_is_refused() throws Exception {
        SseClient client = stream("abc", here("&room=user:ann"));
        assertThat(client.header("WWW-Authenticate")).startsWith("Bearer");
        assertRefused(client, 401, "JWT");
    }

    @Test
    void a_token_in_the_url_is_refused_even_if_it_is_right() throws Exception {
        assertRefused(stream(ann(), here("&room=user:ann&token=x")), 400, "URL");
        assertRefused(stream(null, here("&room=user:ann&access_token=" + ann())), 400, "URL");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "user",
                "user:",
                "ann",
                "*",
                "user:*",
                "project:",
                "USER:ann",
                "User:ann",
                "user:ann%20",
                "%20user:ann",
                "user:ann%00",
                "user:a%0d%0ab",
                "user:%D0%B0nn",
                "project:../p1",
                "user:ann/..",
                "user:ann%2F..%2Fbob",
                "room:ann",
                "user::",
                "users:ann",
                "user:%2A",
                "user:%23",
                "user:ann,bob",
                "user:%C3%A4nn"
            })
    void a_malformed_room_is_refused(String room) throws Exception {
        SseClient client = stream(ann(), here("&room=" + room));
        assertThat(client.status()).isIn(400, 403);
        assertThat(client.body()).contains("\"status\":" + client.status());
    }

    @Test
    void a_room_of_ten_thousand_letters_is_refused() throws Exception {
        SseClient client = stream(ann(), here("&room=user:" + "a".repeat(5_000)));
        assertRefused(client, 400, "room");
    }

    @Test
    void no_room_and_too_many_rooms_are_refused() throws Exception {
        assertRefused(stream(ann(), here("")), 400, "rooms");
        assertRefused(stream(ann(), here("&room=user:ann&room=user:ann&room=user:ann&room=user:ann")), 400, "rooms");
    }

    @Test
    void rooms_outside_the_tokens_reach_are_refused() throws Exception {
        assertRefused(stream(ann(), here("&room=user:bob")), 403, "user:bob");
        assertRefused(stream(ann(), here("&room=project:p1")), 403, "project:p1");
        assertRefused(stream(ann(), here("&room=user:ann&room=user:bob")), 403, "user:bob");
        assertRefused(stream(served.token("ann", "p1", PROJECT), here("&room=project:p2")), 403, "project:p2");
        assertRefused(stream(served.token("p2", "p1", PROJECT), here("&room=project:p2")), 403, "project:p2");
    }

    @Test
    void an_operator_hears_every_room() throws Exception {
        assertThat(stream(served.token("root", null, ALL), here("&room=project:p2&room=user:bob"))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void an_unknown_topic_is_not_found() throws Exception {
        assertRefused(stream(ann(), "topic=nowhere&room=user:ann"), 404, "nowhere");
        assertRefused(stream(ann(), "room=user:ann"), 400, "topic must be given");
        assertRefused(stream(ann(), "topic=&room=user:ann"), 400, "topic must be given");
        assertRefused(stream(ann(), here("&topic=b&room=user:ann")), 400, "once");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "1.5", "x", "1e3", "9999999999999999999", "0x10", "%201", "1;drop"})
    void a_malformed_position_is_refused(String position) throws Exception {
        assertRefused(stream(ann(), here("&room=user:ann&position=" + position)), 400, "position");
    }

    @ParameterizedTest
    @ValueSource(strings = {"positon=0", "x=1", "Position=0", "rooms=user:ann", "x"})
    void an_unknown_parameter_is_refused_by_name(String more) throws Exception {
        String name = more.split("=", 2)[0];
        assertRefused(stream(ann(), here("&room=user:ann&" + more)), 400, "unknown parameter '" + name + "'");
    }

    @Test
    void another_method_is_refused() throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(served.url("/v1/stream?" + here("&room=user:ann"))))
                                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(answer.headers().firstValue("Allow")).contains("GET, OPTIONS");
    }

    // ── origins ─────────────────────────────────────────────────────────────────────────────────────────────────────

    /** By hand: the JDK's client does not let an origin be set. */
    private String raw(String head) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.port)) {
            socket.setSoTimeout(20_000);
            OutputStream out = socket.getOutputStream();
            out.write(head.getBytes(StandardCharsets.US_ASCII));
            out.flush();
            InputStream in = socket.getInputStream();
            byte[] answer = new byte[4096];
            int read = in.read(answer);
            return new String(answer, 0, Math.max(read, 0), StandardCharsets.US_ASCII);
        }
    }

    private String get(String origin) throws Exception {
        return raw("GET /v1/stream?" + here("&room=user:ann") + " HTTP/1.1\r\nHost: 127.0.0.1:" + served.port
                + "\r\nAuthorization: Bearer " + ann() + "\r\nOrigin: " + origin + "\r\n\r\n");
    }

    private String upgrade(String origin, String host) throws Exception {
        return raw("GET /v1/socket HTTP/1.1\r\nHost: " + host
                + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: " + origin + "\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.test",
                "null",
                "http://chat.test",
                "https://chat.test.evil.test",
                "https://evilchat.test",
                "https://chat.test:8443",
                "https://chat.test@evil.test",
                "https://chat.test/",
                "https://xchat.test",
                "file://",
                "chat.test",
                "http://localhost",
                "*"
            })
    void a_page_from_elsewhere_may_not_connect(String origin) throws Exception {
        String stream = get(origin);
        assertThat(stream).startsWith("HTTP/1.1 403").doesNotContain("Access-Control-Allow-Origin");
        assertThat(upgrade(origin, "127.0.0.1:" + served.port)).startsWith("HTTP/1.1 403");
    }

    @Test
    void a_page_on_the_list_may() throws Exception {
        for (String origin : List.of("https://chat.test", "https://chat.test:443", "http://localhost:3000")) {
            assertThat(get(origin))
                    .startsWith("HTTP/1.1 200")
                    .contains("Access-Control-Allow-Origin: " + origin)
                    .doesNotContain("Allow-Credentials");
            assertThat(upgrade(origin, "127.0.0.1:" + served.port)).startsWith("HTTP/1.1 101");
        }
    }

    @Test
    void a_preflight_is_answered_for_the_list_only() throws Exception {
        String ask = "OPTIONS /v1/stream HTTP/1.1\r\nHost: x\r\nAccess-Control-Request-Method: GET\r\n"
                + "Access-Control-Request-Headers: authorization\r\nOrigin: ";
        assertThat(raw(ask + "https://chat.test\r\n\r\n"))
                .startsWith("HTTP/1.1 204")
                .contains("Access-Control-Allow-Headers: Authorization");
        assertThat(raw(ask + "https://evil.test\r\n\r\n")).startsWith("HTTP/1.1 403");
    }

    @Test
    void the_same_host_may_if_that_is_wanted() {
        Origins same = Origins.NONE.withSameOrigin(true);
        assertThat(same.allows("https://chat.test", "chat.test", false))
                .as("a proxy has ended TLS")
                .isTrue();
        assertThat(same.allows("https://chat.test", "chat.test:443", false)).isTrue();
        assertThat(same.allows("https://chat.test:443", "chat.test", true)).isTrue();
        assertThat(same.allows("http://chat.test:8080", "chat.test:8080", false))
                .isTrue();
        assertThat(same.allows("HTTP://Chat.Test", "chat.TEST:80", false)).isTrue();
        assertThat(same.allows("http://chat.test", "chat.test", true))
                .as("asked by https, a page by http")
                .isFalse();
        assertThat(same.allows("http://chat.test:8080", "chat.test", false)).isFalse();
        assertThat(same.allows("https://chat.test", "chat.test:80", false)).isFalse();
        assertThat(Origins.NONE.allows("https://chat.test", "chat.test", false)).isFalse();
        assertThat(Origins.NONE.allows(null, "chat.test", false)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "",
                "https://evil.test",
                "https://chat.test.evil.test",
                "https://evilchat.test",
                "https://chat.test/",
                "https://chat.test@evil.test",
                "https://chat.test:444",
                "//chat.test",
                "file://chat.test",
                "chat.test",
                "https://chat.test https://evil.test",
                "https://chat.test\u0000"
            })
    void nothing_that_only_looks_like_it_is_the_same_host_or_on_the_list(String origin) {
        Origins both = Origins.of(true, "https://chat.test");
        assertThat(both.allows(origin, "chat.test", false)).isFalse();
        assertThat(both.allows(origin, "chat.test", true)).isFalse();
    }

    @Test
    void a_header_of_ten_megabytes_ends_that_request_alone() throws Exception {
        String head = "GET /v1/stream HTTP/1.1\r\nHost: x\r\nX: " + "a".repeat(10_000_000) + "\r\n\r\n";
        try {
            assertThat(raw(head)).startsWith("HTTP/1.1 4");
        } catch (java.net.SocketException e) {
            // closed while we were still writing: refused as well
        }
        assertThat(stream(ann(), here("&room=user:ann")).status()).isEqualTo(200);
    }

    // ── WebSocket ───────────────────────────────────────────────────────────────────────────────────────────────────

    private void assertRefused(SocketClient client, int code, String detail) {
        assertThat(client.await("error").json()).contains("\"status\":" + (code - 4000), detail);
        assertThat(client.awaitClose()).isEqualTo(code);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hello",
                "[]",
                "null",
                "7",
                "{",
                "{}",
                "{\"type\":\"hello\"}",
                "{\"type\":\"token\",\"token\":\"x\"}",
                "{\"type\":\"subscribe\"}",
                "{\"type\":\"hello\",\"type\":\"hello\"}",
                "{\"type\":\"hello\",\"token\":\"x\",\"topic\":\"t\",\"rooms\":\"user:ann\"}",
                "{\"type\":\"hello\",\"token\":\"x\",\"topic\":\"t\",\"rooms\":[7]}",
                "{\"type\":\"hello\",\"token\":7,\"topic\":\"t\",\"rooms\":[\"user:ann\"]}",
                "{\"type\":\"hello\",\"token\":\"x\",\"topic\":\"t\",\"rooms\":[],\"position\":\"7\"}",
                "{\"type\":\"hello\",\"token\":\"x\",\"topic\":\"t\",\"rooms\":[],\"position\":1.5}",
                "{\"type\":\"hello\",\"token\":\"x\",\"topic\":\"t\",\"rooms\":[],\"position\":99999999999999999999}",
                "{\"type\":\"hello\"} {}",
                "\u0000",
                "{\"a\":[[[[[[[[[[[[1]]]]]]]]]]]]}"
            })
    void a_first_frame_that_is_no_hello_is_refused(String text) throws Exception {
        SocketClient client = served.socket();
        client.send(text);
        assertRefused(client, 4400, "");
    }

    @Test
    void a_hello_is_looked_at_like_any_other_request() throws Exception {
        SocketClient client = served.socket("abc", null, "user:ann");
        assertRefused(client, 4401, "JWT");
        assertRefused(served.socket(ann(), null, "user:bob"), 4403, "user:bob");
        assertRefused(served.socket(ann(), null, "project:p1"), 4403, "project:p1");
        assertRefused(served.socket(ann(), null, "user:*"), 4400, "room");
        assertRefused(served.socket(ann(), null), 4400, "rooms");
        assertRefused(served.socket(ann(), -5L, "user:ann"), 4400, "position");
        SocketClient other = served.socket();
        other.hello(ann(), "nowhere", null, "user:ann");
        assertRefused(other, 4404, "nowhere");
    }

    @Test
    void an_unknown_field_of_hello_is_refused_by_name() throws Exception {
        SocketClient client = served.socket();
        client.send("{\"type\":\"hello\",\"token\":\"" + ann() + "\",\"topic\":\"" + served.topic
                + "\",\"rooms\":[\"user:ann\"],\"positon\":0}");
        assertRefused(client, 4400, "unknown field of hello 'positon'");
    }

    /** The container keeps it as long as the WebSocket. */
    @Test
    void a_large_head_of_an_upgrade_is_refused() throws Exception {
        String upgrade = "GET /v1/socket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        assertThat(raw(upgrade + "X: y\r\n".repeat(46) + "\r\n"))
                .startsWith("HTTP/1.1 400")
                .contains("at most 50 headers", "were 51");
        assertThat(raw(upgrade + "X: y\r\n".repeat(45) + "\r\n")).startsWith("HTTP/1.1 101");
    }

    @Test
    void a_message_of_many_bytes_in_few_characters_ends_it() throws Exception {
        SocketClient large = served.socket();
        large.send("{\"type\":\"hello\",\"token\":\"" + "\u20ac".repeat(6_000) + "\"}");
        assertThat(large.awaitClose()).isEqualTo(1009);
    }

    @Test
    void a_frame_that_is_too_large_or_binary_ends_it() throws Exception {
        SocketClient large = served.socket();
        large.send("{\"type\":\"hello\",\"token\":\"" + "a".repeat(20_000) + "\"}");
        assertThat(large.awaitClose()).isEqualTo(1009);
        SocketClient binary = served.socket();
        binary.sendBinary("{\"type\":\"hello\"}".getBytes(StandardCharsets.US_ASCII));
        assertRefused(binary, 4400, "text");
    }

    @Test
    void after_hello_only_a_token_may_come() throws Exception {
        SocketClient client = served.socket(ann(), null, "user:ann");
        client.await("position");
        client.send("{\"type\":\"hello\",\"token\":\"" + ann() + "\",\"topic\":\"x\",\"rooms\":[\"user:ann\"]}");
        assertThat(client.awaitClose()).isEqualTo(4400);
        assertThat(client.await("cut").json()).contains("\"refused\"");
    }

    @Test
    void a_flood_of_frames_is_cut() throws Exception {
        SocketClient client = served.socket(ann(), null, "user:ann");
        client.await("position");
        String renewal = "{\"type\":\"token\",\"token\":\"" + ann() + "\"}";
        try {
            for (int i = 0; i < 100; i++) {
                client.send(renewal);
            }
        } catch (ExecutionException e) {
            // cut while it was still sending
        }
        assertThat(client.awaitClose()).isEqualTo(4429);
    }

    @Test
    void a_socket_url_with_a_query_and_a_plain_get_are_refused() throws Exception {
        assertThat(raw("GET /v1/socket HTTP/1.1\r\nHost: x\r\n\r\n"))
                .startsWith("HTTP/1.1 400")
                .contains("WebSocket", "\"type\":\"urn:postrider:problem:400\"", "\"next\":\"");
        try {
            SocketClient.open("ws://127.0.0.1:" + served.port + "/v1/socket?token=" + ann(), builder -> builder);
            throw new AssertionError("was let in");
        } catch (ExecutionException e) {
            assertThat(((WebSocketHandshakeException) e.getCause())
                            .getResponse()
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void compression_is_not_offered() throws Exception {
        String answer =
                raw("GET /v1/socket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                        + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.1 101").doesNotContain("deflate");
    }

    // ── limits ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void limits_are_reported_and_places_are_freed() throws Exception {
        try (Served small = serve(options().withConnections(4, 2).withHello(Duration.ofSeconds(4), 4096))) {
            String ann = small.token("ann", "p1", USER);
            SocketClient first = small.socket(ann, null, "user:ann");
            first.await("position");
            small.sse(ann, "&room=user:ann").await("position");
            SseClient third = small.sse(ann, "&room=user:ann");
            assertThat(third.header("Retry-After")).isNotEmpty();
            assertRefused(third, 429, "connections");
            SocketClient thirdSocket = small.socket(ann, null, "user:ann");
            assertThat(thirdSocket.awaitClose()).isEqualTo(4429);
            String bob = small.token("bob", "p1", USER);
            small.sse(bob, "&room=user:bob").await("position");
            small.sse(small.token("zoe", "p1", USER), "&room=user:zoe").await("position");
            assertRefused(small.sse(small.token("yan", "p1", USER), "&room=user:yan"), 503, "connections");
            SocketClient silent = small.socket();
            assertRefused(silent, 4400, "hello");
            Await.until("the silent one is gone", () -> small.hub.connections() == 4);
            first.close();
            Await.until("a place is free", () -> small.hub.connections() == 3);
            small.sse(ann, "&room=user:ann").await("position");
        }
    }

    @Test
    void silent_sockets_do_not_block_other_clients() throws Exception {
        try (Served small = serve(options().withConnections(8, 8).withHello(Duration.ofSeconds(60), 4096))) {
            List<SocketClient> silent = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                silent.add(small.socket());
            }
            assertRefused(silent.get(0), 4503, "hello");
            for (int i = 0; i < 4; i++) {
                String ann = small.token("ann", "p1", USER);
                small.sse(ann, "&room=user:ann").await("position");
                small.socket(ann, null, "user:ann").await("position");
            }
            Await.until("all places are taken by those who are known", () -> small.hub.connections() >= 8);
            assertRefused(small.sse(small.token("bob", "p1", USER), "&room=user:bob"), 503, "connections");
        }
    }

    /** Has read all that came, so that closing it resets nothing: the gateway's first write to it is still taken. */
    private Socket plainStream(Served at, String token) throws Exception {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), at.port);
        socket.setSoTimeout(60_000);
        socket.getOutputStream()
                .write(("GET /v1/stream?topic=" + at.topic
                                + "&room=user:ann HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        StringBuilder seen = new StringBuilder();
        while (seen.indexOf("event: position") < 0 || !seen.toString().endsWith("\n\n")) {
            int next = socket.getInputStream().read();
            assertThat(next).as("it ended after " + seen).isNotNegative();
            seen.append((char) next);
        }
        return socket;
    }

    @Test
    void places_of_closed_streams_are_free_before_the_next_heartbeat() throws Exception {
        try (Served small = serve(options().withConnections(100, 20).withHeartbeat(Duration.ofMinutes(5)))) {
            String ann = small.token("ann", "p1", USER);
            List<Socket> streams = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                streams.add(plainStream(small, ann));
            }
            for (Socket stream : streams) {
                stream.close();
            }
            SseClient refused = small.sse(ann, "&room=user:ann");
            assertThat(refused.header("Retry-After")).isEqualTo("2");
            assertRefused(refused, 429, "close another first");
            Await.until(
                    "who tries again gets in",
                    Duration.ofSeconds(60),
                    () -> small.sse(ann, "&room=user:ann").status() == 200);
        }
    }

    @Test
    void a_client_that_retries_at_the_limit_disconnects_no_other_client() throws Exception {
        try (Served small = serve(options().withConnections(10, 1).withHeartbeat(Duration.ofMinutes(5)))) {
            String ann = small.token("ann", "p1", USER);
            SseClient open = small.sse(ann, "&room=user:ann");
            open.await("position");
            long began = System.nanoTime();
            for (int i = 0; i < 100; i++) {
                assertThat(small.sse(ann, "&room=user:ann").status()).isEqualTo(429);
            }
            open.await("a look whether it is there", frame -> open.frames().size() > 1);
            List<Seen> frames = open.frames();
            long seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds() + 1;
            assertThat(frames).as("one at the beginning, two a second").hasSizeLessThanOrEqualTo(1 + 2 * (int) seconds);
            assertThat(open.ended()).isFalse();
        }
    }
}
