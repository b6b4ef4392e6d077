package io.postrider.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.Range;
import io.postrider.Job;
import io.postrider.testkit.Await;
import io.postrider.testkit.program.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A primary, a replica and a sentinel that replaces the one by the other. */
@Timeout(180)
@Tag("slow")
class RedisSentinelTest {
    private static final Duration MOST = Duration.ofSeconds(60);

    @Test
    void sink_feed_and_ingest_follow_the_primary_that_the_sentinel_names() throws Exception {
        Recorder recorder = new Recorder();
        try (RealRedis primary = RealRedis.running();
                RealRedis replica = RealRedis.running("--replicaof", "127.0.0.1 " + primary.port());
                RedisProcess sentinel = RedisProcess.sentinel("main", primary.port());
                Chat chat = new Chat()) {
            RedisOptions options = RedisOptions.sentinel("main", "127.0.0.1:" + sentinel.port())
                    .withChannelSecret("a secret of the two");
            Await.until(
                    "the sentinel knows the replica",
                    MOST,
                    () -> sentinel.tellAll("INFO sentinel").contains("slaves=1"));
            Await.until(
                    "the replica is in step",
                    MOST,
                    () -> replica.process().tellAll("INFO replication").contains("master_link_status:up"));
            chat.relay(new RedisStreamSink(options, "chat"));
            chat.postrider.add(io.postrider.Listener.relay("to-channel", "chat", new RedisPubSubSink(options)));
            chat.start();
            try (RedisFeed feed = new RedisFeed(options, chat.postrider.log());
                    RedisIngest ingest = new RedisIngest(options, IngestOptions.of("incoming"))) {
                Await.until("the feed listens", MOST, feed::isListening);
                feed.follow("chat", 0, recorder);
                recorder.awaitBegun();
                ingest.start(chat.postrider, chat.pool, entry -> Job.of("incoming", "message", entry.data()));
                chat.emit(100);
                ingest.add("first", "{}");
                Await.until(
                        "all is with the replica",
                        MOST,
                        () -> positions(replica).size() == 100);
                Await.until("the entry is a job", MOST, () -> ingest.waiting() == 0);
                recorder.awaitPosition(100);

                primary.kill9();
                Await.until(
                        "the replica is the primary",
                        MOST,
                        () -> replica.process().tellAll("INFO replication").contains("role:master"));
                chat.emit(100);
                Await.until(
                        "all is with the new primary",
                        MOST,
                        () -> positions(replica).size() == 200);
                assertThat(positions(replica))
                        .isEqualTo(LongStream.rangeClosed(1, 200).boxed().toList());
                recorder.awaitPosition(200);
                Await.until("the feed listens again", MOST, feed::isListening);
                ingest.add("second", "{}");
                Await.until("the second entry is a job", MOST, () -> ingest.waiting() == 0);
            }
        }
    }

    private static List<Long> positions(RealRedis redis) {
        return redis.cli(cli -> cli.xrange("chat", Range.unbounded())).stream()
                .map(entry -> Long.parseLong(entry.getBody().get("position")))
                .toList();
    }
}
