package io.postrider.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException;
import java.time.Duration;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class GatewayOptionsTest {
    private final GatewayOptions options = GatewayOptions.of("chat");

    @Test
    void bad_values_are_refused_by_name() {
        Map<String, ThrowingCallable> bad = Map.ofEntries(
                Map.entry("topics", () -> GatewayOptions.of()),
                Map.entry("topics must match", () -> GatewayOptions.of("a b")),
                Map.entry("recent events", () -> options.withRecent(0, 1 << 20)),
                Map.entry("recent bytes", () -> options.withRecent(1, 1)),
                Map.entry("outbox bytes", () -> options.withOutbox(10, 100)),
                Map.entry("outbox frames", () -> options.withOutbox(1 << 20, 1)),
                Map.entry("heartbeat", () -> options.withHeartbeat(Duration.ZERO)),
                Map.entry("hello time-out", () -> options.withHello(Duration.ofHours(1), 1024)),
                Map.entry("hello bytes", () -> options.withHello(Duration.ofSeconds(1), 1)),
                Map.entry("send time-out", () -> options.withSendTimeout(Duration.ZERO)),
                Map.entry("connections", () -> options.withConnections(0, 1)),
                Map.entry("connections of one subject", () -> options.withConnections(1, 0)),
                Map.entry("rooms", () -> options.withRooms(0)),
                Map.entry("page", () -> options.withHistory(0, 1)),
                Map.entry("readers", () -> options.withHistory(1, 0)),
                Map.entry("catch-up", () -> options.withCatchUp(Duration.ZERO)),
                Map.entry("writers", () -> options.withWriters(0)),
                Map.entry("origins", () -> options.withOrigins("https://*.example.org")));
        bad.forEach((name, call) ->
                assertThatThrownBy(call).isInstanceOf(PostriderException.class).hasMessageContaining(name));
        assertThat(options.withRooms(100).rooms())
                .as("what the event log takes")
                .isEqualTo(100);
        assertThatThrownBy(() -> options.withRooms(101)).hasMessageContaining("rooms");
        for (String origin : new String[] {"", "*", "null", "example.org", "https://a.test/path", "ftp://a.test"}) {
            assertThatThrownBy(() -> options.withOrigins(origin)).hasMessageContaining("origins");
        }
    }

    @Test
    void each_change_is_a_copy_and_all_are_in_the_line_that_is_logged() {
        GatewayOptions changed = options.withHeartbeat(Duration.ofSeconds(5))
                .withOrigins("https://Chat.Example.org:443")
                .withSameOrigin(true)
                .withConnections(7, 3);
        assertThat(options.heartbeat()).isEqualTo(Duration.ofSeconds(15));
        assertThat(changed.toString())
                .contains("topics=[chat]", "heartbeat=PT5S", "connections=7/3", "origins=[https://chat.example.org]")
                .contains("same_origin=true");
        assertThat(changed.withSameOrigin(false).origins().allows("https://chat.example.org", null, false))
                .isTrue();
    }
}
