package io.postrider.gateway;

import static io.postrider.gateway.Identity.Reach.USER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException;
import io.postrider.testkit.Await;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that clients send over their WebSocket. */
@Tag("security")
class InboundTest extends GatewayTestBase {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final List<Inbound.Message> accepted = new CopyOnWriteArrayList<>();

    @BeforeEach
    void forget() {
        accepted.clear();
    }

    private GatewayOptions accepting() {
        return options().withInbound(message -> {
            accepted.add(message);
            return "{\"receipt\":" + accepted.size() + "}";
        });
    }

    private static SocketClient ann(Served served) throws Exception {
        SocketClient client = served.socket(served.token("ann", "p1", USER), null, "user:ann");
        client.await("position");
        return client;
    }

    private static String frame(String id, String data) {
        return "{\"type\":\"send\",\"id\":\"" + id + "\",\"data\":" + data + "}";
    }

    private static Seen answer(SocketClient client, String id) {
        return client.await(
                "an answer to " + id,
                seen -> seen.json().contains("\"id\":\"" + id + "\"")
                        && (seen.type().equals("ack") || seen.type().equals("nack")));
    }

    @Test
    void each_message_is_acknowledged_by_its_id_after_the_application_has_stored_it() throws Exception {
        CountDownLatch stored = new CountDownLatch(1);
        GatewayOptions options = options().withInbound(message -> {
            stored.await();
            return null;
        });
        try (Served served = serve(options)) {
            SocketClient client = ann(served);
            client.send(frame("m-1", "{}"));
            served.emit("p1", "ann", "{}");
            client.awaitEvents(1);
            assertThat(client.frames()).noneMatch(seen -> seen.type().equals("ack"));
            stored.countDown();
            assertThat(answer(client, "m-1").json()).isEqualTo("{\"type\":\"ack\",\"id\":\"m-1\"}");
        }
    }

    @Test
    void the_sender_is_the_tokens_and_the_data_is_passed_on_as_it_was_written() throws Exception {
        try (Served served = serve(accepting())) {
            SocketClient client = ann(served);
            String data =
                    "{\"text\":\"gr\u00fc\u00df \ud83d\ude80 \\\"}\",  \"deep\":{\"a\":[1,{\"b\":null}]},\"userid\":\"eve\"}";
            client.send(frame("m_2", data));
            assertThat(answer(client, "m_2").json())
                    .isEqualTo("{\"type\":\"ack\",\"id\":\"m_2\",\"data\":{\"receipt\":1}}");
            Inbound.Message message = accepted.get(0);
            assertThat(message.identity().subject()).isEqualTo("ann");
            assertThat(message.identity().project()).isEqualTo("p1");
            assertThat(message.topic()).isEqualTo(served.topic);
            assertThat(message.data()).isEqualTo(data);
            assertThat(message).asString().doesNotContain("text");
        }
    }

    @Test
    void the_messages_of_a_connection_are_stored_in_order_one_at_a_time() throws Exception {
        AtomicInteger running = new AtomicInteger();
        List<String> order = new CopyOnWriteArrayList<>();
        GatewayOptions options = options().withInbound(message -> {
            assertThat(running.incrementAndGet()).isEqualTo(1);
            order.add(message.id());
            running.decrementAndGet();
            return null;
        });
        try (Served served = serve(options)) {
            SocketClient client = ann(served);
            for (int i = 0; i < 50; i++) {
                client.send(frame("m-" + i, "{}"));
            }
            answer(client, "m-49");
            assertThat(order).hasSize(50).first().isEqualTo("m-0");
            assertThat(order)
                    .isEqualTo(java.util.stream.IntStream.range(0, 50)
                            .mapToObj(i -> "m-" + i)
                            .toList());
        }
    }

