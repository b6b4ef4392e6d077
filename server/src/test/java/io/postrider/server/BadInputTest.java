package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.server.LiveServer.Reply;
import io.postrider.server.api.Api;
import io.postrider.server.api.Route;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is sent by mistake or in malice gets the right status, a message that helps, and never a stack trace. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class BadInputTest {
    private static final String EVENTS = "/v1/topics/orders/events";
    private static LiveServer server;
    private static String operator;

    @BeforeAll
    static void serve(TestDatabase database) {
        server = LiveServer.on(database, Map.of("postrider.http.origins", "https://chat.example.org"));
        operator = server.operator();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    private static void assertProblem(Reply reply, int status, String... words) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
        assertThat(reply.type()).isEqualTo("application/problem+json");
        assertThat(reply.json().path("status").asInt()).isEqualTo(status);
        assertThat(reply.json().path("title").asString()).isNotEmpty();
        assertThat(reply.json().path("next").asString()).isNotEmpty();
        assertThat(reply.text()).contains(words).doesNotContain("Exception", "\tat ", "org.postgresql", "io.postrider");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
                    '{"type":"a","payload":1'                            | not valid JSON
                    '{"type":"a","payload":1} {}'                        | unexpected text after
                    '{"type":"a","payload":1,"payload":2}'               | same name twice
                    '{"type":"a","payload":{"x":{"y":1,"y":2}}}'         | same name twice
                    '{"type":"a","paylod":1}'                            | did you mean
                    '{"type":"a"}'                                       | payload
                    '{"payload":1}'                                      | type
                    '{"type":7,"payload":1}'                             | must be a string
                    '{"type":"a b","payload":1}'                         | type must match
                    '{"type":"a","payload":"\\u0000"}'                   | NUL
                    '{"type":"a","payload":"\\ud800"}'                   | half a character
                    '{"type":"a","payload":1e999999}'                    | limit of 400
                    '{"type":"a","payload":{"x":[0,-2E-401]}}'           | /payload/x/1
                    '{"type":"a","payload":1e99999999999999}'            | limit of 400
                    '{"type":"a","payload":1,"headers":{"a":1}}'         | headers
                    '{"type":"a","payload":1,"headers":[]}'              | headers
                    '{"type":"a","payload":1,"id":"7"}'                  | id
                    '[]'                                                 | batch
                    '7'                                                  | object
                    'null'                                               | object
                    'nonsense'                                           | not valid JSON
                    '{"type":"a","payload":NaN}'                         | not valid JSON
                    """)
    void a_malformed_event_is_refused_by_name(String body, String word) {
        assertProblem(server.post(operator, EVENTS, body), 400, word);
    }

    @Test
    void an_empty_body_is_refused() {
        assertProblem(server.post(operator, EVENTS, ""), 400, "empty");
    }

    @Test
    void what_nests_too_deep_or_is_too_long_a_number_is_refused_before_it_is_built() {
        String deep = "{\"type\":\"a\",\"payload\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
        assertProblem(server.post(operator, EVENTS, deep), 400, "the nesting depth is limited to 200");
        String number = "{\"type\":\"a\",\"payload\":" + "9".repeat(200_000) + "}";
        assertProblem(server.post(operator, EVENTS, number), 400, "a number is limited to 1000 characters");
        String name = "{\"type\":\"a\",\"payload\":{\"" + "n".repeat(5_000) + "\":1}}";
        assertProblem(server.post(operator, EVENTS, name), 400, "a name is limited to 1024 characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e131071", "-1e131071", "1e-16383", "1e999999999"})
    void a_body_of_huge_numbers_is_refused_at_once(String number) {
        String bomb = "[" + (number + ",").repeat(7_499) + number + "]";
        for (String path : List.of(EVENTS, "/v1/queues/mail/jobs")) {
            long begun = System.nanoTime();
            assertProblem(
                    server.post(operator, path, "{\"type\":\"a\",\"payload\":" + bomb + "}"), 400, "/payload/0", "400");
            // Expanding the numbers took 12 s; on a busy machine any request can take a second.
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    void a_body_over_the_cap_is_refused_with_its_length_known_or_not() {
        String large = "{\"type\":\"a\",\"payload\":\"" + "x".repeat(400_000) + "\"}";
        assertProblem(server.post(operator, EVENTS, large), 413, "bytes");
        byte[] bytes = large.getBytes(StandardCharsets.UTF_8);
        Reply chunked = server.send(server.request(operator, EVENTS)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes))));
        assertProblem(chunked, 413, "bytes");
        String payload = "{\"type\":\"a\",\"payload\":\"" + "x".repeat(270_000) + "\"}";
        assertProblem(server.post(operator, EVENTS, payload), 413, "payload", "262144 bytes", "reference");
        assertProblem(server.post(operator, "/v1/queues/mail/jobs", payload), 413, "payload", "262144 bytes");
        // As it was sent it is under the cap; the database writes a space after each comma.
        String dense = "{\"type\":\"a\",\"payload\":[" + "1,".repeat(100_000) + "1]}";
        assertProblem(server.post(operator, EVENTS, dense), 413, "as PostgreSQL writes it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"key", "unique_key", "project_id", "user_id"})
    void a_nul_is_refused_by_the_name_of_its_field(String field) {
        String job = "{\"type\":\"a\",\"payload\":1,\"" + field + "\":\"a\\u0000b\"}";
        assertProblem(server.post(operator, "/v1/queues/mail/jobs", job), 400, ": " + field + " must not have NUL");
    }

    @Test
    void not_utf_8_is_refused() {
        Reply reply = server.send(server.request(operator, EVENTS)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(
                        new byte[] {'{', '"', 't', 'y', 'p', 'e', '"', ':', '"', (byte) 0xff, '"', '}'})));
        assertProblem(reply, 400, "UTF-8");
    }

    @ParameterizedTest
    @CsvSource({
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "application/jsonp"
    })
    void another_content_type_is_refused(String type) {
        Reply reply = server.send(server.request(operator, EVENTS)
                .header("Content-Type", type)
                .POST(BodyPublishers.ofString("{\"type\":\"a\",\"payload\":1}")));
        assertProblem(reply, 415, "application/json");
    }

    @Test
    void a_compressed_body_is_refused() {
        Reply reply = server.send(server.request(operator, EVENTS)
                .header("Content-Type", "application/json")
                .header("Content-Encoding", "gzip")
                .POST(BodyPublishers.ofByteArray(new byte[] {31, -117, 8})));
        assertProblem(reply, 415, "compressed");
    }

    @Test
    void an_answer_that_is_not_wanted_is_not_given() {
        assertProblem(
                server.send(server.request(operator, "/v1/listeners")
                        .header("Accept", "text/html")
                        .GET()),
                406,
                "json");
        assertThat(server.send(server.request(operator, "/v1/listeners")
                                .header("Accept", "text/html, application/*;q=0.5")
                                .GET())
                        .status())
                .isEqualTo(200);
    }

    @Test
    void what_is_not_there_and_what_cannot_be_done_there_differ() {
        assertProblem(server.get(operator, "/v1/nothing"), 404, "/v1/nothing");
        assertProblem(server.get(operator, "/nothing"), 404, "no route matches this address");
        assertProblem(server.get(operator, "/health/nothing"), 404, "/health/live");
        Reply reply = server.send(server.request(operator, "/v1/jobs").DELETE());
        assertProblem(reply, 405, "DELETE");
        assertThat(reply.response().headers().firstValue("Allow")).contains("GET");
        assertProblem(
                server.send(server.request(operator, "/v1/jobs").method("TRACE", BodyPublishers.noBody())),
                405,
                "method");
        assertProblem(server.send(server.request(operator, "/metrics").POST(BodyPublishers.noBody())), 405, "method");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    /v1/jobs                                     | queue must be given
                    /v1/jobs?queue=mail&limit=0                  | limit must be a number, 1..1000
                    /v1/jobs?queue=mail&limit=abc                | limit
                    /v1/jobs?queue=mail&queue=other              | 2 times
                    /v1/jobs?queue=mail&sate=DONE                | did you mean 'state'
                    /v1/jobs/7                                   | id
                    /v1/events/%00                               | id
                    /v1/topics/orders/events?after=-1            | after
                    /v1/topics/orders/events?after=9223372036854775808 | after must be a number
                    /v1/topics/orders/events?user_id=%00         | parameter user_id must not have NUL
                    /v1/analytics/counts?from=yesterday          | time such as
                    /v1/analytics/counts?by=colour               | by must be one of
                    /v1/dead-letters/x                           | number
                    /v1/jobs?queue=mail&%ff=1                    | percent-encoded UTF-8
                    /v1/stream?topic=orders&room=user:ann&%ff=1  | percent-encoded UTF-8
                    """)
    void a_malformed_parameter_is_refused_by_name(String path, String word) {
        Reply reply = server.get(operator, path);
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.type()).isEqualTo("application/problem+json");
        if (!path.endsWith("/%00")) {
            assertProblem(reply, 400, word);
        }
    }

    @Test
    void more_parameters_than_the_container_reads_are_refused_in_our_words() {
        for (String path : List.of("/v1/jobs?queue=mail", "/v1/stream?topic=orders&room=user:ann")) {
            assertProblem(server.get(operator, path + "&a=b".repeat(60)), 400, "at most 60 parameters");
        }
    }

    /** Parameters of 2,900 requests that waited for their bodies exhausted a heap of 512 MB. */
    @ParameterizedTest
    @ValueSource(strings = {"/v1/topics/orders/events", "/v1/queues/mail/jobs", "/v1/tokens/revoke"})
    void parameters_are_refused_before_the_body_is_awaited(String path) throws IOException {
        for (Map.Entry<String, String> query : Map.of(
                        "limit=1", "unknown parameter 'limit'", "a=b&".repeat(998), "at most 60 parameters")
                .entrySet()) {
            try (RawHttp raw = RawHttp.to(server)) {
                raw.send(
                        "POST " + path + "?" + query.getKey() + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                                + operator + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n");
                raw.socket.setSoTimeout(5_000); // less than postrider.http.body-timeout
                assertThat(raw.readUntil("HTTP/1.1 400")).isNotEmpty();
                assertThat(raw.readUntil(query.getValue())).isNotEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u202e", "\u2066", "\u200f", "\u0085", "\u009b", "\u001b[31m", "\ufeff", "\u2028"})
    void control_characters_are_not_repeated_in_errors(String character) {
        String escaped =
                character.chars().mapToObj(c -> String.format("\\u%04x", c)).collect(Collectors.joining());
        for (String body : List.of(
                "{\"type\":\"a" + escaped + "b\",\"payload\":1}",
                "{\"type\":\"a\",\"payload\":1,\"headers\":{\"b" + escaped + "\":1}}",
                "{\"type\":\"a\",\"payload\":1,\"b" + escaped + "\":1}")) {
            Reply reply = server.post(operator, EVENTS, body);
            assertProblem(reply, 400, "detail");
            assertThat(reply.detail()).doesNotContain(character);
            assertThat(reply.text()).isPrintable();
        }
        assertThat(server.get(
                                operator,
                                "/v1/listeners/" + java.net.URLEncoder.encode("a" + character, StandardCharsets.UTF_8))
                        .detail())
                .doesNotContain(character);
    }

    @Test
    void two_tokens_are_refused_on_every_route() throws Exception {
        for (String path : List.of("/v1/listeners", "/v1/stream?topic=orders&room=user:ann")) {
            try (RawHttp http = RawHttp.to(server)) {
                // The first line by itself: a stream that was not refused would go on for ever.
                String answer = http.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                                + operator + "\r\nAuthorization: Bearer " + server.user("bob", null)
                                + "\r\nConnection: close\r\n\r\n")
                        .readUntil("\r\n");
                assertThat(answer).as(path).startsWith("HTTP/1.1 401");
                assertThat(http.readToEnd()).contains("application/problem+json", "one Bearer token");
            }
        }
    }

    @Test
    void the_highest_number_that_a_parameter_may_be_is_taken() {
        assertThat(server.get(operator, EVENTS + "?after=" + Long.MAX_VALUE).status())
                .isEqualTo(200);
    }

    @Test
    void a_parameter_that_is_given_and_empty_is_refused_on_every_route() {
        List<String> wrong = new ArrayList<>();
        for (Route route : server.server().bean(Api.class).routes()) {
            for (String name : route.takes()) {
                // What a route needs comes first, since the first that is missing is what it complains of.
                String needed = Stream.of("queue", "topic", "aggregate_type", "aggregate_id")
                        .filter(one -> route.takes().contains(one) && !one.equals(name))
                        .map(one -> one + "=x&")
                        .collect(Collectors.joining());
                String path = route.path().replace("{topic}", "orders") + "?" + needed + name;
                for (String asked : List.of(path, path + "=")) {
                    Reply reply = server.get(operator, asked);
                    if (reply.status() != 400
                            || !reply.detail().contains("parameter " + name + " was given and is empty")) {
                        wrong.add(asked + ": " + reply.text());
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"rooms", "project:", "project:a b", "all", "user:*", "PROJECT:red", "project:..%2Fx"})
    void an_unknown_room_is_refused(String room) {
        String encoded = java.net.URLEncoder.encode(room, StandardCharsets.UTF_8);
        Reply reply = server.get(operator, "/v1/stream?topic=orders&room=" + encoded);
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.type()).startsWith("application/problem+json");
    }

    @Test
    void a_header_of_ten_megabytes_gets_431_and_no_memory() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
            socket.setSoTimeout(30_000);
            OutputStream out = socket.getOutputStream();
            out.write("GET /v1/listeners HTTP/1.1\r\nHost: localhost\r\nX-Large: ".getBytes(StandardCharsets.US_ASCII));
            byte[] piece = "x".repeat(64 * 1024).getBytes(StandardCharsets.US_ASCII);
            try {
                for (int i = 0; i < 160; i++) {
                    out.write(piece);
                }
            } catch (java.io.IOException e) {
                // it has heard enough
            }
            assertThat(firstLine(socket.getInputStream())).contains(" 431");
        }
        Reply reply = server.send(server.request(operator, "/v1/listeners")
                .header("X-Large", "x".repeat(20_000))
                .GET());
        assertProblem(reply, 431, "headers");
        assertThat(server.get(operator, "/v1/listeners").status()).isEqualTo(200);
    }

    @Test
    void a_request_that_is_not_http_gets_400() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream()
                    .write("GET /v1/<script> HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            String all = new String(socket.getInputStream().readNBytes(2_000), StandardCharsets.US_ASCII);
            assertThat(all)
                    .startsWith("HTTP/1.1 400")
                    .contains("application/problem+json")
                    .doesNotContain("script");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v1/topics/semicolon;b=c/events",
        "POST, /v1/queues/semicolon;evil/jobs",
        "POST, /v1/topics/semicolon/events;",
        "GET, /v1;a=b/listeners",
        "GET, /v1/stream;x?topic=orders&room=project:red",
        "GET, /v1/socket;x",
        "GET, /health/live;x",
        "GET, /metrics;x",
        "GET, /nothing;x"
    })
    void a_semicolon_in_a_path_is_refused_and_nothing_is_done_without_it(String method, String path) throws Exception {
        String body = "{\"type\":\"a\",\"payload\":1}";
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
            socket.setSoTimeout(30_000);
            String request = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Authorization: Bearer " + operator + "\r\nContent-Type: application/json\r\nContent-Length: "
                    + body.length() + "\r\n\r\n" + body;
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            // The first line by itself: a stream that was not refused would go on for ever.
            assertThat(firstLine(socket.getInputStream())).startsWith("HTTP/1.1 400");
            String rest = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(rest).contains("application/problem+json", "';'", "\"next\":\"Remove");
        }
        assertThat(server.postrider().log().head("semicolon")).isZero();
        assertThat(server.get(operator, "/v1/queues").text()).doesNotContain("semicolon");
    }

    @Test
    void a_semicolon_in_a_query_is_no_concern_of_the_path() {
        assertThat(server.get(operator, EVENTS + "?type=a;b").status()).isEqualTo(200);
    }

    private static String firstLine(InputStream in) throws Exception {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            line.append((char) c);
        }
        return line.toString();
    }

    @Test
    void a_page_of_another_origin_is_refused_and_a_listed_one_is_not() {
        assertProblem(
                server.send(server.request(operator, "/v1/listeners")
                        .header("Origin", "https://evil.example")
                        .GET()),
                403,
                "origin");
        assertProblem(
                server.send(server.request(operator, "/v1/listeners")
                        .header("Origin", "null")
                        .GET()),
                403,
                "origin");
        assertProblem(
                server.send(server.request(null, "/v1/jobs")
                        .header("Origin", "https://chat.example.org.evil.example")
                        .header("Access-Control-Request-Method", "GET")
                        .method("OPTIONS", BodyPublishers.noBody())),
                403,
                "origin");
        Reply listed = server.send(server.request(operator, "/v1/listeners")
                .header("Origin", "https://chat.example.org")
                .GET());
        assertThat(listed.status()).isEqualTo(200);
        assertThat(listed.response().headers().firstValue("Access-Control-Allow-Origin"))
                .contains("https://chat.example.org");
        assertThat(listed.response().headers().firstValue("Access-Control-Allow-Credentials"))
                .isEmpty();
        Reply preflight = server.send(server.request(null, "/v1/jobs")
                .header("Origin", "https://chat.example.org")
                .header("Access-Control-Request-Method", "GET")
                .method("OPTIONS", BodyPublishers.noBody()));
        assertThat(preflight.status()).isEqualTo(204);
        assertThat(preflight
                        .response()
                        .headers()
                        .firstValue("Access-Control-Allow-Headers")
                        .orElse(""))
                .contains("Authorization");
        Reply stream = server.send(server.request(operator, "/v1/stream?topic=orders&room=project:red")
                .header("Origin", "https://evil.example")
                .GET());
        assertThat(stream.status()).isEqualTo(403);
    }

    @Test
    void an_address_that_is_written_oddly_is_the_same_address() {
        for (String path :
                new String[] {"/%761/openapi.json", "//v1/openapi.json", "/x/../v1/openapi.json", "/v1;a=b/openapi.json"
                }) {
            Reply reply = server.send(server.request(null, path)
                    .header("Origin", "https://evil.example")
                    .GET());
            assertThat(reply.status()).as(path).isIn(400, 403, 404);
            assertThat(reply.text()).as(path).doesNotContain("openapi\":");
        }
    }

    @Test
    void every_answer_tells_browsers_to_be_careful() {
        for (Reply reply : java.util.List.of(
                server.get(operator, "/v1/listeners"),
                server.get(null, "/v1/jobs"),
                server.get(null, "/health/live"))) {
            assertThat(reply.response().headers().firstValue("X-Content-Type-Options"))
                    .contains("nosniff");
            assertThat(reply.response().headers().firstValue("X-Frame-Options")).contains("DENY");
            assertThat(reply.response()
                            .headers()
                            .firstValue("Content-Security-Policy")
                            .orElse(""))
                    .contains("frame-ancestors 'none'");
            assertThat(reply.response().headers().firstValue("Server")).isEmpty();
        }
        Reply api = server.get(operator, "/v1/listeners");
        assertThat(api.response()
                        .headers()
                        .firstValue("Content-Security-Policy")
                        .orElse(""))
                .contains("default-src 'none'");
        assertThat(api.response().headers().firstValue("Cache-Control")).contains("no-store");
    }
}
