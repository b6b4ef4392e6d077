package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.gateway.TokenMint;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a page, or somebody who is not one, can ask over HTTP. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class ChatServletTest {
    private static final Guest VISITOR = new Guest("v-1", LiveChat.PROJECT, false);
    private static final Guest OTHER_VISITOR = new Guest("v-2", LiveChat.PROJECT, false);
    private static final Guest ANNA = new Guest("anna", LiveChat.PROJECT, true);
    private static final Guest STRANGER = new Guest("anna", "other", true);

    private final HttpClient http = HttpClient.newHttpClient();
    private static Theatre theatre;

    @BeforeAll
    static void open(TestDatabase database) throws Exception {
        theatre = Theatre.withoutWorker(database);
    }

    @AfterAll
    static void close() throws Exception {
        theatre.close();
    }

    @Test
    void a_message_is_acknowledged_with_its_id_when_its_job_is_committed() throws Exception {
        int before = queued();
        HttpResponse<String> answer =
                post(VISITOR, "/messages", "{\"messages\":[{\"id\":\"client-00\",\"text\":\"hello\"}]}");
        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body()).contains("client-00", "receipt");
        assertThat(queued()).isEqualTo(before + 1);
    }

    @Test
    void a_visitor_gets_a_token_and_an_agent_too_and_both_can_renew_theirs() throws Exception {
        assertThat(post(null, "/session", "{}").body()).contains("\"agent\":false", "\"user\":\"v-");
        assertThat(post(null, "/session", "{\"agent\":\"ben\"}").body()).contains("\"agent\":true", "\"name\":\"Ben\"");
        assertThat(post(ANNA, "/session", "{}").body()).contains("\"user\":\"anna\"");
        assertThat(post(null, "/session", "{\"agent\":\"eve\"}").statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /conversation",
                "GET /conversations",
                "GET /activity",
                "GET /state",
                "POST /messages",
                "POST /verify",
                "POST /trouble/kill-worker",
                "POST /conversations/00000000-0000-0000-0000-000000000000/read"
            })
    void without_a_token_or_with_a_forged_one_nothing_is_given(String route) throws Exception {
        String[] parts = route.split(" ", -1);
        for (String token : new String[] {"", "Bearer x", "Bearer " + forged(), "Basic abc"}) {
            HttpRequest.Builder request = request(parts[1]);
            if (!token.isEmpty()) {
                request.header("Authorization", token);
            }
            request.method(parts[0], HttpRequest.BodyPublishers.ofString("{}"));
            HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(401);
            assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
            assertThat(answer.body()).contains("/chat/api/session");
        }
    }

    /** Somebody else's secret. */
    private static String forged() {
        return new MintedPasses(TokenMint.random("livechat-test", "livechat")).issue(ANNA, Duration.ofHours(1));
    }

    @Test
    void one_visitor_who_floods_the_queue_is_slowed_down_and_others_are_not() throws Exception {
        Guest flooding = new Guest("v-" + UUID.randomUUID(), LiveChat.PROJECT, false);
        int accepted = 0;
        HttpResponse<String> answer;
        do {
            answer = post(flooding, "/messages", messages(100));
            accepted += answer.statusCode() == 202 ? 100 : 0;
        } while (answer.statusCode() == 202 && accepted < 1_000);
        assertThat(answer.statusCode()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Retry-After").orElse("")).matches("[1-4]");
        assertThat(accepted).isBetween(200, 700);
        assertThat(post(OTHER_VISITOR, "/messages", messages(1)).statusCode()).isEqualTo(202);
    }

    private static String messages(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"id\":\"" + UUID.randomUUID() + "\",\"text\":\"hello\"}")
                .collect(Collectors.joining(",", "{\"messages\":[", "]}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"promises\":[null]}",
                "{\"promises\":[{}]}",
                "{\"promises\":[{\"id\":\"abcdefgh\",\"receipt\":\"no receipt\"}]}",
                "{\"promises\":[{\"id\":\"abcdefgh\"}]}",
                "{\"promises\":[{\"id\":\"abcd\\u0000fgh\",\"receipt\":\"00000000-0000-0000-0000-000000000000\"}]}",
                "{\"promises\":{}}",
                "{\"promises\":[],\"after\":\"x\"}",
                "[]",
                "null"
            })
    void promises_that_are_none_are_refused_with_what_they_should_be(String body) throws Exception {
        HttpResponse<String> answer = post(VISITOR, "/verify", body);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).containsPattern("promise|JSON");
    }

    @Test
    void the_receipt_of_a_stream_is_not_held_by_the_queue() throws Exception {
        HttpResponse<String> answer =
                post(VISITOR, "/verify", "{\"promises\":[{\"id\":\"abcdefgh1\",\"receipt\":\"1-1\"}],\"after\":0}");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("\"lost\":true");
    }

    /** The lock makes each of them wait until its deadline. */
    @Test
    void verifications_of_one_guest_leave_threads_and_connections_to_others_and_end_in_time() throws Exception {
        String promise =
                "{\"promises\":[{\"id\":\"abcdefgh1\",\"receipt\":\"" + UUID.randomUUID() + "\"}],\"after\":0}";
        try (Connection locking = theatre.pool.getConnection()) {
            locking.setAutoCommit(false);
            Rows.run(locking, "lock table livechat.message in access exclusive mode");
            List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
            for (int i = 0; i < 230; i++) {
                HttpRequest verify = request("/verify")
                        .header("Authorization", bearer(VISITOR))
                        .timeout(Duration.ofSeconds(30))
                        .POST(HttpRequest.BodyPublishers.ofString(promise))
                        .build();
                asked.add(http.sendAsync(verify, HttpResponse.BodyHandlers.ofString()));
            }
            assertThat(page("/visitor.html").statusCode()).isEqualTo(200);
            String message = "{\"messages\":[{\"id\":\"client-beside\",\"text\":\"hello\"}]}";
            assertThat(post(OTHER_VISITOR, "/messages", message).statusCode()).isEqualTo(202);
            List<HttpResponse<String>> answers = new ArrayList<>();
            for (CompletableFuture<HttpResponse<String>> one : asked) {
                answers.add(one.get(60, TimeUnit.SECONDS));
            }
            assertThat(answers).extracting(HttpResponse::statusCode).containsOnly(429, 503);
            assertThat(answers)
                    .allMatch(
                            answer -> answer.headers().firstValue("Retry-After").isPresent());
            locking.rollback();
        }
        assertThat(post(VISITOR, "/verify", promise).body()).contains("\"lost\":true");
    }

    @Test
    void more_promises_than_a_page_asks_for_at_once_are_refused() throws Exception {
        String promise = "{\"id\":\"abcdefgh1\",\"receipt\":\"" + UUID.randomUUID() + "\"}";
        assertThat(post(
                                VISITOR,
                                "/verify",
                                "{\"promises\":[" + (promise + ",").repeat(499) + promise + "],\"after\":0}")
                        .statusCode())
                .isEqualTo(200);
        HttpResponse<String> answer =
                post(VISITOR, "/verify", "{\"promises\":[" + (promise + ",").repeat(500) + promise + "],\"after\":0}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("at most 500");
    }

    @Test
    void nobody_sees_what_is_not_theirs() throws Exception {
        UUID mine = save(VISITOR, "my secret");
        assertThat(get(VISITOR, "/conversation").body()).contains("my secret");
        assertThat(get(ANNA, "/conversations/" + mine).body()).contains("my secret");
        assertThat(get(OTHER_VISITOR, "/conversation").body()).doesNotContain("my secret");
        assertThat(get(new Guest("v-1", "other", false), "/conversation").body())
                .doesNotContain("my secret");
        assertThat(get(VISITOR, "/conversations").statusCode()).isEqualTo(403);
        assertThat(get(VISITOR, "/conversations/" + mine).statusCode()).isEqualTo(403);
        assertThat(get(VISITOR, "/state").statusCode()).isEqualTo(403);
        assertThat(get(VISITOR, "/activity").statusCode()).isEqualTo(403);
        assertThat(post(VISITOR, "/trouble/cut-database", "{}").statusCode()).isEqualTo(403);
        assertThat(get(ANNA, "/activity?before=x").statusCode()).isEqualTo(400);
        assertThat(post(VISITOR, "/trouble/kill-worker", "{}").statusCode()).isEqualTo(403);
        assertThat(post(VISITOR, "/conversations/" + mine + "/read", "{\"message\":1}")
                        .statusCode())
                .isEqualTo(403);
        assertThat(get(STRANGER, "/conversations/" + mine).statusCode()).isEqualTo(404);
        assertThat(get(STRANGER, "/conversations").body()).doesNotContain("my secret");
        assertThat(post(STRANGER, "/conversations/" + mine + "/read", "{\"message\":1}")
                        .statusCode())
                .isEqualTo(404);
        assertThat(get(ANNA, "/conversation").statusCode()).isEqualTo(400);
    }

    private UUID save(Guest guest, String text) throws Exception {
        try (Connection connection = theatre.pool.getConnection()) {
            connection.setAutoCommit(false);
            Message message = theatre.chat
                    .intake()
                    .save(connection, Node.visitorSays(guest.user(), text), Instant.now())
                    .orElseThrow();
            connection.commit();
            return message.conversation();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "400 | {}",
                "400 | {\"messages\":[]}",
                "400 | {\"messages\":[{}]}",
                "400 | {\"messages\":[null]}",
                "400 | {\"messages\":[{\"id\":\"short\",\"text\":\"a\"}]}",
                "400 | {\"messages\":[{\"id\":\"client-01\",\"text\":\"   \"}]}",
                "400 | {\"messages\":[{\"id\":\"client-01\",\"text\":\"a\\u0000b\"}]}",
                "400 | {\"messages\":[{\"id\":\"client-01\",\"text\":\"a\",\"conversation\":\"00000000-0000-0000-0000-000000000000\"}]}",
                "400 | {\"messages\":[{\"id\":\"client-01\",\"text\":\"a\",\"conversation\":\"x\"}]}",
                "400 | {\"messages\":",
                "400 | null",
                "400 | []",
                "400 | ''"
            })
    void bad_input_is_refused_and_nothing_is_queued(int status, String body) throws Exception {
        int before = queued();
        HttpResponse<String> answer = post(VISITOR, "/messages", body);
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
        assertThat(queued()).isEqualTo(before);
    }

    @Test
    void half_a_character_is_refused_and_not_a_failure_of_the_database() throws Exception {
        HttpResponse<String> answer =
                post(VISITOR, "/messages", "{\"messages\":[{\"id\":\"client-01\",\"text\":\"a\\ud83d\"}]}");
        assertThat(answer.statusCode()).isEqualTo(400);
    }

    @Test
    void what_is_too_large_or_of_the_wrong_type_is_refused() throws Exception {
        String long1 = "{\"messages\":[{\"id\":\"client-01\",\"text\":\"" + "a".repeat(2_001) + "\"}]}";
        assertThat(post(VISITOR, "/messages", long1).statusCode()).isEqualTo(400);
        assertThat(post(VISITOR, "/messages", "{\"x\":\"" + "a".repeat(1 << 20) + "\"}")
                        .statusCode())
                .isEqualTo(413);
        HttpRequest plain = request("/messages")
                .header("Authorization", bearer(VISITOR))
                .setHeader("Content-Type", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();
        assertThat(http.send(plain, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(415);
        assertThat(get(ANNA, "/nothing").statusCode()).isEqualTo(404);
        assertThat(get(ANNA, "/conversations/not-an-id").statusCode()).isEqualTo(404);
        assertThat(post(ANNA, "/trouble/burn-down", "{}").statusCode()).isEqualTo(404);
    }

    @Test
    void pages_allow_no_script_but_their_own_and_no_path_leads_elsewhere() throws Exception {
        HttpResponse<String> page = page("/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                .contains("default-src 'none'", "script-src 'self';", "style-src 'self';")
                .doesNotContain("unsafe");
        for (String path : new String[] {"/", "/visitor.html", "/agent.html"}) {
            assertThat(page(path).body()).doesNotContainPattern("<script(?![^>]*src=)|<style|style=|\\son\\w+=");
        }
        for (String path : new String[] {"/chat/", "/chat/..%2fschema.sql", "/chat/nothing.js", "/chat/schema.sql"}) {
            assertThat(page(path).statusCode()).isBetween(400, 404);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "200, here, ",
        "200, here, http://here",
        "200, here, https://here",
        "200, localhost, ",
        "200, LOCALHOST:80, http://localhost:80",
        "200, [::1]:80, http://[::1]:80",
        "403, here, https://evil.example",
        "403, here, http://here.evil.example",
        "403, here, http://localhost:1",
        "403, here, null",
        "403, evil.example, http://evil.example",
        "403, evil.example, ",
        "403, 127.0.0.1.evil.example, ",
        "403, localhost.evil.example, "
    })
    void a_page_from_elsewhere_gets_no_token_whatever_name_it_gives_this_machine(int status, String host, String origin)
            throws Exception {
        URI here = URI.create(theatre.url("/"));
        String body = "{}";
        String request = "POST /chat/api/session HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n"
                + (origin == null ? "" : "Origin: " + origin + "\r\n")
                + "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
        try (Socket socket = new Socket(here.getHost(), here.getPort())) {
            socket.getOutputStream()
                    .write(request.replace("here", here.getAuthority()).getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).startsWith("HTTP/1.1 " + status);
            assertThat(answer.contains("\"token\"")).isEqualTo(status == 200);
        }
    }

    /** 250 are more than Tomcat has threads. */
    @Test
    void bodies_that_do_not_arrive_hold_no_thread() throws Exception {
        URI here = URI.create(theatre.url("/"));
        String begin = "POST /chat/api/session HTTP/1.1\r\nHost: " + here.getAuthority()
                + "\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{";
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 250; i++) {
                Socket socket = new Socket(here.getHost(), here.getPort());
                slow.add(socket);
                socket.getOutputStream().write(begin.getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(page("/visitor.html").statusCode()).isEqualTo(200);
            assertThat(post(null, "/session", "{}").statusCode()).isEqualTo(200);
            slow.get(0).setSoTimeout(30_000);
            assertThat(new String(slow.get(0).getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 408");
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    /** 250 are more than Tomcat has threads; their sockets take fewer bytes than they asked for. */
    @ParameterizedTest
    @ValueSource(strings = {"/chat/style.css", "/chat/api/conversation"})
    void answers_that_nobody_reads_hold_no_thread(String path) throws Exception {
        Guest writer = new Guest("v-" + UUID.randomUUID(), LiveChat.PROJECT, false);
        for (int i = 0; i < 10; i++) {
            save(writer, "x".repeat(2_000));
        }
        URI here = URI.create(theatre.url("/"));
        String get = "GET " + path + " HTTP/1.1\r\nHost: " + here.getAuthority() + "\r\nAuthorization: "
                + bearer(writer) + "\r\n\r\n";
        List<Socket> unread = new ArrayList<>();
        try {
            for (int i = 0; i < 250; i++) {
                Socket socket = new Socket();
                unread.add(socket);
                socket.setReceiveBufferSize(2_048); // before it connects, or the window is large already
                socket.connect(new InetSocketAddress(here.getHost(), here.getPort()));
                socket.getOutputStream().write(get.repeat(40).getBytes(StandardCharsets.US_ASCII));
            }
            assertAnswersHaveBegun(unread);
            long begun = System.nanoTime();
            assertThat(page("/visitor.html").statusCode()).isEqualTo(200);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
        } finally {
            for (Socket socket : unread) {
                socket.close();
            }
        }
    }

    private static void assertAnswersHaveBegun(List<Socket> clients) {
        Await.until("answers have begun", Duration.ofSeconds(30), () -> {
            int begun = 0;
            for (Socket client : clients) {
                begun += client.getInputStream().available() > 0 ? 1 : 0;
            }
            return begun >= 200;
        });
    }

    @Test
    void a_body_without_a_token_is_small() throws Exception {
        HttpResponse<String> answer = post(null, "/session", "{\"agent\":\"" + "x".repeat(1_024) + "\"}");
        assertThat(answer.statusCode()).isEqualTo(413);
        assertThat(answer.body()).contains("1024 bytes");
    }

    /** Committed, whether it has a position yet or not. */
    private static int queued() throws Exception {
        try (Connection connection = theatre.pool.getConnection()) {
            return Rows.one(
                            connection,
                            "select count(*)::int as n from postrider.event where topic = 'queue:chat-ingest'",
                            row -> row.getInt("n"))
                    .orElseThrow();
        }
    }

    private HttpResponse<String> page(String path) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(theatre.url(path)))
                        .timeout(Duration.ofSeconds(15))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(Guest guest, String path) throws Exception {
        HttpRequest request =
                request(path).header("Authorization", bearer(guest)).GET().build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> post(Guest guest, String path, String body) throws Exception {
        HttpRequest.Builder request = request(path).POST(HttpRequest.BodyPublishers.ofString(body));
        if (guest != null) {
            request.header("Authorization", bearer(guest));
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(theatre.url("/chat/api" + path)))
                .header("Content-Type", "application/json");
    }

    private String bearer(Guest guest) {
        return "Bearer " + theatre.passes.issue(guest, Duration.ofMinutes(5));
    }
}