    @Test
    void what_the_application_refuses_or_fails_to_store_is_told_and_the_connection_stays() throws Exception {
        GatewayOptions options = options().withInbound(message -> switch (message.id()) {
            case "bad" -> throw Refusal.badRequest("no text");
            case "fast" -> throw Refusal.tooMany("not so fast", Duration.ofSeconds(3));
            case "broken" -> throw new IllegalStateException("secret detail");
            default -> null;
        });
        try (Served served = serve(options)) {
            SocketClient client = ann(served);
            for (String id : List.of("bad", "fast", "broken", "good")) {
                client.send(frame(id, "{}"));
            }
            answer(client, "good");
            assertThat(answer(client, "bad").json()).contains("\"type\":\"nack\"", "\"status\":400", "no text");
            assertThat(answer(client, "fast").json()).contains("\"status\":429", "\"retryAfter\":3");
            assertThat(answer(client, "broken").json())
                    .contains("\"status\":503", "send it again", "\"retryAfter\":1")
                    .doesNotContain("secret");
        }
    }

    @Test
    void without_an_application_that_accepts_them_messages_are_refused() throws Exception {
        try (Served served = serve()) {
            SocketClient client = ann(served);
            client.send(frame("m-1", "{}"));
            assertThat(answer(client, "m-1").json()).contains("\"nack\"", "\"status\":404", "accepts no messages");
        }
    }

    @Test
    void before_the_hello_no_message_is_read() throws Exception {
        try (Served served = serve(accepting())) {
            SocketClient client = served.socket();
            client.send(frame("m-1", "{}"));
            assertThat(client.awaitClose()).isEqualTo(4400);
            assertThat(client.await("error").json()).contains("a frame of type hello is expected");
            assertThat(accepted).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"send\",\"data\":{}}",
                "{\"type\":\"send\",\"id\":\"\",\"data\":{}}",
                "{\"type\":\"send\",\"id\":\"a b\",\"data\":{}}",
                "{\"type\":\"send\",\"id\":\"a\"}",
                "{\"type\":\"send\",\"id\":\"a\",\"data\":[]}",
                "{\"type\":\"send\",\"id\":\"a\",\"data\":{},\"user\":\"eve\"}",
                "{\"type\":\"send\",\"id\":\"a\",\"data\":{\"x\":1,\"x\":2}}",
                "{\"type\":\"say\",\"id\":\"a\",\"data\":{}}"
            })
    void a_malformed_message_ends_the_connection(String text) throws Exception {
        try (Served served = serve(accepting())) {
            SocketClient client = ann(served);
            client.send(text);
            assertThat(client.awaitClose()).isEqualTo(4400);
            assertThat(accepted).isEmpty();
        }
    }

    @Test
    void a_message_that_is_too_large_ends_the_connection_and_one_of_the_largest_size_does_not() throws Exception {
        try (Served served = serve(accepting().withInboundLimits(20_000, 10, 10))) {
            SocketClient client = ann(served);
            String largest = frame("m-1", "{\"t\":\"" + "x".repeat(20_000 - 44) + "\"}");
            client.send(largest);
            assertThat(answer(client, "m-1").type()).isEqualTo("ack");
            client.send(frame("m-2", "{\"t\":\"" + "x".repeat(20_000) + "\"}"));
            assertThat(client.awaitClose()).isEqualTo(1009);
            assertThat(accepted).hasSize(1);
        }
    }

    @Test
    void one_who_sends_too_fast_is_slowed_down_over_all_its_connections_and_others_are_not() throws Exception {
        try (Served served = serve(accepting().withInboundLimits(1_024, 10, 1))) {
            SocketClient one = ann(served);
            SocketClient two = ann(served);
            SocketClient other = served.socket(served.token("bob", "p1", USER), null, "user:bob");
            for (int i = 0; i < 10; i++) {
                (i % 2 == 0 ? one : two).send(frame("m-" + i, "{}"));
            }
            answer(one, "m-8");
            answer(two, "m-9");
            one.send(frame("over-1", "{}"));
            two.send(frame("over-2", "{}"));
            assertThat(List.of(
                            answer(one, "over-1").json(), answer(two, "over-2").json()))
                    .anyMatch(json -> json.contains("\"status\":429") && json.contains("\"retryAfter\":1"));
            other.send(frame("mine", "{}"));
            assertThat(answer(other, "mine").type()).isEqualTo("ack");
        }
    }

