package io.postrider.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.Range;
import io.postrider.LogEvent;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.testkit.Await;
import io.postrider.testkit.TcpProxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a batch when Redis says no, says nothing, or is gone before it can say anything. */
class RedisSinkFaultTest {
    private static final RelayEpoch COURSE = new RelayEpoch("relay", "chat", 1);
    private static RealRedis redis;

    @BeforeAll
    static void start() {
        redis = RealRedis.running();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void empty() {
        redis.cli(cli -> cli.flushall());
    }

    @Test
    void an_answer_that_is_lost_is_unavailable_and_what_arrived_is_held() {
        try (TcpProxy proxy = TcpProxy.to(redis.port());
                RedisStreamSink sink = new RedisStreamSink(RedisOptions.at("127.0.0.1", proxy.port()), "s")) {
            assertThat(sink.send(COURSE, events(1, 10)).isWhole()).isTrue();
            proxy.hold(TcpProxy.Direction.TO_CLIENT); // else the answer may be quicker than the cut
            proxy.cutAt(TcpProxy.Direction.TO_SERVER, "EXEC\r\n", TcpProxy.Cut.AFTER);

            SendResult receipt = sink.send(COURSE, events(11, 20));
            proxy.resume();

            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(receipt.taken()).isZero();
            assertThat(sink.holds(COURSE, 10).keySet()).isEqualTo(longs(11, 20));
            assertThat(sink.holds(COURSE, 15).keySet()).isEqualTo(longs(16, 20));
        }
    }

    @Test
    void what_was_cut_before_its_end_has_not_arrived_at_all() {
        try (TcpProxy proxy = TcpProxy.to(redis.port());
                RedisStreamSink sink = new RedisStreamSink(RedisOptions.at("127.0.0.1", proxy.port()), "s")) {
            assertThat(sink.send(COURSE, events(1, 10)).isWhole()).isTrue();
            proxy.cutAt(TcpProxy.Direction.TO_SERVER, "\"n\": 200}", TcpProxy.Cut.AFTER);

            SendResult receipt = sink.send(COURSE, events(11, 400));

            assertThat(proxy.cuts()).isEqualTo(1);
            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(sink.holds(COURSE, 10)).isEmpty();
            assertThat(sink.send(COURSE, events(11, 400)).isWhole()).isTrue();
            assertThat(length("s")).isEqualTo(400);
        }
    }

    @Test
    void what_a_frozen_server_finds_in_its_buffers_later_does_not_arrive_behind_the_question_what_has_arrived() {
        RedisOptions impatient = redis.options().withTimeout(Duration.ofMillis(400));
        for (int round = 0; round < 3; round++) {
            RelayEpoch epoch = new RelayEpoch("relay", "chat", round);
            try (RedisStreamSink sink = new RedisStreamSink(impatient, "s" + round)) {
                assertThat(sink.send(epoch, events(1, 10)).isWhole()).isTrue();
                String former = clientId();
                redis.cli(cli -> cli.configResetstat());
                redis.freeze();
                SendResult receipt = sink.send(epoch, events(11, 160));
                assertThat(receipt.isUnavailable()).isTrue();
                redis.thaw();

                Set<Long> held = Await.value(
                        "it answers",
                        Duration.ofSeconds(30),
                        () -> Optional.of(sink.holds(epoch, 10).keySet()));
                List<LogEvent> missing = events(11, 160).stream()
                        .filter(event -> !held.contains(event.position()))
                        .toList();
                assertThat(sink.send(epoch, missing).isWhole()).isTrue();

                assertThat(clientId()).isNotEqualTo(former); // and it is the only one
                assertThat(redis.<String>cli(cli -> cli.info("commandstats"))).contains("client|kill:calls=");
                assertThat(length("s" + round)).as("held " + held.size()).isEqualTo(160);
            }
        }
    }

    private static String clientId() {
        List<String> ids = redis.cli(cli -> cli.clientList())
                .lines()
                .filter(line -> line.contains("name=postrider-stream"))
                .map(line -> line.replaceFirst("id=(\\d+) .*", "$1"))
                .toList();
        assertThat(ids).hasSize(1);
        return ids.get(0);
    }

    @Test
    void a_server_that_is_full_is_unavailable_and_leaves_no_half_batch() {
        try (RedisStreamSink sink = new RedisStreamSink(redis.options(), "s")) {
            assertThat(sink.send(COURSE, events(1, 10)).isWhole()).isTrue();
            redis.cli(cli -> cli.configSet("maxmemory", "1mb"));
            try {
                SendResult receipt = sink.send(COURSE, events(11, 20));
                assertThat(receipt.isUnavailable()).isTrue();
                assertThat(receipt.taken()).isZero();
                assertThat(receipt.error()).hasMessageContaining("OOM");
                assertThatThrownBy(sink::test).hasMessageContaining("OOM");
            } finally {
                redis.cli(cli -> cli.configSet("maxmemory", "0"));
            }
            assertThat(sink.holds(COURSE, 0).keySet()).isEqualTo(longs(1, 10));
            assertThat(sink.send(COURSE, events(11, 20)).isWhole()).isTrue();
        }
    }

    @Test
    void a_key_that_holds_something_else_is_no_fault_of_an_event() {
        redis.cli(cli -> cli.set("s", "text"));
        try (RedisStreamSink sink = new RedisStreamSink(redis.options(), "s")) {
            SendResult receipt = sink.send(COURSE, events(1, 10));
            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(receipt.taken()).isZero();
            assertThat(receipt.error()).hasMessageContaining("WRONGTYPE");
            assertThatThrownBy(sink::test).hasMessageContaining("holds a string");
        }
    }

    @Test
    void a_user_without_permission_is_told_so_by_the_test_and_by_the_receipt() {
        String password = UUID.randomUUID().toString();
        redis.cli(cli -> cli.aclSetuser(
                "rider",
                io.lettuce.core.AclSetuserArgs.Builder.on()
                        .addPassword(password)
                        .allKeys()
                        .allChannels()));
        RedisOptions rider = redis.options().withLogin("rider", password);
        try (RedisStreamSink stream = new RedisStreamSink(rider, "s");
                RedisPubSubSink channel = new RedisPubSubSink(rider)) {
            assertThat(stream.send(COURSE, events(1, 1)).isUnavailable()).isTrue();
            assertThat(channel.send(COURSE, events(1, 1)).error()).hasMessageContaining("NOPERM");
            assertThatThrownBy(stream::test).hasMessageContaining("NOPERM").hasMessageNotContaining(password);
            assertThatThrownBy(channel::test).hasMessageContaining("NOPERM");
        } finally {
            redis.cli(cli -> cli.aclDeluser("rider"));
        }
    }

    @Test
    void a_test_leaves_nothing_and_tells_who_listens() {
        try (RedisStreamSink stream = new RedisStreamSink(redis.options(), "s");
                RedisPubSubSink channel = new RedisPubSubSink(redis.options())) {
            assertThat(stream.test()).contains("redis stream s at 127.0.0.1").contains("it has 0");
            assertThat(channel.test()).contains("new_message_channel").contains("0 listen");
        }
        assertThat(redis.<Long>cli(cli -> cli.exists("s"))).isZero();
    }

    @Test
    void a_stream_keeps_about_as_many_as_it_is_told() {
        try (RedisStreamSink sink = new RedisStreamSink(redis.options(), "s", 10_000)) {
            for (int from = 1; from <= 12_000; from += 1_000) {
                assertThat(sink.send(COURSE, events(from, from + 999)).isWhole())
                        .isTrue();
            }
            assertThat(length("s")).isBetween(10_000L, 10_200L);
            assertThat(sink.holds(COURSE, 11_000).keySet()).isEqualTo(longs(11_001, 12_000));
        }
    }

    @Test
    void entries_of_lanes_that_lie_before_the_position_are_found() {
        try (RedisStreamSink sink = new RedisStreamSink(redis.options(), "s")) {
            sink.send(COURSE, events(1, 50));
            sink.send(COURSE, events(60, 70)); // another lane was quicker
            sink.send(COURSE, events(51, 55));
            assertThat(sink.holds(COURSE, 55).keySet()).isEqualTo(longs(60, 70));
        }
    }

    @Test
    void fields_are_the_attributes_of_the_envelope_the_data_and_the_course() {
        try (RedisStreamSink sink = new RedisStreamSink(redis.options(), "s")) {
            sink.send(COURSE, events(1, 1));
        }
        assertThat(redis.cli(cli -> cli.xrange("s", Range.unbounded())).get(0).getBody())
                .containsEntry("topic", "chat")
                .containsEntry("position", "1")
                .containsEntry("data", "{\"n\": 1}")
                .containsEntry("course", "relay/1")
                .containsEntry("partitionkey", "k")
                .containsKeys("id", "type", "time", "specversion");
    }

    @Test
    void a_client_that_is_killed_is_a_connection_that_is_lost_and_the_next_send_opens_another() {
        try (RedisPubSubSink sink = new RedisPubSubSink(redis.options())) {
            assertThat(sink.send(COURSE, events(1, 1)).isWhole()).isTrue();
            redis.cli(cli ->
                    cli.clientKill(io.lettuce.core.KillArgs.Builder.typeNormal().skipme()));
            Await.until("sent", () -> sink.send(COURSE, events(2, 2)).isWhole());
        }
    }

    static List<LogEvent> events(long from, long to) {
        return LongStream.rangeClosed(from, to)
                .mapToObj(i -> new LogEvent(
                        "chat",
                        i,
                        UUID.nameUUIDFromBytes(("" + i).getBytes(StandardCharsets.UTF_8)),
                        "message:created",
                        "{\"n\": " + i + "}",
                        "k",
                        "p",
                        "u",
                        null,
                        null,
                        "{}",
                        Instant.EPOCH))
                .toList();
    }

    private static long length(String stream) {
        return redis.cli(cli -> cli.xlen(stream));
    }

    private static Set<Long> longs(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().collect(java.util.stream.Collectors.toSet());
    }
}
