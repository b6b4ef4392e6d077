package io.postrider.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.KillArgs;
import io.postrider.Envelope;
import io.postrider.Event;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.RelayEpoch;
import io.postrider.admin.Log;
import io.postrider.gateway.Feed;
import io.postrider.gateway.GatewayOptions;
import io.postrider.gateway.Hub;
import io.postrider.testkit.Await;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A channel that loses, a log that does not: what the gateway gets is every event, once, in order, and nobody else's. */
@Timeout(120)
@Tag("slow")
class RedisFeedTest {
    private static final RelayEpoch COURSE = new RelayEpoch("to-channel", "chat", 1);
    private static final String SECRET = UUID.randomUUID().toString();
    private static RealRedis redis;

    private final Recorder recorder = new Recorder();
    private final Chat chat = new Chat();
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeAll
    static void startRedis() {
        redis = RealRedis.running();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @AfterEach
    void tidyUp() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
        chat.close();
        assertThat(recorder.faults()).isEmpty();
    }

    // ── every event, once, in order ─────────────────────────────────────────────────────────────────────────────────

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void what_the_relay_publishes_is_handed_over_as_it_was_emitted(boolean sealed) {
        chat.relay(options(sealed)).start();
        RedisFeed feed = listening(options(sealed));
        for (int i = 0; i < 20; i++) {
            chat.emit(5);
        }

        recorder.awaitPosition(100);

        assertThat(recorder.all()).isEqualTo(chat.postrider.log().read("chat", 0, 1_000));
        assertThat(feed.ignored()).isZero();
    }

    @Test
    void sealed_messages_are_taken_at_their_word_and_unsealed_ones_are_read_from_the_log() {
        chat.start();
        chat.emit(3);
        List<LogEvent> three = read(3);
        RedisFeed believing = feed(options(true));
        Recorder atZero = new Recorder();
        awaitListening(believing);
        believing.follow("empty", 0, atZero);
        atZero.awaitBegun();

        publish(options(true), moved(three, "empty"));

        atZero.awaitPosition(3); // the log has no such topic
        assertThat(believing.repaired()).isZero();
        RedisFeed asking = feed(options(false));
        Recorder nothing = new Recorder();
        awaitListening(asking);
        asking.follow("empty", 0, nothing);
        nothing.awaitBegun();
        publish(options(false), moved(three, "empty"));
        asking.follow("chat", 3, recorder);
        recorder.awaitPosition(3);
        assertThat(nothing.all()).isEmpty();
    }

    @Test
    void it_begins_with_the_last_events_at_the_head() {
        chat.start();
        chat.emit(10);
        read(10);
        RedisFeed feed = feed(options(true));

        feed.follow("chat", 4, recorder);
        recorder.awaitBegun();

        assertThat(recorder.begun()).isEqualTo(10);
        assertThat(recorder.all()).extracting(LogEvent::position).containsExactly(7L, 8L, 9L, 10L);
        assertThat(feed.head("chat")).isEqualTo(10);
        assertThatThrownBy(() -> feed.follow("chat", 0, recorder)).hasMessageContaining("chat is already followed");
    }

    @Test
    void a_hole_is_filled_from_the_log_and_what_comes_twice_or_late_is_dropped() {
        chat.start();
        RedisFeed feed = listening(options(true));
        List<LogEvent> all = grown(10);
        long before = feed.repaired();

        publish(options(true), List.of(all.get(9), all.get(2), all.get(3), all.get(9), all.get(0)));

        recorder.awaitPosition(10);
        publish(options(true), all);
        chat.emit(1);
        recorder.awaitPosition(11);
        assertThat(recorder.all()).hasSize(11);
        assertThat(feed.repaired() - before).isPositive();
    }

    @Test
    void what_nobody_publishes_is_found_by_looking() {
        chat.start();
        listening(options(true));
        chat.emit(7);
        recorder.awaitPosition(7);
        chat.emit(1);
        recorder.awaitPosition(8);
    }

