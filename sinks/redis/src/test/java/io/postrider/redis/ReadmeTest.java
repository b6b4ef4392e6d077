package io.postrider.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Fate;
import io.postrider.Job;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.Worker;
import io.postrider.gateway.Feed;
import io.postrider.gateway.GatewayOptions;
import io.postrider.gateway.History;
import io.postrider.gateway.Hub;
import io.postrider.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the readme shows is what runs here: each snippet is a region of this file. */
@Timeout(120)
class ReadmeTest {
    private static final Duration MOST = Duration.ofSeconds(60);
    private final CountDownLatch handled = new CountDownLatch(1);

    @Test
    void the_relays_and_the_feed_of_the_readme() throws Exception {
        try (RealRedis server = RealRedis.running();
                Chat chat = new Chat()) {
            RedisOptions redis = environment(Map.of("REDIS_HOST", "127.0.0.1", "REDIS_PORT", "" + server.port()));
            Postrider postrider = chat.postrider;
            // region relays
            RedisPubSubSink channel = new RedisPubSubSink(redis); // new_message_channel
            RedisStreamSink stream = new RedisStreamSink(redis, "chat", 1_000_000); // keeps about the last million
            postrider.add(Listener.relay("chat-to-channel", "chat", channel));
            postrider.add(Listener.relay("chat-to-stream", "chat", stream));
            postrider.start();
            // endregion
            try (channel;
                    stream;
                    Hub hub = hub(redis, postrider, new LogOnly(postrider.log()))) {
                chat.emit(10);
                Await.until("the hub has all", MOST, () -> hub.reached("chat") == 10);
                Await.until("the stream has all", MOST, () -> server.<Long>cli(cli -> cli.xlen("chat")) == 10);
            }
        }
    }

    private static Hub hub(RedisOptions redis, Postrider postrider, History history) {
        // region feed
        Feed feed = new RedisFeed(redis, postrider.log()); // instead of new LogFeed(postrider.log())
        Hub hub = Hub.open(feed, history, GatewayOptions.of("chat"));
        // endregion
        Await.until("the hub is ready", MOST, hub::isReady);
        return hub;
    }

    private static RedisOptions environment(Map<String, String> environment) {
        // region options
        RedisOptions redis = RedisOptions.fromEnvironment(environment) // System.getenv()
                .orElseGet(() -> RedisOptions.at("localhost", 6379));
        // endregion
        return redis;
    }

    @Test
    void the_cluster_and_the_sentinels_of_the_readme() {
        // region cluster
        RedisOptions cluster = RedisOptions.cluster("redis-1:6379", "redis-2:6379", "redis-3:6379");
        RedisOptions primary = RedisOptions.sentinel("main", "sentinel-1:26379", "sentinel-2:26379");
        // endregion
        assertThat(cluster.toString()).contains("redis=cluster redis-1:6379,redis-2:6379,redis-3:6379 ");
        assertThat(primary.toString()).contains("redis=main of sentinels sentinel-1:26379,sentinel-2:26379/0 ");
    }

    @Test
    void the_ingest_of_the_readme() throws Exception {
        try (RealRedis server = RealRedis.running();
                Chat chat = new Chat()) {
            ingest(server.options(), chat.postrider, chat.pool);
            assertThat(handled.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    private void ingest(RedisOptions redis, Postrider postrider, DataSource dataSource) throws InterruptedException {
        // region ingest
        try (RedisIngest ingest = new RedisIngest(redis, IngestOptions.of("incoming"))) {
            // in the API process: answer the visitor when this returns
            ingest.add("visit-17/message-1", "{\"text\": \"hello\"}");
            // in the worker process
            postrider.add(Worker.on("incoming").handling("message.received", job -> save(job.payload())));
            postrider.start();
            ingest.start(postrider, dataSource, entry -> Job.of("incoming", "message.received", entry.data()));
            handled.await();
        }
        // endregion
    }

    private Fate save(String payload) {
        assertThat(payload).contains("hello");
        handled.countDown();
        return Fate.done();
    }

    @Test
    void every_java_snippet_is_a_region_of_this_file() throws IOException {
        String here = Files.readString(Path.of("src/test/java/io/postrider/redis/ReadmeTest.java"));
        List<String> known = found("(?s)// region [^\n]*\n(.*?)\n *// endregion", here);
        List<String> shown = found("(?s)```java\n(.*?)```", Files.readString(Path.of("README.md")));
        assertThat(shown).hasSize(5).isSubsetOf(known);
    }

    private static List<String> found(String pattern, String text) {
        List<String> found = new ArrayList<>();
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1).strip().replaceAll("\\s+", " "));
        }
        return found;
    }
}
