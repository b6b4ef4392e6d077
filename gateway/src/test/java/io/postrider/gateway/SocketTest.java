package io.postrider.gateway;

import static io.postrider.gateway.Identity.Reach.PROJECT;
import static io.postrider.gateway.Identity.Reach.USER;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** WebSocket, by the reference in the README. */
class SocketTest extends GatewayTestBase {

    @Test
    void an_event_reaches_its_room_and_no_other() throws Exception {
        try (Served served = serve()) {
            SocketClient agent = served.socket(served.token("agent", "p1", PROJECT), null, "project:p1");
            SocketClient other = served.socket(served.token("bob", "p2", PROJECT), null, "project:p2", "user:bob");
            agent.await("position");
            other.await("position");
            served.emit("p1", "ann", "{\"text\":\"hello\"}");
            served.emit("p1", "bob", "{\"text\":\"in another project\"}");
            served.emit("p2", "zoe", "{\"text\":\"p2\"}");
            agent.awaitEvents(2);
            other.awaitEvents(1);
            assertThat(agent.positions()).containsExactly(1L, 2L);
            assertThat(other.positions()).containsExactly(3L);
            assertThat(agent.await("event").json())
                    .startsWith("{\"type\":\"event\",\"position\":1,\"event\":{\"specversion\":\"1.0\"")
                    .endsWith("}}");
        }
    }

    @Test
    void a_quiet_room_hears_how_far_the_topic_is() throws Exception {
        try (Served served = serve(options().withHeartbeat(Duration.ofMillis(200)))) {
            SocketClient client = served.socket(served.token("ann", "p1", USER), null, "user:ann");
            served.emitNumbered("p1", "zoe", 1, 20);
            Seen beat = client.await("a heartbeat at 20", frame -> frame.position() == 20);
            assertThat(beat.json()).isEqualTo("{\"type\":\"position\",\"position\":20}");
        }
    }

    /** The container hands messages over in pieces of 1,024 characters. */
    @Test
    void a_hello_of_many_pieces_is_read_as_a_whole() throws Exception {
        try (Served served = serve()) {
            SocketClient client = served.socket();
            client.send("{\"type\":\"hello\"," + " ".repeat(15_000) + "\"token\":\"" + served.token("ann", "p1", USER)
                    + "\",\"topic\":\"" + served.topic + "\",\"rooms\":[\"user:ann\"]}");
            client.await("position");
        }
    }

    @Test
    void a_position_goes_on_where_it_was() throws Exception {
        try (Served served = serve()) {
            served.emitNumbered("p1", "ann", 1, 10);
            SocketClient client = served.socket(served.token("ann", "p1", USER), 7L, "user:ann");
            client.awaitEvents(3);
            served.emitNumbered("p1", "ann", 11, 12);
            client.awaitEvents(5);
            assertThat(client.positions()).containsExactly(8L, 9L, 10L, 11L, 12L);
        }
    }

    @Test
    void a_gateway_that_closes_says_so_with_the_resume_position() throws Exception {
        try (Served served = serve()) {
            SocketClient client = served.socket(served.token("ann", "p1", USER), null, "user:ann");
            client.await("position");
            served.emitNumbered("p1", "ann", 1, 5);
            client.awaitEvents(5);
            served.gateway.close();
            assertThat(client.awaitClose()).isEqualTo(1001);
            assertThat(client.await("cut").json())
                    .isEqualTo("{\"type\":\"cut\",\"reason\":\"closing\",\"position\":5}");
        }
    }

    @Test
    void a_client_that_leaves_frees_its_place() throws Exception {
        try (Served served = serve()) {
            SocketClient client = served.socket(served.token("ann", "p1", USER), null, "user:ann");
            client.await("position");
            assertThat(served.hub.connections()).isEqualTo(1);
            client.close();
            io.postrider.testkit.Await.until(
                    "the place is free", Duration.ofSeconds(60), () -> served.hub.connections() == 0);
        }
    }
}