    @Test
    void while_redis_was_never_there_the_log_is_read() {
        chat.start();
        RedisFeed feed = feed(RedisOptions.at("127.0.0.1", 1));
        feed.follow("chat", 0, recorder);
        recorder.awaitBegun();
        chat.emit(50);
        recorder.awaitPosition(50);
        assertThat(feed.isListening()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void redis_killed_restarted_and_clients_killed_under_load_and_every_event_comes_once_and_in_order(boolean sealed)
            throws Exception {
        try (RealRedis own = RealRedis.running()) {
            RedisOptions options = options(own, sealed);
            chat.relay(options).start();
            RedisFeed feed = feed(options);
            feed.follow("chat", 0, recorder);
            recorder.awaitBegun();
            CountDownLatch enough = new CountDownLatch(1);
            CompletableFuture<Integer> load = load(enough);
            for (int round = 1; round <= 3; round++) {
                awaitRelay();
                awaitMore(100);
                own.cli(cli -> cli.clientKill(KillArgs.Builder.typePubsub()));
                awaitMore(100);
                own.cli(cli -> cli.clientKill(KillArgs.Builder.typeNormal()));
                awaitMore(100);
                own.kill9();
                awaitMore(100);
                own.start();
                awaitListening(feed);
            }
            enough.countDown();
            int emitted = load.get();

            recorder.awaitPosition(emitted);

            assertThat(recorder.faults()).isEmpty();
            assertThat(recorder.all())
                    .extracting(LogEvent::id)
                    .isEqualTo(LongStream.rangeClosed(1, emitted)
                            .mapToObj(n -> new UUID(7, n))
                            .toList());
            System.out.println(
                    "redis_feed_chaos sealed=" + sealed + " events=" + emitted + " from_log=" + feed.repaired());
        }
    }

    @Test
    void a_receiver_that_is_slow_or_fails_gets_everything_in_the_end() {
        chat.relay(options(true)).start();
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger failures = new AtomicInteger();
        RedisFeed feed = feed(options(true));
        awaitListening(feed);
        feed.follow("chat", 0, new Feed.Receiver() {
            @Override
            public void begins(long position, List<LogEvent> recent) {
                recorder.begins(position, recent);
            }

            @Override
            public void events(List<LogEvent> events) throws InterruptedException {
                goOn.await();
                switch (failures.incrementAndGet()) {
                    case 1 -> throw new IllegalStateException("full");
                    case 2 -> throw new StackOverflowError("no exception, and not the end either");
                    default -> recorder.events(events);
                }
            }

            @Override
            public void changed(long head) {
                recorder.changed(head);
            }
        });
        recorder.awaitBegun();
        String large = "{\"text\": \"" + "x".repeat(200_000) + "\"}";
        for (int i = 0; i < 50; i++) { // together more than the inbox holds
            chat.emit(List.of(Event.of("chat", "message:created", large)));
        }
        Await.until(
                "the relay is through",
                Duration.ofSeconds(60),
                () -> chat.postrider.listeners().list().get(0).position() == 50);
        goOn.countDown();

        recorder.awaitPosition(50);

        assertThat(recorder.all()).hasSize(50);
    }

    // ── and nobody else's ───────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void without_a_secret_a_forged_event_is_at_most_a_hint() {
        chat.start();
        RedisFeed feed = listening(options(false));
        List<LogEvent> real = grown(3);
        recorder.awaitPosition(3);

        publish(options(false), List.of(forged(4), forged(2), forged(1_000_000), forged(Long.MAX_VALUE)));
        chat.emit(2);
        recorder.awaitPosition(5);

        assertThat(recorder.payloads()).noneMatch(payload -> payload.contains("forged"));
        assertThat(recorder.all().subList(0, 3)).isEqualTo(real);
        assertThat(feed.ignored()).isZero();
    }

    @Test
    void with_a_secret_a_message_without_its_seal_is_ignored_and_counted() {
        chat.start();
        RedisFeed feed = listening(options(true));
        grown(3);
        recorder.awaitPosition(3);

        publish(options(false), List.of(forged(4)));
        publish(redis.options().withChannelSecret(UUID.randomUUID().toString()), List.of(forged(4), forged(5)));
        Await.until("three are ignored", () -> feed.ignored() == 3);
        chat.emit(2);
        recorder.awaitPosition(5);

        assertThat(recorder.payloads()).noneMatch(payload -> payload.contains("forged"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rubbish_is_ignored_and_counted(boolean sealed) {
        chat.relay(options(sealed)).start();
        RedisFeed feed = listening(options(sealed));
        List<String> rubbish = List.of("", "hello", "{}", "[".repeat(10_000), "\u0000", "{\"position\":1}");
        rubbish.forEach(text -> redis.cli(cli -> cli.publish(RedisPubSubSink.CHANNEL, text)));
        Await.until("all is ignored", () -> feed.ignored() == rubbish.size());
        chat.emit(2);
        recorder.awaitPosition(2);
    }

    @Test
    void a_flood_of_forged_hints_holds_nothing_up() {
        chat.relay(options(false)).start();
        listening(options(false));
        List<LogEvent> forged =
                LongStream.rangeClosed(1, 2_000).mapToObj(RedisFeedTest::forged).toList();
        for (int i = 0; i < 10; i++) {
            publish(options(false), forged);
            chat.emit(1);
        }
        recorder.awaitPosition(10);
        assertThat(recorder.payloads()).noneMatch(payload -> payload.contains("forged"));
    }

    // ── another log ─────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_log_that_is_not_the_one_it_was_is_noticed_and_read_again_from_where_it_was_the_same() throws Exception {
        try (Chat standby = new Chat()) {
            chat.start();
            standby.start();
            chat.emit(8);
            standby.emit(6);
            standby.emit(List.of(
                    Event.of("chat", "message:created", "{\"other\": 7}"),
                    Event.of("chat", "message:created", "{\"other\": 8}"),
                    Event.of("chat", "message:created", "{\"other\": 9}")));
            awaitHead(standby.postrider, 9);
            AtomicReference<DataSource> current = new AtomicReference<>(chat.pool);
            RedisFeed feed = new RedisFeed(
                    options(true), Postrider.on(switching(current)).log());
            open.add(feed);
            awaitHead(chat.postrider, 8);
            feed.follow("chat", 8, recorder);
            recorder.awaitBegun();

            current.set(standby.pool);

            recorder.awaitPosition(9);
            assertThat(recorder.changes()).containsExactly(6L);
            assertThat(recorder.payloads().subList(8, 11)).allMatch(payload -> payload.contains("other"));
            feed.close();
        }
    }

    @Test
    void a_log_that_has_become_shorter_is_noticed() throws Exception {
        try (Chat standby = new Chat()) {
            chat.start();
            standby.start();
            chat.emit(8);
            standby.emit(5);
            awaitHead(standby.postrider, 5);
            awaitHead(chat.postrider, 8);
            AtomicReference<DataSource> current = new AtomicReference<>(chat.pool);
            RedisFeed feed = new RedisFeed(
                    options(false), Postrider.on(switching(current)).log());
            open.add(feed);
            feed.follow("chat", 2, recorder);
            recorder.awaitBegun();

            current.set(standby.pool);
            Await.until(
                    "noticed", Duration.ofSeconds(30), () -> !recorder.changes().isEmpty());
            standby.emit(2);

            recorder.awaitPosition(7);
            assertThat(recorder.changes()).containsExactly(5L);
            feed.close();
        }
    }

    @Test
    void what_retention_has_taken_meanwhile_is_passed_over_and_the_receiver_sees_the_hole() throws Exception {
        chat.start();
        chat.emit(3);
        awaitHead(chat.postrider, 3);
        AtomicReference<DataSource> current = new AtomicReference<>(chat.pool);
        RedisFeed feed =
                new RedisFeed(options(false), Postrider.on(switching(current)).log());
        open.add(feed);
        Recorder late = new Recorder();
        feed.follow("chat", 3, late);
        late.awaitBegun();
        PGSimpleDataSource nowhere = new PGSimpleDataSource();
        nowhere.setPortNumbers(new int[] {1});
        current.set(nowhere);
        chat.emit(7);
        awaitHead(chat.postrider, 10);
        try (Connection connection = chat.pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("insert into postrider.forgotten (topic, position) values ('chat', 7)");
            statement.execute("delete from postrider.log where topic = 'chat' and position <= 7");
        }
        current.set(chat.pool);

        late.awaitPosition(10);

        assertThat(late.all()).extracting(LogEvent::position).containsExactly(1L, 2L, 3L, 8L, 9L, 10L);
        assertThat(late.faults()).containsExactly("position 8 after 3");
    }

    @Test
    void a_hub_that_is_fed_so_reaches_every_position() throws Exception {
        chat.relay(options(true)).start();
        Log log = chat.postrider.log();
        try (Hub hub = Hub.open(new RedisFeed(options(true), log), new LogOnly(log), GatewayOptions.of("chat"))) {
            Await.until("the hub is ready", Duration.ofSeconds(30), hub::isReady);
            chat.emit(100);
            redis.cli(cli -> cli.clientKill(KillArgs.Builder.typePubsub()));
            chat.emit(100);
            Await.until("the hub is at 200", Duration.ofSeconds(30), () -> hub.reached("chat") == 200);
        }
    }

    // ── how ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    private RedisOptions options(boolean sealed) {
        return options(redis, sealed);
    }

    private static RedisOptions options(RealRedis redis, boolean sealed) {
        return sealed ? redis.options().withChannelSecret(SECRET) : redis.options();
    }

    private RedisFeed feed(RedisOptions options) {
        RedisFeed feed = new RedisFeed(options, Postrider.on(chat.pool).log());
        open.add(feed);
        return feed;
    }

    /** A feed of the topic, from its beginning, that hears what is published from now on. */
    private RedisFeed listening(RedisOptions options) {
        RedisFeed feed = feed(options);
        awaitListening(feed);
        feed.follow("chat", 0, recorder);
        recorder.awaitBegun();
        return feed;
    }

    private static void awaitListening(RedisFeed feed) {
        Await.until("the feed listens", Duration.ofSeconds(30), feed::isListening);
    }

    private List<LogEvent> grown(int count) {
        chat.emit(count);
        return read(count);
    }

    private List<LogEvent> read(int count) {
        awaitHead(chat.postrider, count);
        return chat.postrider.log().read("chat", 0, count);
    }

    private static void awaitHead(Postrider postrider, long head) {
        Await.until(
                "the head is " + head,
                Duration.ofSeconds(30),
                () -> postrider.log().head("chat") == head);
    }

    private void publish(RedisOptions options, List<LogEvent> events) {
        try (RedisPubSubSink sink = new RedisPubSubSink(options)) {
            assertThat(sink.send(COURSE, events).isWhole()).isTrue();
        }
    }

    /** Five events every 10 ms: a relay that is there keeps up, so that both ways are taken. */
    private CompletableFuture<Integer> load(CountDownLatch enough) {
        CompletableFuture<Integer> emitted = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            int count = 0;
            try {
                while (!enough.await(10, TimeUnit.MILLISECONDS)) {
                    chat.emit(5);
                    count += 5;
                }
                emitted.complete(count);
            } catch (InterruptedException | RuntimeException e) {
                emitted.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return emitted;
    }

    private void awaitRelay() {
        Await.until(
                "the relay keeps up",
                Duration.ofSeconds(30),
                () -> chat.postrider.relays().list().get(0).lag() < 20);
    }

    private void awaitMore(int events) {
        recorder.awaitPosition(recorder.position() + events);
    }

    private static LogEvent forged(long position) {
        return new LogEvent(
                "chat",
                position,
                UUID.randomUUID(),
                "message:created",
                "{\"forged\": true}",
                null,
                "p1",
                null,
                null,
                null,
                "{}",
                java.time.Instant.EPOCH);
    }

    private static List<LogEvent> moved(List<LogEvent> events, String topic) {
        return events.stream()
                .map(event -> EnvelopeText.read(
                                Envelope.json(event).replace("\"topic\":\"chat\"", "\"topic\":\"" + topic + "\""))
                        .orElseThrow())
                .toList();
    }

    private static DataSource switching(AtomicReference<DataSource> current) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    try {
                        return method.invoke(current.get(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
