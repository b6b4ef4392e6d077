package io.postrider.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.postrider.Job;
import io.postrider.Listener;
import io.postrider.StartPoint;
import io.postrider.testkit.Await;
import io.postrider.testkit.program.RedisProcess;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sink, feed and ingest on a real cluster of three nodes, of which they know one. */
@Timeout(180)
@Tag("slow")
class RedisClusterTest {
    private static final Duration MOST = Duration.ofSeconds(60);
    private static RealCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RealCluster.running();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void streams_on_every_node_get_each_event_once_and_in_order() throws Exception {
        List<String> streams = List.of("a", "b", "c", "d", "e", "f");
        Set<Integer> owners = new HashSet<>();
        try (Chat chat = new Chat()) {
            List<RedisStreamSink> sinks = streams.stream()
                    .map(stream -> new RedisStreamSink(cluster.options(), stream))
                    .toList();
            for (int i = 0; i < streams.size(); i++) {
                chat.postrider.add(Listener.relay("to-" + streams.get(i), "chat", sinks.get(i))
                        .withStart(StartPoint.beginning()));
                owners.add(cluster.ownerOf(streams.get(i)).port());
                assertThat(sinks.get(i).test()).contains("cluster 127.0.0.1:");
            }
            assertThat(owners).as("nodes").hasSize(3);
            chat.start();
            chat.emit(500);
            for (String stream : streams) {
                Await.until(stream + " has all", MOST, () -> positions(stream).size() == 500);
                assertThat(positions(stream))
                        .isEqualTo(LongStream.rangeClosed(1, 500).boxed().toList());
            }
            sinks.forEach(RedisStreamSink::close);
        }
    }

    @Test
    void a_node_that_dies_and_comes_back_loses_nothing_and_repeats_nothing() throws Exception {
        String stream = "restarted";
        RedisProcess owner = cluster.ownerOf(stream);
        try (Chat chat = new Chat()) {
            chat.relay(new RedisStreamSink(cluster.allNodes(), stream)).start();
            for (int i = 0; i < 60; i++) {
                chat.emit(10);
                if (i % 20 == 10) {
                    owner.kill9();
                    owner.start();
                }
            }
            Await.until("all are there", MOST, () -> positions(stream).size() >= 600);
            assertThat(positions(stream))
                    .isEqualTo(LongStream.rangeClosed(1, 600).boxed().toList());
        }
    }

    @Test
    void a_slot_that_moves_to_another_node_is_followed() throws Exception {
        String stream = "moving";
        RedisProcess owner = cluster.ownerOf(stream);
        RedisProcess other = cluster.nodes().stream()
                .filter(node -> node.port() != owner.port())
                .findFirst()
                .orElseThrow();
        try (Chat chat = new Chat()) {
            chat.relay(new RedisStreamSink(cluster.allNodes(), stream)).start();
            chat.emit(10);
            Await.until("ten are there", MOST, () -> positions(stream).size() == 10);
            owner.tell("DEL " + stream);
            cluster.moveSlot(stream, other);
            chat.emit(10);
            Await.until(
                    "the other ten are on the other node",
                    MOST,
                    () -> positions(stream).size() == 10);
            assertThat(cluster.ownerOf(stream).port()).isEqualTo(other.port());
            assertThat(positions(stream))
                    .isEqualTo(LongStream.rangeClosed(11, 20).boxed().toList());
        }
    }

    @Test
    void a_feed_gets_what_a_relay_publishes() throws Exception {
        RedisOptions options = cluster.options().withChannelSecret("a secret of the two");
        Recorder recorder = new Recorder();
        try (Chat chat = new Chat()) {
            chat.relay(options).start();
            try (RedisFeed feed = new RedisFeed(options, chat.postrider.log())) {
                Await.until("it listens", MOST, feed::isListening);
                feed.follow("chat", 0, recorder);
                recorder.awaitBegun();
                chat.emit(100);
                recorder.awaitPosition(100);
                assertThat(recorder.all()).isEqualTo(chat.postrider.log().read("chat", 0, 1_000));
                assertThat(feed.repaired()).as("read from the log").isLessThan(100);
                assertThat(feed.ignored()).isZero();
            }
        }
    }

    @Test
    void entries_become_jobs_and_refused_ones_go_to_the_node_of_their_stream() throws Exception {
        try (Chat chat = new Chat();
                RedisIngest ingest = new RedisIngest(cluster.options(), IngestOptions.of("incoming"))) {
            chat.start();
            ingest.start(chat.postrider, chat.pool, entry -> {
                if (entry.data().contains("bad")) {
                    throw new IllegalArgumentException("not a job");
                }
                return Job.of("incoming", "message", entry.data());
            });
            for (int i = 0; i < 50; i++) {
                ingest.add("{\"n\": " + i + "}");
            }
            ingest.add("{\"bad\": true}");
            Await.until("the stream is empty", MOST, () -> ingest.waiting() == 0);
            Await.until("fifty jobs", MOST, () -> {
                chat.postrider.jobs().sequence();
                return chat.postrider.queues().list().stream()
                                .mapToLong(queue -> queue.depth())
                                .sum()
                        == 50;
            });
            assertThat(entries("incoming:refused")).isEqualTo(1);
        }
    }

    private static List<Long> positions(String stream) {
        return read(
                stream,
                connection -> connection.sync().xrange(stream, Range.unbounded()).stream()
                        .map(entry -> Long.parseLong(entry.getBody().get("position")))
                        .toList());
    }

    private static long entries(String stream) {
        return read(stream, connection -> connection.sync().xlen(stream));
    }

    private static <T> T read(
            String stream, java.util.function.Function<StatefulRedisConnection<String, String>, T> reader) {
        RedisOptions owner =
                RedisOptions.at("127.0.0.1", cluster.ownerOf(stream).port());
        RedisClient client = RedisClient.create(owner.uri("test"));
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return reader.apply(connection);
        } finally {
            client.shutdown();
        }
    }
}
