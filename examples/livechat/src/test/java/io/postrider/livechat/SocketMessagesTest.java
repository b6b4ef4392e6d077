package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages over the WebSocket: as durable, as limited and as protected as over HTTP. No worker saves anything here. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class SocketMessagesTest {
    private static final Guest ANNA = new Guest("anna", LiveChat.PROJECT, true);

    private static Theatre theatre;

    @BeforeAll
    static void open(TestDatabase database) throws Exception {
        theatre = Theatre.withoutWorker(database);
    }

    @AfterAll
    static void close() throws Exception {
        theatre.close();
    }

    private static Guest visitor() {
        return new Guest("v-" + UUID.randomUUID(), LiveChat.PROJECT, false);
    }

    private static long jobs(String client) throws Exception {
        try (Connection connection = theatre.pool.getConnection()) {
            return Rows.one(
                            connection,
                            "select count(*) as n from postrider.event e where e.topic like 'queue:chat-ingest%'"
                                    + " and e.payload ->> 'client' = ?",
                            row -> row.getLong("n"),
                            client)
                    .orElseThrow();
        }
    }

    @Test
    void a_message_is_acknowledged_with_its_id_and_a_receipt_when_its_job_is_committed() throws Exception {
        try (ChatSocket socket = ChatSocket.open(theatre, visitor())) {
            String answer = socket.say("socket-01", "{\"text\":\"hello\"}");
            assertThat(answer)
                    .matches("\\{\"type\":\"ack\",\"id\":\"socket-01\",\"data\":"
                            + "\\{\"id\":\"socket-01\",\"receipt\":\"[0-9a-f-]{36}\"}}");
            assertThat(jobs("socket-01")).isEqualTo(1);
        }
    }

    @Test
    void sent_again_over_another_connection_or_over_http_it_is_the_same_message() throws Exception {
        Guest visitor = visitor();
        String first;
        try (ChatSocket socket = ChatSocket.open(theatre, visitor)) {
            first = socket.say("socket-02", "{\"text\":\"once\"}");
        }
        try (ChatSocket socket = ChatSocket.open(theatre, visitor)) {
            assertThat(socket.say("socket-02", "{\"text\":\"once\"}")).isEqualTo(first);
        }
        assertThat(post(visitor, "[{\"id\":\"socket-02\",\"text\":\"once\"}]").statusCode())
                .isEqualTo(202);
        assertThat(jobs("socket-02")).isEqualTo(1);
    }

    @Test
    void what_http_refuses_is_refused_here_for_the_same_reason() throws Exception {
        try (ChatSocket visitor = ChatSocket.open(theatre, visitor());
                ChatSocket agent = ChatSocket.open(theatre, ANNA)) {
            assertThat(visitor.say("socket-11", "{\"text\":\"" + "x".repeat(2_001) + "\"}"))
                    .contains("\"nack\"", "\"status\":400", "1 to 2000 characters");
            assertThat(visitor.say("socket-12", "{\"text\":\"  \"}")).contains("\"status\":400");
            assertThat(visitor.say("short", "{\"text\":\"x\"}")).contains("\"status\":400", "8 to 64");
            assertThat(visitor.say("socket-13", "{\"text\":\"x\",\"conversation\":\"" + UUID.randomUUID() + "\"}"))
                    .contains("\"status\":400", "left out by a visitor");
            assertThat(agent.say("socket-14", "{\"text\":\"x\"}")).contains("\"status\":400", "given by an agent");
            assertThat(visitor.say("socket-15", "{\"text\":{\"a\":1}}")).contains("\"status\":400");
            assertThat(visitor.say("socket-16", "{\"text\":\"fine\"}")).contains("\"ack\"");
        }
    }

    /** Over several connections at once, because one at a time may be slower than the limit on a busy machine. */
    @Test
    void both_ways_share_one_limit() throws Exception {
        Guest flooding = visitor();
        try (ChatSocket one = ChatSocket.open(theatre, flooding);
                ChatSocket two = ChatSocket.open(theatre, flooding);
                ChatSocket three = ChatSocket.open(theatre, flooding);
                ChatSocket other = ChatSocket.open(theatre, visitor())) {
            for (int size : List.of(100, 50, 25, 10)) {
                Await.until(
                        "HTTP has used it up",
                        Duration.ofSeconds(60),
                        () -> post(flooding, messages(size)).statusCode() == 429);
            }
            List<ChatSocket> sockets = List.of(one, two, three);
            for (int i = 0; i < 180; i++) {
                sockets.get(i % 3).begin("flood-" + (1_000 + i), "{\"text\":\"x\"}");
            }
            String refused = Await.value(
                    "one is refused",
                    Duration.ofSeconds(60),
                    () -> sockets.stream()
                            .map(socket -> socket.find("You have written more than"))
                            .flatMap(Optional::stream)
                            .findFirst());
            assertThat(refused).contains("\"nack\"", "\"status\":429", "\"retryAfter\":");
            assertThat(other.say("socket-21", "{\"text\":\"x\"}")).contains("\"ack\"");
        }
    }

    private static String messages(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"id\":\"" + UUID.randomUUID() + "\",\"text\":\"x\"}")
                .collect(Collectors.joining(",", "[", "]"));
    }

    private static HttpResponse<String> post(Guest guest, String messages) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(theatre.url("/chat/api/messages")))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + theatre.passes.issue(guest, Duration.ofMinutes(5)))
                .POST(HttpRequest.BodyPublishers.ofString("{\"messages\":" + messages + "}"))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
