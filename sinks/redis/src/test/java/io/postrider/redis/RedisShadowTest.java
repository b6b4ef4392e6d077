package io.postrider.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.Range;
import io.postrider.Envelope;
import io.postrider.LogEvent;
import io.postrider.Sink;
import io.postrider.admin.Comparison;
import io.postrider.admin.Comparison.Difference;
import io.postrider.admin.Comparison.Example;
import io.postrider.admin.Publisher;
import io.postrider.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A relay in shadow mode beside an old publisher that writes to the same Redis. */
@Tag("slow")
class RedisShadowTest {
    private static final String RELAY = "to-redis";

    @Test
    void a_stream_is_read_and_compared_and_then_taken_over() throws Exception {
        try (RealRedis redis = RealRedis.running();
                Chat chat = new Chat()) {
            start(chat, new RedisStreamSink(redis.options(), "chat"));
            chat.emit(1_200);
            List<LogEvent> events = recorded(chat, 1_200);
            for (LogEvent event : events) {
                if (event.position() == 700) {
                    continue;
                }
                String payload =
                        event.position() == 900 ? "{\"n\":0}" : event.payload().replace(" ", "");
                redis.cli(cli -> cli.xadd(
                        "old", Map.of("event_id", event.id().toString(), "payload", payload, "kind", event.type())));
            }
            Comparison found = compare(chat, Publisher.destination().withPlace("old"));
            assertThat(positions(found.missing())).containsExactly(700L);
            assertThat(positions(found.different())).containsExactly(900L);
            assertThat(found.extra().count()
                            + found.reordered().count()
                            + found.pending().count())
                    .isZero();
            assertThat(found.publisher()).startsWith("old beside redis stream chat at ");
            assertThatThrownBy(() -> compare(chat, Publisher.destination().withPlace("nowhere")))
                    .hasMessageContaining("no redis stream nowhere");

            long live = chat.postrider.listeners().goLive(RELAY);
            chat.emit(5);
            await(chat, 1_205);
            assertThat(redis.cli(cli -> cli.xrange("chat", Range.unbounded())).stream()
                            .map(entry -> Long.valueOf(entry.getBody().get("position"))))
                    .containsExactly(1_201L, 1_202L, 1_203L, 1_204L, 1_205L);
            assertThat(live).isEqualTo(1_201);
        }
    }

    @Test
    void a_channel_is_heard_while_the_old_publisher_goes_on() throws Exception {
        try (RealRedis redis = RealRedis.running();
                Chat chat = new Chat()) {
            start(chat, new RedisPubSubSink(redis.options(), "chat"));
            chat.emit(3);
            recorded(chat, 3);
            CompletableFuture<Comparison> comparing = CompletableFuture.supplyAsync(
                    () -> compare(chat, Publisher.destination().withListenFor(Duration.ofSeconds(5))));
            Await.until(
                    "it listens",
                    () -> redis.cli(cli -> cli.pubsubNumsub("chat")).getOrDefault("chat", 0L) == 1);
            chat.emit(4);
            for (LogEvent event : recorded(chat, 7).subList(3, 7)) {
                if (event.position() != 6) {
                    redis.cli(cli -> cli.publish("chat", Envelope.json(event)));
                }
            }
            Comparison found = comparing.join();
            assertThat(List.of(found.from(), found.to(), found.events())).containsExactly(4L, 7L, 4L);
            assertThat(positions(found.missing())).containsExactly(6L);
            assertThat(found.different().count() + found.extra().count()).isZero();
            assertThat(found.payloadCompared()).isTrue();
        }
    }

    private static void start(Chat chat, Sink sink) {
        chat.relay(sink);
        chat.start();
        chat.postrider.listeners().shadow(RELAY, Duration.ofSeconds(30));
    }

    private static List<LogEvent> recorded(Chat chat, int count) {
        await(chat, count);
        return chat.postrider.log().read("chat", 0, 5_000);
    }

    private static void await(Chat chat, long position) {
        Await.until("recorded", () -> chat.postrider.listeners().list().get(0).position() >= position);
    }

    private static Comparison compare(Chat chat, Publisher publisher) {
        return chat.postrider.listeners().compare(RELAY, publisher, 100_000);
    }

    private static List<Long> positions(Difference difference) {
        return difference.examples().stream().map(Example::position).toList();
    }
}
