package io.postrider.gateway;

import static io.postrider.gateway.Identity.Reach.PROJECT;
import static io.postrider.gateway.Identity.Reach.USER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A stream ends with its token: when that expires, and when it is revoked, within 5 s. */
@Tag("alone")
@Tag("security")
class LifetimeTest extends GatewayTestBase {

    @Test
    void a_stream_ends_when_its_token_expires() throws Exception {
        try (Served served = serve()) {
            String token = served.mint.issue("ann", "p1", USER, Duration.ofSeconds(3));
            Instant expires = served.mint.tokens().verify(token).expires();
            SseClient stream = served.sse(token, "&room=user:ann");
            SocketClient socket = served.socket(token, null, "user:ann");
            stream.await("position");
            socket.await("position");
            served.emitNumbered("p1", "ann", 1, 3);
            stream.awaitEvents(3);
            assertThat(stream.await("cut").json()).isEqualTo("{\"reason\":\"expired\",\"position\":3}");
            stream.awaitEnd();
            assertThat(socket.awaitClose()).isEqualTo(4401);
            assertThat(socket.await("cut").json()).contains("\"expired\"", "\"position\":3");
            assertThat(Duration.between(expires, Instant.now())).isBetween(Duration.ZERO, Duration.ofSeconds(5));
            SseClient late = served.sse(token, "&room=user:ann");
            assertThat(late.status()).as("whatever the skew").isEqualTo(401);
        }
    }

    @Test
    void a_stream_ends_when_its_token_is_revoked() throws Exception {
        Set<String> table = ConcurrentHashMap.newKeySet();
        try (PolledRevocations revocations = PolledRevocations.of(() -> table);
                Served served = serve(options().withRevocations(revocations))) {
            String token = served.mint.issue("ann", "p1", USER, Duration.ofMinutes(10), "token-1");
            String other = served.mint.issue("ann", "p1", USER, Duration.ofMinutes(10), "token-2");
            SseClient stream = served.sse(token, "&room=user:ann");
            SocketClient socket = served.socket(token, null, "user:ann");
            SseClient stays = served.sse(other, "&room=user:ann");
            List.of(stream, stays).forEach(client -> client.await("position"));
            socket.await("position");
            Instant revoked = Instant.now();
            table.add("token-1");
            assertThat(stream.await("cut").json()).contains("\"revoked\"");
            assertThat(socket.awaitClose()).isEqualTo(4401);
            stream.awaitEnd();
            assertThat(Duration.between(revoked, Instant.now())).isLessThan(Duration.ofSeconds(5));
            assertThat(served.sse(token, "&room=user:ann").status()).isEqualTo(401);
            served.emitNumbered("p1", "ann", 1, 1);
            stays.awaitEvents(1);
            assertThat(stream.positions()).isEmpty();
        }
    }

    @Test
    void a_socket_lives_on_with_a_new_token() throws Exception {
        try (Served served = serve()) {
            SocketClient socket =
                    served.socket(served.mint.issue("ann", "p1", USER, Duration.ofSeconds(4)), null, "user:ann");
            socket.await("position");
            String next = served.mint.issue("ann", "p1", USER, Duration.ofMinutes(5));
            socket.send("{\"type\":\"token\",\"token\":\"" + next + "\"}");
            assertThat(socket.await("token").json())
                    .contains("\"expires\":"
                            + served.mint.tokens().verify(next).expires().getEpochSecond());
            SseClient witness =
                    served.sse(served.mint.issue("ann", "p1", USER, Duration.ofSeconds(5)), "&room=user:ann");
            witness.await("cut"); // later than the first token's end
            served.emitNumbered("p1", "ann", 1, 1);
            socket.awaitEvents(1);
        }
    }

    @Test
    void a_new_token_must_be_of_the_same_subject_and_project_and_reach_the_same_rooms() throws Exception {
        try (Served served = serve()) {
            SocketClient somebody = served.socket(served.token("ann", "p1", USER), null, "user:ann");
            somebody.await("position");
            somebody.send("{\"type\":\"token\",\"token\":\"" + served.token("bob", "p1", USER) + "\"}");
            assertThat(somebody.awaitClose()).isEqualTo(4400);
            SocketClient agent = served.socket(served.token("ann", "p1", PROJECT), null, "project:p1");
            agent.await("position");
            agent.send("{\"type\":\"token\",\"token\":\"" + served.token("ann", "p2", PROJECT) + "\"}");
            assertThat(agent.awaitClose()).isEqualTo(4400);
            SocketClient elsewhere = served.socket(served.token("ann", "p1", USER), null, "user:ann");
            elsewhere.await("position");
            elsewhere.send("{\"type\":\"token\",\"token\":\"" + served.token("ann", "p2", USER) + "\"}");
            assertThat(elsewhere.awaitClose())
                    .as("the same name in another project")
                    .isEqualTo(4400);
            SocketClient expired = served.socket(served.token("ann", "p1", USER), null, "user:ann");
            expired.await("position");
            expired.send("{\"type\":\"token\",\"token\":\""
                    + served.mint.issue("ann", "p1", USER, Duration.ofSeconds(-5)) + "\"}");
            assertThat(expired.awaitClose()).isEqualTo(4400);
        }
    }

    @Test
    void a_stream_goes_on_with_a_token_of_narrower_reach() throws Exception {
        try (Served served = serve()) {
            SocketClient socket = served.socket(served.token("ann", "p1", PROJECT), null, "user:ann");
            socket.await("position");
            served.emitNumbered("p1", "ann", 1, 1);
            socket.awaitEvents(1);
            socket.send("{\"type\":\"token\",\"token\":\"" + served.token("ann", "p1", USER) + "\"}");
            socket.await("token");
            served.emitNumbered("p2", "ann", 2, 2);
            served.emitNumbered("p1", "ann", 3, 3);
            socket.awaitEvents(2);
            assertThat(socket.positions()).containsExactly(1L, 3L);
        }
    }

    @Test
    void revocations_that_cannot_be_read_let_nobody_begin_and_hold_what_was_read() throws Exception {
        assertThatThrownBy(() -> PolledRevocations.of(() -> {
                    throw new IllegalStateException("the table is away");
                }))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("the table is away");
        Set<String> table = ConcurrentHashMap.newKeySet();
        table.add("token-1");
        java.util.concurrent.atomic.AtomicInteger failures = new java.util.concurrent.atomic.AtomicInteger();
        boolean[] away = {false};
        try (PolledRevocations revocations = PolledRevocations.of(
                () -> {
                    if (away[0]) {
                        if (failures.incrementAndGet() % 2 == 0) {
                            throw new NoClassDefFoundError("the table's classes are away");
                        }
                        throw new IllegalStateException("the table is away");
                    }
                    return table;
                },
                Duration.ofMillis(50))) {
            away[0] = true;
            io.postrider.testkit.Await.until("it failed", () -> failures.get() > 2);
            assertThat(revocations.isRevoked("token-1")).isTrue();
            away[0] = false;
            table.add("token-2");
            io.postrider.testkit.Await.until("it reads again", () -> revocations.isRevoked("token-2"));
        }
        assertThatThrownBy(() -> PolledRevocations.of(() -> table, Duration.ofSeconds(10)))
                .hasMessageContaining("the interval for reading revocations");
    }
}
