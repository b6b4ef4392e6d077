package io.postrider.gateway;

import static io.postrider.gateway.Identity.Reach.PROJECT;
import static io.postrider.gateway.Identity.Reach.USER;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.MessageFormat;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Server-Sent Events, by the reference in the README. */
class StreamTest extends GatewayTestBase {

    @Test
    void an_event_reaches_its_room_and_no_other() throws Exception {
        try (Served served = serve()) {
            SseClient agent = served.sse(served.token("agent", "p1", PROJECT), "&room=project:p1");
            SseClient ann = served.sse(served.token("ann", "p1", USER), "&room=user:ann");
            SseClient other = served.sse(served.token("bob", "p2", PROJECT), "&room=project:p2&room=user:bob");
            agent.await("position");
            ann.await("position");
            other.await("position");
            served.emit("p1", "ann", "{\"text\":\"hello\"}");
            served.emit("p1", "bob", "{\"text\":\"to bob, in another project\"}");
            served.emit("p2", "zoe", "{\"text\":\"p2\"}");
            agent.awaitEvents(2);
            ann.awaitEvents(1);
            other.awaitEvents(1);
            assertThat(agent.positions()).containsExactly(1L, 2L);
            assertThat(ann.positions()).containsExactly(1L);
            assertThat(other.positions()).containsExactly(3L);
            Seen first = agent.await("event");
            assertThat(first.json())
                    .contains("\"specversion\":\"1.0\"", "\"position\":1", "\"projectid\":\"p1\"", "\"text\"");
        }
    }

    /** One client is served live, the other resumes from the read model: one event is kept in memory. */
    @Test
    void in_a_payload_format_clients_get_the_payload_and_resume_by_position() throws Exception {
        GatewayOptions payloads =
                options().withFormat(MessageFormat.PAYLOAD_WITH_ID).withRecent(1, 1024);
        try (Served served = serve(payloads)) {
            String token = served.token("ann", "p1", USER);
            SseClient live = served.sse(token, "&room=user:ann");
            live.await("position");
            served.emitNumbered("p1", "ann", 1, 3);
            live.awaitEvents(3);
            SseClient resumed = served.sse(token, "&room=user:ann&position=1");
            resumed.awaitEvents(2);
            assertThat(resumed.positions()).containsExactly(2L, 3L);
            assertThat(resumed.await("event").json()).matches("\\{\"event_id\":\"[0-9a-f-]{36}\",\"n\": 2}");
            assertThat(live.await("event").json()).matches("\\{\"event_id\":\"[0-9a-f-]{36}\",\"n\": 1}");
            SocketClient socket = served.socket(token, 2L, "user:ann");
            assertThat(socket.await("event").json())
                    .matches(".*\"position\":3,\"event\":\\{\"event_id\":\"[0-9a-f-]{36}\",\"n\": 3}.*");
        }
    }

    @Test
    void headers_are_those_of_a_stream() throws Exception {
        try (Served served = serve()) {
            SseClient client = served.sse(served.token("ann", "p1", USER), "&room=user:ann");
            assertThat(client.status()).isEqualTo(200);
            assertThat(client.header("Content-Type")).startsWith("text/event-stream");
            assertThat(client.header("Cache-Control")).isEqualTo("no-store");
            assertThat(client.header("X-Accel-Buffering")).isEqualTo("no");
        }
    }

    @Test
    void an_event_in_two_rooms_of_one_connection_comes_once() throws Exception {
        try (Served served = serve()) {
            SseClient client = served.sse(served.token("ann", "p1", PROJECT), "&room=project:p1&room=user:ann");
            client.await("position");
            served.emitNumbered("p1", "ann", 1, 50);
            client.awaitEvents(50);
            assertThat(client.positions()).doesNotHaveDuplicates().isSorted().hasSize(50);
        }
    }

    @Test
    void a_quiet_room_hears_how_far_the_topic_is() throws Exception {
        try (Served served = serve(options().withHeartbeat(Duration.ofMillis(200)))) {
            SseClient client = served.sse(served.token("ann", "p1", USER), "&room=user:ann");
            served.emitNumbered("p1", "zoe", 1, 20);
            Seen beat = client.await("a heartbeat at 20", frame -> frame.position() == 20);
            assertThat(beat.type()).isEqualTo("position");
            assertThat(beat.json()).isEqualTo("{\"position\":20}");
        }
    }

    @Test
    void the_header_wins_over_the_parameter() throws Exception {
        try (Served served = serve()) {
            served.emitNumbered("p1", "ann", 1, 10);
            String token = served.token("ann", "p1", USER);
            SseClient client = served.keep(SseClient.open(
                    served.port,
                    "/v1/stream?topic=" + served.topic + "&room=user:ann&position=2",
                    token,
                    "Last-Event-ID",
                    "7"));
            client.awaitEvents(3);
            assertThat(client.positions()).containsExactly(8L, 9L, 10L);
        }
    }

    @Test
    void a_client_that_leaves_frees_its_place() throws Exception {
        try (Served served = serve(options().withHeartbeat(Duration.ofMillis(100)))) {
            SseClient client = served.sse(served.token("ann", "p1", USER), "&room=user:ann");
            client.await("position");
            assertThat(served.hub.connections()).isEqualTo(1);
            client.close();
            io.postrider.testkit.Await.until(
                    "the place is free", Duration.ofSeconds(60), () -> served.hub.connections() == 0);
        }
    }

    @Test
    void a_gateway_that_closes_says_so_with_the_resume_position() throws Exception {
        SseClient client;
        try (Served served = serve()) {
            client = served.sse(served.token("ann", "p1", USER), "&room=user:ann");
            client.await("position");
            served.emitNumbered("p1", "ann", 1, 5);
            client.awaitEvents(5);
            served.gateway.close();
            client.awaitEnd();
        }
        Seen cut = client.frames().get(client.frames().size() - 1);
        assertThat(cut.type()).isEqualTo("cut");
        assertThat(cut.json()).isEqualTo("{\"reason\":\"closing\",\"position\":5}");
    }
}
