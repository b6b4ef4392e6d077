package io.postrider.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.KillArgs;
import io.lettuce.core.Range;
import io.postrider.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A relay to a stream whose connections are killed all the time: nothing lost, nothing twice, in order. */
@Timeout(180)
@Tag("slow")
class RedisStreamRelayTest {
    private static final int EVENTS = 3_000;

    @Test
    void clients_killed_every_fifth_of_a_second_and_redis_three_times_lose_nothing_and_repeat_nothing()
            throws Exception {
        try (RealRedis redis = RealRedis.running();
                Chat chat = new Chat()) {
            chat.relay(new RedisStreamSink(redis.options(), "chat")).start();
            CountDownLatch enough = new CountDownLatch(1);
            AtomicInteger kills = new AtomicInteger();
            Thread killer = new Thread(() -> kill(redis, enough, kills));
            killer.start();
            for (int i = 1; i <= EVENTS / 10 && !enough.await(10, TimeUnit.MILLISECONDS); i++) {
                chat.emit(10);
                if (i % 100 == 50) {
                    redis.kill9();
                    redis.start();
                }
            }
            awaitCursor(chat);
            enough.countDown();
            killer.join();

            List<Long> there = redis.cli(cli -> cli.xrange("chat", Range.unbounded())).stream()
                    .map(entry -> Long.parseLong(entry.getBody().get("position")))
                    .toList();
            System.out.println("redis_stream_chaos events=" + EVENTS + " kills=" + kills + " duplicates="
                    + (there.size() - there.stream().distinct().count()));
            assertThat(there)
                    .isEqualTo(LongStream.rangeClosed(1, EVENTS).boxed().toList());
            assertThat(kills.get()).isGreaterThan(3);
        }
    }

    private static void kill(RealRedis redis, CountDownLatch enough, AtomicInteger kills) {
        try {
            while (!enough.await(200, TimeUnit.MILLISECONDS)) {
                try {
                    kills.addAndGet(redis.cli(cli ->
                                    cli.clientKill(KillArgs.Builder.typeNormal().skipme()))
                            .intValue());
                } catch (io.lettuce.core.RedisException e) {
                    // it is being restarted
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitCursor(Chat chat) {
        Await.until(
                "the relay is through",
                Duration.ofSeconds(90),
                () -> chat.postrider.listeners().list().get(0).position() == EVENTS);
    }
}
