package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.postrider.Event;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.Sink;
import io.postrider.StartPoint;
import io.postrider.gateway.Gateway;
import io.postrider.redis.RedisOptions;
import io.postrider.redis.RedisPubSubSink;
import io.postrider.testkit.Await;
import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.program.Chromium;
import io.postrider.testkit.program.RedisProcess;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.chrome.ChromeDriver;

/**
 * A server that hears of events through Redis, forty clients of it and a browser, some hundred events a second, and a Redis that
 * is cut, killed, frozen, and loses messages without a word: in the end everybody has every event of its rooms, once and in order.
 *
 * <p>A bare subscriber listens to the same channel meanwhile. It is held to the same, and fails: the trouble is real, and the check
 * would see it.
 */
@NeedsProgram({"chromium", "chromedriver"})
@PostgresTest
@Tag("slow")
@Timeout(300)
class RedisTroubleTest {
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final int CLIENTS = 40;
    private static final int PROJECTS = 4;
    private static final int USERS = 5;
    private static final Pattern POSITION = Pattern.compile("\"position\":\"?(\\d+)");

    private final List<AutoCloseable> open = new ArrayList<>();
    private final String secret = UUID.randomUUID().toString();

    @Test
    void whatever_becomes_of_redis_everybody_has_every_event_of_its_rooms_once_and_in_order(TestDatabase database)
            throws Exception {
        try (RedisProcess redis = RedisProcess.running();
                LiveServer server = LiveServer.on(database, settings(redis))) {
            Postrider postrider = server.postrider();
            relay(database, redis);
            List<Long> bare = bareSubscriber(redis);
            List<Audience> clients = clients(server);
            Audience page = Audience.ofBoth(server, "u0", "p0");
            ChromeDriver browser = browser(server, page);
            try (Load load = new Load(server)) {
                trouble(redis, load);
            }
            List<LogEvent> all = all(postrider);
            Await.until(
                    "the gateway has them",
                    LONG,
                    () -> server.server().bean(Gateway.class).hub().reached("orders") == all.size());
            for (Audience client : clients) {
                awaitAll(client, all);
            }
            Await.until(
                    "the page has them",
                    LONG,
                    () -> heard(browser).size() >= page.expected(all).size());
            assertThat(heard(browser)).as("in the browser").isEqualTo(page.expected(all));
            assertThat(bare)
                    .as("a bare subscriber, by the same check")
                    .isNotEqualTo(all.stream().map(LogEvent::position).toList());
            System.out.printf(
                    "%d events to %d clients and a page; a bare subscriber has lost %d%n",
                    all.size(), CLIENTS, all.size() - bare.stream().distinct().count());
        } finally {
            Collections.reverse(open);
            for (AutoCloseable one : open) {
                one.close();
            }
        }
    }

    /** In the order in which it may come to somebody; each after so many more events. */
    private static void trouble(RedisProcess redis, Load load) {
        load.await(400);
        cut(redis);
        load.await(300);
        redis.kill9();
        load.await(400);
        redis.start();
        load.await(400);
        for (int i = 0; i < 10; i++) {
            cut(redis);
            load.await(20);
        }
        redis.freeze();
        load.await(500);
        redis.thaw();
        load.await(400);
        redis.kill9();
        load.await(600);
        redis.start();
        load.await(400);
        redis.tell("CLIENT KILL TYPE normal");
        load.await(1_800);
        cut(redis); // and what is lost now, nothing comes after
        load.await(5);
    }

    private static void cut(RedisProcess redis) {
        assertThat(redis.tell("CLIENT KILL TYPE pubsub")).startsWith(":");
    }

    private static void awaitAll(Audience client, List<LogEvent> all) {
        List<Long> expected = client.expected(all);
        Await.until(client.name + " has all", LONG, () -> {
            if (!client.end().isEmpty()) {
                throw new IllegalStateException("it was cut: " + client.end());
            }
            return client.heard().size() >= expected.size();
        });
        assertThat(client.heard()).as(client.name).isEqualTo(expected);
        assertThat(expected).as(client.name).hasSizeGreaterThan(100);
    }

    // ── who is there ────────────────────────────────────────────────────────────────────────────────────────────────

    private Map<String, String> settings(RedisProcess redis) {
        return Map.of(
                "REDIS_HOST",
                "127.0.0.1",
                "REDIS_PORT",
                Integer.toString(redis.port()),
                "postrider.redis-channel-secret",
                secret,
                "postrider.gateway.feed",
                "redis");
    }

    /** On a node of its own. Of each forty messages it says that one was sent which was not. */
    private void relay(TestDatabase database, RedisProcess redis) {
        RedisPubSubSink sink =
                new RedisPubSubSink(RedisOptions.at("127.0.0.1", redis.port()).withChannelSecret(secret));
        Postrider node = Postrider.on(database.dataSource(), Options.defaults().withNode("relaying"));
        node.add(Listener.relay("live", "orders", new Forgetful(sink)).withStart(StartPoint.beginning()));
        open.add(sink);
        open.add(node);
        node.start();
    }

