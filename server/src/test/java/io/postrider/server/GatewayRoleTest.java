package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.gateway.Identity.Reach;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.program.RedisProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The gateway in the server: from an event over HTTP to a stream, by the log and by Redis, and cut when it must be. */
@PostgresTest
@Timeout(180)
@Tag("security")
class GatewayRoleTest {
    private static void emit(LiveServer server, int number) {
        assertThat(server.post(
                                server.operator(),
                                "/v1/topics/orders/events",
                                "{\"type\":\"t\",\"payload\":" + number + ",\"project_id\":\"shop\"}")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void a_stream_goes_on_where_it_left_and_has_everything_once(TestDatabase database) throws Exception {
        try (LiveServer server = LiveServer.on(database)) {
            for (int i = 1; i <= 3; i++) {
                emit(server, i);
            }
            Await.until(
                    "all have a position",
                    Duration.ofSeconds(30),
                    () -> server.postrider().log().head("orders") == 3);
            try (StreamLines stream =
                    StreamLines.open(server, server.project("shop"), "topic=orders&room=project:shop&position=1")) {
                assertThat(stream.next("event")).contains("id: 2\n");
                assertThat(stream.next("event")).contains("id: 3\n");
                emit(server, 4);
                assertThat(stream.next("event")).contains("id: 4\n", "\"data\":4");
            }
            assertThat(server.get(null, "/metrics").text())
                    .contains("postrider_gateway_connections", "postrider_gateway_opened_total");
        }
    }

    /** The container gives the response of one who has left to the next who comes. */
    @Test
    void who_leaves_in_the_middle_of_a_frame_does_no_harm_to_who_comes_next(TestDatabase database) throws Exception {
        try (LiveServer server = LiveServer.on(database)) {
            String token = server.project("shop");
            Hearing left = Hearing.open(Hearing.Way.STREAM_BY_POSITION, server, token, "project:shop", 0);
            for (int i = 1; i <= 25; i++) {
                left.close();
                Hearing next = Hearing.open(Hearing.Way.STREAM_BY_POSITION, server, token, "project:shop", i - 1);
                emit(server, i);
                assertThat(next.until("\"data\":" + i))
                        .contains("id: " + i + "\n")
                        .doesNotContain("event: cut");
                left = next;
            }
            left.close();
        }
    }

    @Test
    void a_topic_that_browsers_hear_and_nobody_records_is_told_of_at_the_start(TestDatabase database) {
        Map<String, String> without = Map.of("postrider.event-log.topics", "others");
        try (LiveServer server = LiveServer.on(database, without)) {
            assertThat(unrecorded(server)).containsExactly("orders");
        }
        try (LiveServer server = LiveServer.on(database)) {
            assertThat(unrecorded(server)).isEmpty();
        }
        try (LiveServer server = LiveServer.on(database, Map.of("postrider.roles", "api,gateway"))) {
            assertThat(unrecorded(server)).as("another node has recorded it").isEmpty();
        }
    }

    private static List<String> unrecorded(LiveServer server) {
        return GatewayConfiguration.unrecorded(
                server.server().bean(io.postrider.server.settings.ServerSettings.class), server.postrider());
    }

    @Test
    @Tag("alone")
    void a_stream_is_cut_within_five_seconds_when_its_token_is_revoked_or_expires(TestDatabase database)
            throws Exception {
        try (LiveServer server = LiveServer.on(database)) {
            String revoked = server.mint().issue("service", "shop", Reach.PROJECT, LiveServer.HOUR, "token-1");
            try (StreamLines stream = StreamLines.open(server, revoked, "topic=orders&room=project:shop")) {
                long began = System.nanoTime();
                server.post(
                        server.operator(),
                        "/v1/tokens/revoke",
                        "{\"jti\":\"token-1\",\"expires_at\":\"" + Instant.now().plusSeconds(3600) + "\"}");
                assertThat(stream.next("cut")).contains("\"reason\":\"revoked\"");
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
            }
            String brief = server.mint().issue("service", "shop", Reach.PROJECT, Duration.ofSeconds(4));
            try (StreamLines stream = StreamLines.open(server, brief, "topic=orders&room=project:shop")) {
                assertThat(stream.next("cut")).contains("\"reason\":\"expired\"");
            }
        }
    }

    @Test
    void through_redis_by_the_variables_that_others_use(TestDatabase database) throws Exception {
        try (RedisProcess redis = RedisProcess.running();
                LiveServer server = LiveServer.on(database, through(redis));
                StreamLines stream =
                        StreamLines.open(server, server.project("shop"), "topic=orders&room=project:shop&position=0")) {
            emit(server, 1);
            assertThat(stream.next("event")).contains("id: 1\n");
            redis.kill9();
            emit(server, 2);
            assertThat(stream.next("event")).as("repaired from the log").contains("id: 2\n");
            redis.start();
            emit(server, 3);
            assertThat(stream.next("event")).contains("id: 3\n");
        }
    }

    private static Map<String, String> through(RedisProcess redis) {
        return Map.of(
                "REDIS_HOST", "127.0.0.1",
                "REDIS_PORT", Integer.toString(redis.port()),
                "postrider.relays.live.type", "redis-pubsub",
                "postrider.relays.live.topic", "orders",
                "postrider.gateway.feed", "redis");
    }
}
