package io.postrider.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.Range;
import io.lettuce.core.StreamMessage;
import io.postrider.LogEvent;
import io.postrider.MessageFormat;
import io.postrider.RelayEpoch;
import io.postrider.testkit.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Messages for subscribers that existed before Postrider. */
@Timeout(120)
@Tag("slow")
class RedisFormatTest {
    private static final String SECRET = UUID.randomUUID().toString();
    private static final RelayEpoch EPOCH = new RelayEpoch("to-redis", "chat", 1);
    private static RealRedis redis;

    @BeforeAll
    static void startRedis() {
        redis = RealRedis.running();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    private static LogEvent event(long position) {
        return new LogEvent(
                "chat",
                position,
                new UUID(7, position),
                "message:created",
                "{\"n\": " + position + "}",
                null,
                "p",
                null,
                null,
                null,
                "{}",
                Instant.EPOCH);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "CLOUD_EVENTS")
    void a_subscriber_of_the_channel_gets_the_payload_also_where_there_is_a_secret(MessageFormat format) {
        String channel = "new_message_channel-" + format;
        List<String> heard = new CopyOnWriteArrayList<>();
        Subscription subscription = new Subscription(redis.options(), channel, heard::add, on -> {});
        subscription.start();
        Await.until("somebody listens", Duration.ofSeconds(30), subscription::isListening);
        try (RedisPubSubSink sink = new RedisPubSubSink(redis.options().withChannelSecret(SECRET), channel, format)) {
            assertThat(sink.send(EPOCH, List.of(event(1))).isWhole()).isTrue();
            Await.until("it is heard", Duration.ofSeconds(30), () -> !heard.isEmpty());
        } finally {
            subscription.close();
        }
        assertThat(heard)
                .containsExactly(
                        format == MessageFormat.PAYLOAD
                                ? "{\"n\": 1}"
                                : "{\"event_id\":\"" + new UUID(7, 1) + "\",\"n\": 1}");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "CLOUD_EVENTS")
    void a_stream_has_the_payload_and_the_fields_by_which_the_sink_finds_its_entries(MessageFormat format) {
        String stream = "stream-" + format;
        try (RedisStreamSink sink = new RedisStreamSink(redis.options(), stream, Long.MAX_VALUE, format)) {
            assertThat(sink.send(EPOCH, List.of(event(1), event(2))).isWhole()).isTrue();
            assertThat(sink.holds(EPOCH, 1)).isEqualTo(Map.of(2L, new UUID(7, 2)));
        }
        List<StreamMessage<String, String>> entries = redis.cli(cli -> cli.xrange(stream, Range.unbounded()));
        Map<String, String> expected = new HashMap<>(Map.of(
                "event_id",
                new UUID(7, 1).toString(),
                "event_type",
                "message:created",
                "topic",
                "chat",
                "position",
                "1",
                "course",
                "to-redis/1"));
        expected.put("payload", format.text(event(1)));
        assertThat(entries.get(0).getBody()).isEqualTo(expected);
        try (RedisStreamSink changed = new RedisStreamSink(redis.options(), stream)) {
            assertThat(changed.holds(EPOCH, 0))
                    .as("found after a change of the format")
                    .isEqualTo(Map.of(1L, new UUID(7, 1), 2L, new UUID(7, 2)));
        }
    }

    /** The feed polls the log every second anyway: that all come within that time shows that the messages are heard. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "CLOUD_EVENTS")
    void a_feed_takes_such_messages_as_hints_and_reads_every_event_from_the_log(MessageFormat format) throws Exception {
        String channel = "feed-" + format;
        RedisOptions options = redis.options().withChannelSecret(SECRET);
        Recorder recorder = new Recorder();
        try (Chat chat = new Chat()) {
            chat.relay(new RedisPubSubSink(options, channel, format)).start();
            try (RedisFeed feed = new RedisFeed(options, chat.postrider.log(), channel, format)) {
                Await.until("the feed listens", Duration.ofSeconds(30), feed::isListening);
                feed.follow("chat", 0, recorder);
                recorder.awaitBegun();
                chat.emit(1);
                recorder.awaitPosition(1);
                long began = System.nanoTime();
                int rounds = 20;
                for (int i = 2; i <= rounds; i++) {
                    chat.emit(1);
                    recorder.awaitPosition(i);
                }
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .as("without hints each round takes up to a second")
                        .isLessThan(Duration.ofSeconds(rounds / 2));
                assertThat(recorder.all()).isEqualTo(chat.postrider.log().read("chat", 0, 1_000));
                assertThat(feed.ignored()).isZero();
                assertThat(feed.repaired()).isEqualTo(rounds);
            }
        }
        assertThat(recorder.faults()).isEmpty();
    }

    @Test
    void a_feed_that_expects_envelopes_ignores_payloads_and_still_misses_nothing() throws Exception {
        String channel = "mixed";
        Recorder recorder = new Recorder();
        try (Chat chat = new Chat()) {
            chat.relay(new RedisPubSubSink(redis.options(), channel, MessageFormat.PAYLOAD))
                    .start();
            try (RedisFeed feed = new RedisFeed(redis.options(), chat.postrider.log(), channel)) {
                Await.until("the feed listens", Duration.ofSeconds(30), feed::isListening);
                feed.follow("chat", 0, recorder);
                recorder.awaitBegun();
                chat.emit(3);
                recorder.awaitPosition(3);
                Await.until("they are counted", Duration.ofSeconds(30), () -> feed.ignored() == 3);
            }
        }
    }
}
