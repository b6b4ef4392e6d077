package io.postrider.webhook;

import static io.postrider.webhook.TestEndpoint.COURSE;
import static io.postrider.webhook.TestEndpoint.event;
import static io.postrider.webhook.TestEndpoint.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Envelope;
import io.postrider.LogEvent;
import io.postrider.MessageFormat;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.SendResult;
import io.postrider.testkit.Ports;
import io.postrider.testkit.TestRun;
import io.postrider.webhook.TestEndpoint.Received;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("security")
class WebhookSinkTest {
    private TestEndpoint endpoint;

    @BeforeEach
    void start() throws Exception {
        endpoint = TestEndpoint.start();
    }

    @AfterEach
    void stop() {
        endpoint.close();
    }

    @Test
    void an_event_is_a_signed_post_of_its_envelope() throws Exception {
        String secret = WebhookOptions.newSecret();
        LogEvent event = event(7, "42", "{\"name\": \"Änne €\\n𝄞\"}");
        try (WebhookSink sink = WebhookSink.to(endpoint.url("/hook/a%20b?x=1&y=ä"), endpoint.options(secret))) {
            assertThat(TestEndpoint.send(sink, List.of(event)).isWhole()).isTrue();
        }
        Received one = endpoint.received.get(0);
        assertThat(one.method()).isEqualTo("POST");
        assertThat(one.target()).isEqualTo("/hook/a%20b?x=1&y=%C3%A4");
        assertThat(new String(one.body(), StandardCharsets.UTF_8)).isEqualTo(Envelope.json(event));
        assertThat(one.header("host")).isEqualTo("localhost:" + endpoint.port());
        assertThat(one.header("content-type")).isEqualTo("application/cloudevents+json");
        assertThat(one.header("webhook-id")).isEqualTo(event.id().toString());
        assertThat(one.header("postrider-topic")).isEqualTo("orders");
        assertThat(one.header("postrider-position")).isEqualTo("7");
        assertThat(one.header("webhook-signature")).startsWith("v1,").doesNotContain(" ");
        WebhookVerifier.of(secret).verify(one::header, one.body());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    payload         | {"event_id": "theirs", "n": 1}
                    payload-with-id | {"event_id":"ID","n": 1}
                    """)
    void in_a_payload_format_the_body_is_the_payload_and_the_rest_is_in_headers(String word, String body)
            throws Exception {
        String secret = WebhookOptions.newSecret();
        LogEvent event = event(7, "42", "{\"event_id\": \"theirs\", \"n\": 1}");
        WebhookOptions options = endpoint.options(secret).withFormat(MessageFormat.of(word));
        try (WebhookSink sink = WebhookSink.to(endpoint.url("/hook"), options)) {
            assertThat(TestEndpoint.send(sink, List.of(event)).isWhole()).isTrue();
            sink.test();
        }
        Received one = endpoint.received.get(0);
        assertThat(new String(one.body(), StandardCharsets.UTF_8))
                .isEqualTo(body.replace("ID", event.id().toString()));
        assertThat(one.header("content-type")).isEqualTo("application/json");
        assertThat(one.header("webhook-id")).isEqualTo(event.id().toString());
        assertThat(one.header("postrider-topic")).isEqualTo("orders");
        assertThat(one.header("postrider-position")).isEqualTo("7");
        assertThat(one.header("postrider-type")).isEqualTo(event.type());
        WebhookVerifier.of(secret).verify(one::header, one.body());
        assertThat(endpoint.received.get(1).header("postrider-type"))
                .as("by which a receiver knows a test message")
                .isEqualTo("postrider.test");
        assertThat(options.toString()).contains("format=" + word);
    }

    @Test
    void events_arrive_in_their_order_over_one_connection() throws Exception {
        List<LogEvent> events =
                LongStream.rangeClosed(1, 200).mapToObj(TestEndpoint::event).toList();
        try (WebhookSink sink = endpoint.sink()) {
            assertThat(TestEndpoint.send(sink, events).isWhole()).isTrue();
        }
        assertThat(endpoint.received)
                .extracting(one -> one.header("webhook-id"))
                .containsExactlyElementsOf(
                        events.stream().map(event -> event.id().toString()).toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 202, 204, 299})
    void what_is_answered_by_2xx_is_taken(int code) throws Exception {
        endpoint.answering(status(code));
        try (WebhookSink sink = endpoint.sink()) {
            assertThat(TestEndpoint.send(sink, List.of(event(1), event(2))).isWhole())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 502, 503, 504})
    void an_endpoint_in_trouble_is_unavailable(int code) throws Exception {
        endpoint.answering(status(code, "busy"));
        try (WebhookSink sink = endpoint.sink()) {
            SendResult receipt = TestEndpoint.send(sink, List.of(event(1)));
            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(receipt.taken()).isZero();
            assertThat(receipt.retryAfter()).isNull();
            assertThat(receipt.error()).hasMessage(sink.describe() + ": answered " + code + ": busy");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 404, 408, 410, 413, 422, 500, 501, 505, 599})
    void any_other_status_refuses_the_event(int code) throws Exception {
        endpoint.answering(status(code));
        try (WebhookSink sink = endpoint.sink()) {
            SendResult receipt = TestEndpoint.send(sink, List.of(event(1)));
            assertThat(receipt.isWhole()).isFalse();
            assertThat(receipt.isUnavailable()).isFalse();
            assertThat(receipt.error()).hasMessageStartingWith(sink.describe() + ": answered " + code);
        }
    }

    @Test
    void what_was_taken_before_a_refusal_is_counted_and_nothing_behind_it_is_sent() throws Exception {
        endpoint.answering((exchange, one) ->
                status(one.header("postrider-position").equals("3") ? 422 : 200).answer(exchange, one));
        try (WebhookSink sink = endpoint.sink()) {
            SendResult receipt = TestEndpoint.send(sink, List.of(event(1), event(2), event(3), event(4)));
            assertThat(receipt.taken()).isEqualTo(2);
            assertThat(receipt.isUnavailable()).isFalse();
        }
        assertThat(endpoint.received)
                .extracting(one -> one.header("postrider-position"))
                .containsExactly("1", "2", "3");
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void a_redirect_is_refused_and_not_followed(int code) throws Exception {
        try (TestEndpoint other = TestEndpoint.start()) {
            for (String location :
                    List.of("http://169.254.169.254/latest", other.url("/").toString())) {
                endpoint.answering(status(code, "location", location));
                try (WebhookSink sink = WebhookSink.to(
                        endpoint.url("/"), endpoint.options().withAllowedHosts(endpoint.trusted(), other.trusted()))) {
                    SendResult receipt = TestEndpoint.send(sink, List.of(event(1)));
                    assertThat(receipt.isUnavailable()).isFalse();
                    assertThat(receipt.error())
                            .hasMessageContaining("answered " + code + ", a redirect to " + location
                                    + "; redirects are not followed");
                }
            }
            assertThat(other.received).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "120 | PT2M",
                "0 | none",
                "3600 | PT1H",
                "3601 | PT1H",
                "999999999999999999 | PT1H",
                "9999999999999999999999 | none",
                "-5 | none",
                "1.5 | none",
                "soon | none",
                "Fri, 02 Jan 2026 03:06:05 GMT | PT2M",
                "Fri, 02 Jan 2026 03:00:00 GMT | none",
                "Mon, 02 Jan 2099 03:00:00 GMT | none",
                "Thu, 31 Dec 2099 23:59:59 GMT | PT1H"
            })
    void retry_after_is_heard_as_seconds_or_as_a_date_and_for_an_hour_at_most(String header, Duration expected)
            throws Exception {
        Clock clock = Clock.fixed(Instant.parse("2026-01-02T03:04:05Z"), ZoneOffset.UTC);
        try (WebhookSink sink = WebhookSink.to(
                endpoint.url("/"), endpoint.options(), host -> List.of(InetAddress.getAllByName(host)), clock)) {
            for (int code : new int[] {429, 503, 500, 422}) {
                endpoint.answering(status(code, "retry-after", header));
                assertThat(TestEndpoint.send(sink, List.of(event(1))).retryAfter())
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void an_endpoint_that_is_down_is_unavailable_and_takes_events_when_it_is_up() throws Exception {
        int port = Ports.free();
        WebhookOptions options =
                WebhookOptions.signedWith(WebhookOptions.newSecret()).withAllowedHosts("127.0.0.1:" + port);
        try (WebhookSink sink = WebhookSink.to(URI.create("http://127.0.0.1:" + port + "/"), options)) {
            SendResult down = TestEndpoint.send(sink, List.of(event(1)));
            assertThat(down.isUnavailable()).isTrue();
            assertThat(down.error()).hasMessageContaining("no connection: Connection refused");
            try (TestEndpoint up = TestEndpoint.start(port)) {
                assertThat(TestEndpoint.send(sink, List.of(event(1))).isWhole()).isTrue();
                assertThat(up.received).hasSize(1);
            }
            assertThat(TestEndpoint.send(sink, List.of(event(2))).isUnavailable())
                    .isTrue();
        }
    }

    @Test
    void both_secrets_sign_while_they_change_and_no_message_is_lost_meanwhile() throws Exception {
        String old = WebhookOptions.newSecret();
        String young = WebhookOptions.newSecret();
        List<String> known = new CopyOnWriteArrayList<>(List.of(old));
        List<String> forged = new CopyOnWriteArrayList<>();
        endpoint.answering((exchange, one) -> {
            try {
                WebhookVerifier.of(known.get(0)).verify(one::header, one.body());
            } catch (PostriderException e) {
                forged.add(e.getMessage());
            }
            status(204).answer(exchange, one);
        });
        AtomicBoolean end = new AtomicBoolean();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (WebhookSink sink = endpoint.sink(old)) {
            Future<Integer> sent = thread.submit(() -> {
                int count = 0;
                while (!end.get()) {
                    assertThat(TestEndpoint.send(sink, List.of(event(++count))).isWhole())
                            .isTrue();
                }
                return count;
            });
            awaitMore(endpoint, 20);
            sink.rotate(young, old);
            awaitMore(endpoint, 20);
            assertThat(endpoint.received.get(endpoint.received.size() - 1).header("webhook-signature"))
                    .matches("v1,\\S+ v1,\\S+");
            known.set(0, young);
            awaitMore(endpoint, 20);
            sink.rotate(young);
            awaitMore(endpoint, 20);
            end.set(true);
            assertThat(sent.get(30, TimeUnit.SECONDS)).isEqualTo(endpoint.received.size());
        } finally {
            thread.shutdownNow();
        }
        assertThat(forged).isEmpty();
    }

    @Test
    void threads_send_at_once_each_over_its_own_connection_and_each_in_its_order() throws Exception {
        int lanes = 8;
        Random random = new Random(TestRun.seed("latency of the endpoint"));
        CyclicBarrier allAtOnce = new CyclicBarrier(lanes);
        Map<String, List<Long>> arrived = new ConcurrentHashMap<>();
        AtomicInteger started = new AtomicInteger();
        endpoint.answering((exchange, one) -> {
            if (started.incrementAndGet() <= lanes) {
                meet(allAtOnce); // or nobody would be answered: proof that all are on the way together
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(5_000)));
            String body = new String(one.body(), StandardCharsets.UTF_8);
            String key = body.replaceAll(".*\"partitionkey\":\"(\\w+)\".*", "$1");
            arrived.computeIfAbsent(key, any -> new CopyOnWriteArrayList<>())
                    .add(Long.parseLong(one.header("postrider-position")));
            status(204).answer(exchange, one);
        });
        ExecutorService threads = Executors.newFixedThreadPool(lanes);
        try (WebhookSink sink = endpoint.sink()) {
            List<Future<SendResult>> receipts = new ArrayList<>();
            for (int lane = 0; lane < lanes; lane++) {
                String key = "k" + lane;
                List<LogEvent> events = LongStream.rangeClosed(1, 50)
                        .mapToObj(position -> event(position, key, "{}"))
                        .toList();
                receipts.add(threads.submit(() -> TestEndpoint.send(sink, events)));
            }
            for (Future<SendResult> receipt : receipts) {
                assertThat(receipt.get(60, TimeUnit.SECONDS).isWhole()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(arrived).hasSize(lanes);
        arrived.values()
                .forEach(positions -> assertThat(positions)
                        .containsExactlyElementsOf(
                                LongStream.rangeClosed(1, 50).boxed().toList()));
    }

    @Test
    void a_test_is_a_signed_message_that_nobody_takes_for_an_event() throws Exception {
        String secret = WebhookOptions.newSecret();
        try (WebhookSink sink = endpoint.sink(secret)) {
            assertThat(sink.test())
                    .matches("webhook http://localhost:\\d+/… took a signed message of type postrider.test"
                            + " within \\d+ ms");
            Received one = endpoint.received.get(0);
            WebhookVerifier.of(secret).verify(one::header, one.body());
            assertThat(new String(one.body(), StandardCharsets.UTF_8))
                    .contains("\"type\":\"postrider.test\"", "\"position\":0", "\"topic\":\"postrider.test\"");
            assertThat(one.header("postrider-position")).isEqualTo("0");
            endpoint.answering(status(500, "no"));
            assertThatThrownBy(sink::test).hasMessageEndingWith("/…: answered 500: no");
            endpoint.close();
            assertThatThrownBy(sink::test)
                    .isInstanceOf(PostriderException.class)
                    .extracting(e -> ((PostriderException) e).kind())
                    .isEqualTo(Kind.UNREACHABLE);
        }
    }

    @Test
    void no_secret_and_no_query_is_in_anything_that_is_shown() throws Exception {
        String secret = WebhookOptions.newSecret();
        String bare = secret.substring("whsec_".length());
        endpoint.answering(status(500, "x".repeat(5_000)));
        WebhookOptions options = endpoint.options(secret);
        try (WebhookSink sink = WebhookSink.to(endpoint.url("/hook?token=canary"), options)) {
            SendResult receipt = TestEndpoint.send(sink, List.of(event(1)));
            for (String shown : List.of(
                    sink.describe(), sink.toString(), options.toString(), receipt.toString(), "" + options.secrets())) {
                assertThat(shown).doesNotContain(bare).doesNotContain("canary");
            }
            assertThat(options.toString()).startsWith("secrets=1 connect-timeout=PT5S timeout=PT15S");
            assertThat(receipt.toString()).hasSizeLessThan(400);
        }
    }

    @Test
    void an_error_shows_a_short_and_clean_piece_of_what_was_answered() throws Exception {
        endpoint.answering(status(
                400,
                "\u001b[31mbad\r\n2026-01-01 INFO forged\u202e\u0000 line\u2028 \" event=\"x ${jndi:x} "
                        + "é".repeat(9_000)));
        try (WebhookSink sink = endpoint.sink()) {
            String message = TestEndpoint.send(sink, List.of(event(1))).error().getMessage();
            assertThat(message)
                    .startsWith(sink.describe()
                            + ": answered 400: [31mbad 2026-01-01 INFO forged line ' event='x ${jndi:x} éé")
                    .endsWith("é…")
                    .doesNotContainPattern("\\p{C}");
            assertThat(message.substring(sink.describe().length())).hasSizeLessThan(230);
        }
    }

    @Test
    void an_event_cannot_add_a_header() throws Exception {
        LogEvent event = event(1);
        LogEvent hostile = new LogEvent(
                "a\r\nwebhook-id: b", 1, event.id(), "t", "{}", null, null, null, null, null, "{}", Instant.EPOCH);
        try (WebhookSink sink = endpoint.sink()) {
            TestEndpoint.send(sink, List.of(hostile));
        }
        assertThat(endpoint.received.get(0).headers().get("webhook-id"))
                .containsExactly(event.id().toString());
    }

    @Test
    void an_interrupt_ends_a_batch_between_two_requests() throws Exception {
        try (WebhookSink sink = endpoint.sink()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> sink.send(COURSE, List.of(event(1), event(2))))
                    .isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).as("still told to the caller").isTrue();
            assertThat(endpoint.received).isEmpty();
            Thread sender = Thread.currentThread();
            endpoint.answering((exchange, one) -> {
                sender.interrupt();
                status(204).answer(exchange, one);
            });
            SendResult receipt = sink.send(COURSE, List.of(event(1), event(2)));
            assertThat(Thread.interrupted()).as("still told to the caller").isTrue();
            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(receipt.taken()).isEqualTo(1);
        }
        assertThat(endpoint.received).hasSize(1);
    }

    @Test
    void options_refuse_bad_values_by_name() throws Exception {
        WebhookOptions options = WebhookOptions.signedWith(WebhookOptions.newSecret());
        assertThatThrownBy(() -> options.withTimeout(Duration.ZERO))
                .hasMessage("timeout must be 10..300000 ms, was 0 ms");
        assertThatThrownBy(() -> options.withConnectTimeout(Duration.ofHours(1)))
                .hasMessage("connect timeout must be 10..300000 ms, was 3600000 ms");
        assertThatThrownBy(() -> options.withPorts(443, 0)).hasMessage("ports must be 1..65535, one was 0");
        assertThatThrownBy(() -> WebhookOptions.signedWith())
                .hasMessage("secrets must be 1, or 2 during a rotation, were 0");
        String secret = WebhookOptions.newSecret();
        assertThatThrownBy(() -> WebhookOptions.signedWith(secret, secret, secret))
                .hasMessageEndingWith("were 3");
        try (WebhookSink sink = endpoint.sink()) {
            assertThatThrownBy(() -> sink.rotate("whsec_short")).hasMessageStartingWith("secret 1 must be whsec_");
        }
    }

    @Test
    void after_closing_nothing_is_sent_and_no_thread_is_left() throws Exception {
        WebhookSink sink = endpoint.sink();
        assertThat(TestEndpoint.send(sink, List.of(event(1))).isWhole()).isTrue();
        sink.close();
        assertThatCode(sink::close).doesNotThrowAnyException();
        assertThat(TestEndpoint.send(sink, List.of(event(2))).isUnavailable()).isTrue();
        assertThat(endpoint.received).hasSize(1);
        io.postrider.testkit.Await.until(
                "the watch has ended",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("postrider-webhook-watch")));
    }

    private static void awaitMore(TestEndpoint endpoint, int more) {
        int before = endpoint.received.size();
        io.postrider.testkit.Await.until(
                more + " more", Duration.ofSeconds(30), () -> endpoint.received.size() >= before + more);
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException("not all of them came", e);
        }
    }
}