    private List<Audience> clients(LiveServer server) throws Exception {
        List<Audience> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            String project = "p" + i % PROJECTS;
            String user = "u" + i % USERS;
            Audience client = switch (i % 3) {
                case 0 -> Audience.ofProject(server, "client-" + i, project);
                case 1 -> Audience.ofUser(server, user, project);
                default -> Audience.ofBoth(server, user, project);
            };
            clients.add(i < CLIENTS / 2 ? client.stream(server) : client.socket(server));
            open.add(client);
        }
        Await.until("everybody is let in", LONG, () -> clients.stream().allMatch(Audience::isWelcomed));
        return clients;
    }

    private ChromeDriver browser(LiveServer server, Audience page) {
        ChromeDriver browser = Chromium.start(1280, 800);
        open.add(browser::quit);
        browser.manage().timeouts().scriptTimeout(LONG);
        browser.get(server.uri("/postrider.js").toString());
        Object failure = browser.executeAsyncScript(
                "const done = arguments[arguments.length - 1]; window.heard = [];"
                        + "import('/postrider.js').then(({connect}) => connect({topic: 'orders', rooms: "
                        + page.roomList()
                        + ", token: '" + page.token() + "', onEvent: (event, position) => window.heard.push(position),"
                        + " onState: (state, detail) => { if (state === 'open') done(null);"
                        + " if (state === 'refused') done(JSON.stringify(detail)); }})).catch((error) => done(String(error)));");
        assertThat(failure).isNull();
        return browser;
    }

    @SuppressWarnings("unchecked")
    private static List<Long> heard(ChromeDriver browser) {
        return (List<Long>) browser.executeScript("return window.heard");
    }

    /** As one would write it: listens, and comes back when the connection is lost. */
    private List<Long> bareSubscriber(RedisProcess redis) {
        List<Long> heard = Collections.synchronizedList(new ArrayList<>());
        RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", redis.port()));
        open.add(() -> client.shutdown(0, 2, TimeUnit.SECONDS));
        StatefulRedisPubSubConnection<String, String> connection = client.connectPubSub();
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                Matcher position = POSITION.matcher(message);
                if (position.find()) {
                    heard.add(Long.parseLong(position.group(1)));
                }
            }
        });
        connection.sync().subscribe(RedisPubSubSink.CHANNEL);
        return heard;
    }

    private static List<LogEvent> all(Postrider postrider) {
        List<LogEvent> all = new ArrayList<>();
        long head = postrider.log().head("orders");
        while (all.size() < head) {
            all.addAll(postrider.log().read("orders", all.size(), 1_000));
        }
        return all;
    }

    private record Forgetful(RedisPubSubSink sink) implements Sink {
        @Override
        public String describe() {
            return sink.describe();
        }

        @Override
        public SendResult send(RelayEpoch epoch, List<LogEvent> events) throws Exception {
            List<LogEvent> sent =
                    events.stream().filter(event -> event.position() % 40 != 0).toList();
            return sent.isEmpty() ? SendResult.whole() : sink.send(epoch, sent);
        }

        @Override
        public Map<Long, UUID> holds(RelayEpoch epoch, long after) throws Exception {
            return sink.holds(epoch, after);
        }

        @Override
        public String test() throws Exception {
            return sink.test();
        }

        @Override
        public void close() {
            sink.close();
        }
    }

    // ── the load ────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Two writers, each up to eight events every 25 ms. */
    private static final class Load implements AutoCloseable {
        private final LiveServer server;
        private final javax.sql.DataSource dataSource;
        private final ScheduledExecutorService writers = Executors.newScheduledThreadPool(2);
        private final AtomicLong committed = new AtomicLong();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();

        Load(LiveServer server) {
            this.server = server;
            this.dataSource = server.server().bean(javax.sql.DataSource.class);
            for (int i = 1; i <= 2; i++) {
                Random random = new Random(i);
                writers.scheduleAtFixedRate(() -> write(random), 0, 25, TimeUnit.MILLISECONDS);
            }
        }

        private void write(Random random) {
            List<Event> events = new ArrayList<>();
            for (int i = random.nextInt(8); i >= 0; i--) {
                Event event = Event.of("orders", "said", "{\"said\":\"" + "x".repeat(random.nextInt(200)) + "\"}")
                        .withUser("u" + random.nextInt(USERS));
                int project = random.nextInt(PROJECTS + 1);
                events.add(project == PROJECTS ? event : event.withProject("p" + project));
            }
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                server.postrider().emitAll(connection, events);
                connection.commit();
                committed.addAndGet(events.size());
            } catch (SQLException | RuntimeException e) {
                failure.set(e);
            }
        }

        /** So many more, and all of them in the log. */
        void await(int more) {
            long wanted = committed.get() + more;
            Await.until(more + " more events", LONG, () -> committed.get() >= wanted);
        }

        @Override
        public void close() throws InterruptedException {
            writers.shutdown();
            assertThat(writers.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            assertThat(failure.get()).isNull();
            Await.until(
                    "all have a position", LONG, () -> server.postrider().log().head("orders") == committed.get());
        }
    }
}