    @Test
    void one_who_goes_on_sending_far_beyond_the_limit_is_cut() throws Exception {
        try (Served served = serve(accepting().withInboundLimits(1_024, 1, 1))) {
            SocketClient client = ann(served);
            for (int i = 0;
                    i < 200
                            && client.frames().stream()
                                    .noneMatch(seen -> seen.type().equals("cut"));
                    i++) {
                try {
                    client.send(frame("m-" + i, "{}"));
                } catch (java.util.concurrent.ExecutionException e) {
                    break; // closed meanwhile
                }
            }
            assertThat(client.awaitClose()).isEqualTo(4429);
        }
    }

    @Test
    void more_than_sixty_four_that_wait_are_refused_for_now_and_another_connection_is_served() throws Exception {
        CountDownLatch stored = new CountDownLatch(1);
        Set<String> threads = ConcurrentHashMap.newKeySet();
        GatewayOptions options = options()
                .withInbound(message -> {
                    threads.add(Thread.currentThread().getName());
                    if (message.identity().subject().equals("ann")) {
                        stored.await();
                    }
                    return null;
                })
                .withInboundThreads(2);
        try (Served served = serve(options)) {
            SocketClient client = ann(served);
            SocketClient other = served.socket(served.token("bob", "p1", USER), null, "user:bob");
            client.send(frame("m-0", "{}"));
            Await.until("the first is being stored", LONG, () -> !threads.isEmpty());
            for (int i = 1; i <= 65; i++) {
                client.send(frame("m-" + i, "{}"));
            }
            assertThat(answer(client, "m-65").json()).contains("\"status\":429");
            other.send(frame("mine", "{}"));
            assertThat(answer(other, "mine").type()).isEqualTo("ack");
            stored.countDown();
            assertThat(answer(client, "m-64").type()).isEqualTo("ack");
            assertThat(threads).allMatch(name -> name.startsWith("postrider-gateway-inbound"));
        }
    }

    @Test
    void a_token_that_has_expired_meanwhile_sends_nothing() throws Exception {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
        Clock clock = new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return now.get();
            }
        };
        CountDownLatch first = new CountDownLatch(1);
        GatewayOptions options = options()
                .withInbound(message -> {
                    accepted.add(message);
                    first.await(10, TimeUnit.SECONDS);
                    return null;
                })
                .withClock(clock);
        try (Served served = serve(options)) {
            SocketClient client = ann(served);
            client.send(frame("m-1", "{}"));
            client.send(frame("m-2", "{}"));
            Await.until("the first is being stored", LONG, () -> accepted.size() == 1);
            now.set(now.get().plus(Duration.ofHours(1)));
            first.countDown();
            assertThat(client.awaitClose()).isEqualTo(4401);
            assertThat(accepted).extracting(Inbound.Message::id).containsExactly("m-1");
        }
    }

    @Test
    void limits_that_make_no_sense_are_refused_by_name() {
        assertThatThrownBy(() -> options().withInboundLimits(100, 1, 1))
                .isInstanceOf(PostriderException.class)
                .hasMessage("inbound bytes must be 256..1048576, was 100");
        assertThatThrownBy(() -> options().withInboundLimits(1_000, 0, 1)).hasMessageContaining("at once");
        assertThatThrownBy(() -> options().withInboundLimits(1_000, 1, 0)).hasMessageContaining("per second");
        assertThatThrownBy(() -> options().withInboundThreads(0)).hasMessageContaining("inbound threads");
        assertThat(options().toString()).contains("inbound=off");
        assertThat(accepting().toString()).contains("inbound=16384/200/25/4");
    }
}
