package io.postrider.webhook;

import static io.postrider.webhook.TestEndpoint.addresses;
import static io.postrider.webhook.TestEndpoint.status;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.FailurePolicy;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.testkit.Await;
import io.postrider.testkit.Ports;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestRun;
import io.postrider.webhook.Endpoint.Resolver;
import io.postrider.webhook.TestEndpoint.Received;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The sink as a relay's: on a real log. */
@PostgresTest
@Tag("slow")
class WebhookRelayTest {
    private static final Duration SOON = Duration.ofMillis(20);

    @Test
    void an_endpoint_that_is_down_and_then_up_gets_everything_and_no_event_is_blamed(TestDatabase database)
            throws Exception {
        int port = Ports.free();
        WebhookOptions options =
                WebhookOptions.signedWith(WebhookOptions.newSecret()).withAllowedHosts("localhost:" + port);
        AtomicInteger connecting = new AtomicInteger();
        Resolver counting = host -> {
            connecting.incrementAndGet();
            return addresses("127.0.0.1");
        };
        URI url = URI.create("http://localhost:" + port + "/");
        try (WebhookSink sink = WebhookSink.to(url, options, counting, Clock.systemUTC());
                Postrider postrider = Postrider.on(database.dataSource()).migrate()) {
            // one attempt only: the first that is counted makes a dead letter
            postrider.add(relay(sink).withAttempts(1).withBackoff(SOON, SOON)).start();
            emit(postrider, database, 30, 3);
            AtomicInteger asked = new AtomicInteger();
            Await.until(
                    "it has stood before a closed door a few times",
                    Duration.ofSeconds(60),
                    () -> connecting.get() > 3);
            try (TestEndpoint endpoint = TestEndpoint.start(port)) {
                endpoint.answering((exchange, one) -> {
                    int number = asked.incrementAndGet();
                    status(number == 1 ? 503 : number == 2 ? 429 : 204, "retry-after", "0")
                            .answer(exchange, one);
                });
                Await.until(
                        "all have arrived",
                        Duration.ofSeconds(60),
                        () -> positions(endpoint).containsAll(all(30)));
                awaitCursor(database, 30);
            }
            assertThat(number(database, "select count(*) from postrider.dead_letter"))
                    .isZero();
        }
    }

    @Test
    void an_endpoint_of_random_latency_gets_each_key_in_order(TestDatabase database) throws Exception {
        Random random = new Random(TestRun.seed("latency of the endpoint"));
        Set<String> busy = ConcurrentHashMap.newKeySet();
        AtomicInteger twoOfOneKey = new AtomicInteger();
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger mostAtOnce = new AtomicInteger();
        try (TestEndpoint endpoint = TestEndpoint.start();
                WebhookSink sink = endpoint.sink();
                Postrider postrider = Postrider.on(database.dataSource()).migrate()) {
            endpoint.answering((exchange, one) -> {
                mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                if (!busy.add(key(one))) {
                    twoOfOneKey.incrementAndGet();
                }
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(15_000)));
                busy.remove(key(one));
                atOnce.decrementAndGet();
                status(204).answer(exchange, one);
            });
            emit(postrider, database, 400, 10);
            postrider.add(relay(sink).withConcurrency(6)).start();
            awaitCursor(database, 400);
            assertThat(positions(endpoint)).containsExactlyInAnyOrderElementsOf(all(400));
            assertInOrderByKey(endpoint);
            assertThat(twoOfOneKey).hasValue(0);
            assertThat(mostAtOnce.get()).isBetween(2, 6);
        }
    }

    @Test
    void an_event_that_is_refused_holds_up_its_key_alone_and_becomes_a_dead_letter(TestDatabase database)
            throws Exception {
        try (TestEndpoint endpoint = TestEndpoint.start();
                WebhookSink sink = endpoint.sink();
                Postrider postrider = Postrider.on(database.dataSource()).migrate()) {
            endpoint.answering(
                    (exchange, one) -> (one.header("postrider-position").equals("5")
                                    ? status(422, "no such order")
                                    : status(204))
                            .answer(exchange, one));
            emit(postrider, database, 40, 4);
            postrider
                    .add(relay(sink)
                            .withConcurrency(4)
                            .withPolicy(FailurePolicy.PARK)
                            .withAttempts(3)
                            .withBackoff(SOON, SOON))
                    .start();
            Await.until(
                    "the dead letter is there",
                    Duration.ofSeconds(60),
                    () -> number(database, "select count(*) from postrider.dead_letter") == 1);
            Await.until(
                    "the others have arrived",
                    Duration.ofSeconds(60),
                    () -> positions(endpoint).containsAll(all(40)));
            assertThat(endpoint.received.stream()
                            .filter(one -> one.header("postrider-position").equals("5"))
                            .map(one -> one.header("webhook-id"))
                            .toList())
                    .as("three attempts of one message")
                    .hasSize(3)
                    .containsOnly(endpoint.received.stream()
                            .filter(one -> one.header("postrider-position").equals("5"))
                            .findFirst()
                            .orElseThrow()
                            .header("webhook-id"));
        }
    }

    private static Listener relay(WebhookSink sink) {
        return Listener.relay("hook", "orders", sink).withStart(StartPoint.beginning());
    }

    private static void emit(Postrider postrider, TestDatabase database, int events, int keys) throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < events; i++) {
                postrider.emit(
                        connection, Event.of("orders", "order.placed", "{}").withKey("k" + i % keys));
                connection.commit();
            }
        }
    }

    private static void awaitCursor(TestDatabase database, long position) {
        Await.until(
                "the relay has settled position " + position,
                Duration.ofSeconds(60),
                () -> number(database, "select position from postrider.listeners where name = 'hook'") == position);
    }

    private static List<Long> all(int events) {
        return LongStream.rangeClosed(1, events).boxed().toList();
    }

    private static List<Long> positions(TestEndpoint endpoint) {
        return endpoint.received.stream()
                .map(one -> Long.parseLong(one.header("postrider-position")))
                .toList();
    }

    private static void assertInOrderByKey(TestEndpoint endpoint) {
        Map<String, Long> last = new HashMap<>();
        for (Received one : endpoint.received) {
            long position = Long.parseLong(one.header("postrider-position"));
            Long before = last.put(key(one), position);
            assertThat(before == null || before < position).isTrue();
        }
        assertThat(last).hasSize(10);
    }

    private static String key(Received one) {
        return new String(one.body(), StandardCharsets.UTF_8).replaceAll(".*\"partitionkey\":\"(\\w+)\".*", "$1");
    }

    private static long number(TestDatabase database, String sql) throws Exception {
        try (Connection connection = database.dataSource().getConnection();
                var statement = connection.createStatement();
                var result = statement.executeQuery(sql)) {
            return result.next() ? result.getLong(1) : -1;
        }
    }
}
