package io.postrider.webhook;

import static io.postrider.webhook.TestEndpoint.COURSE;
import static io.postrider.webhook.TestEndpoint.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.SendResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Endpoints that answer badly, late, too much or not at all. */
@Timeout(60)
@Tag("slow")
@Tag("security")
class WebhookWireTest {
    private static final String OK = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    private static final Duration SHORT = Duration.ofMillis(700);

    @Test
    void a_head_that_comes_byte_by_byte_is_not_waited_for() throws Exception {
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
                    talk.request();
                    talk.say("HTTP/1.1 200 OK\r\n");
                    while (true) {
                        talk.say("a");
                        pause(20);
                    }
                });
                WebhookSink sink =
                        WebhookSink.to(endpoint.url("http"), endpoint.options().withTimeout(SHORT))) {
            assertThat(late(sink, "{}").isUnavailable()).isFalse();
        }
    }

    @Test
    void an_endpoint_that_does_not_even_read_is_not_waited_for() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (RawEndpoint endpoint = new RawEndpoint(talk -> end.await());
                WebhookSink sink =
                        WebhookSink.to(endpoint.url("http"), endpoint.options().withTimeout(SHORT))) {
            assertThat(late(sink, "{}").isUnavailable()).isTrue();
            assertThat(late(sink, "\"" + "x".repeat(20 << 20) + "\"").isUnavailable())
                    .isTrue(); // more than all buffers on the way: the write waits
        } finally {
            end.countDown();
        }
    }

    @Test
    void an_event_that_the_endpoint_hangs_on_is_refused_if_it_answers_others() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
                    while (!talk.request().contains("postrider-position: 2\r\n")) {
                        talk.say(OK);
                    }
                    end.await();
                });
                WebhookSink sink =
                        WebhookSink.to(endpoint.url("http"), endpoint.options().withTimeout(SHORT))) {
            SendResult receipt = TestEndpoint.send(sink, List.of(event(1), event(2), event(3)));
            assertThat(receipt.taken()).isEqualTo(1);
            assertThat(receipt.isUnavailable()).isFalse();
            assertThat(receipt.error()).hasMessageEndingWith("no answer in time, though it answers others");
        } finally {
            end.countDown();
        }
    }

    @Test
    void a_slow_endpoint_is_sent_what_it_takes_in_about_a_second() throws Exception {
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
                    while (!talk.request().isEmpty()) {
                        pause(400);
                        talk.say(OK);
                    }
                });
                WebhookSink sink = endpoint.sink()) {
            SendResult receipt = sink.send(COURSE, List.of(event(1), event(2), event(3), event(4), event(5)));
            assertThat(receipt.isWhole()).isFalse();
            assertThat(receipt.error()).isNull();
            assertThat(receipt.taken()).isBetween(1, 3);
        }
    }

    @Test
    void an_endpoint_that_does_not_speak_tls_in_time_is_unavailable() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (RawEndpoint endpoint = new RawEndpoint(talk -> end.await());
                WebhookSink sink =
                        WebhookSink.to(endpoint.url("https"), endpoint.options().withConnectTimeout(SHORT))) {
            SendResult receipt = TestEndpoint.send(sink, List.of(event(1)));
            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(receipt.error()).hasMessageEndingWith("no connection: not ready in time");
        } finally {
            end.countDown();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HT",
                "HTTP/1.1 2",
                "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 200 OK\r\ncontent-le",
                "HTTP/1.1 200 OK\r\na: b\r\n"
            })
    void half_a_head_is_no_answer_and_the_endpoint_unavailable(String half) throws Exception {
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
                    talk.request();
                    talk.say(half);
                });
                WebhookSink sink = endpoint.sink()) {
            SendResult receipt = TestEndpoint.send(sink, List.of(event(1)));
            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(receipt.error()).hasMessageEndingWith("the connection ended before an answer");
        }
    }

    @Test
    void a_reset_before_a_status_is_unavailable() throws Exception {
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
                    talk.request();
                    talk.socket.setSoLinger(true, 0);
                });
                WebhookSink sink = endpoint.sink()) {
            assertThat(TestEndpoint.send(sink, List.of(event(1))).isUnavailable())
                    .isTrue();
        }
    }

    @Test
    void a_status_counts_though_the_body_behind_it_breaks_off() throws Exception {
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
                    talk.request();
                    talk.say("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf");
                });
                WebhookSink sink = endpoint.sink()) {
            assertThat(TestEndpoint.send(sink, List.of(event(1), event(2))).isWhole())
                    .isTrue();
            assertThat(endpoint.connections).hasValue(2);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x: y\r\n\r\n",
                "content-length: 999999999999999999\r\n\r\n",
                "content-length: 9999999999999999999999\r\n\r\n",
                "transfer-encoding: chunked\r\n\r\nffffffff\r\n"
            })
    void of_an_endless_body_little_is_read(String announced) throws Exception {
        AtomicLong said = new AtomicLong();
        CountDownLatch cut = new CountDownLatch(1);
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
                    talk.request();
                    talk.say("HTTP/1.1 400 Bad\r\n" + announced);
                    try {
                        while (true) {
                            talk.say("x".repeat(1 << 16));
                            said.addAndGet(1 << 16);
                        }
                    } finally {
                        cut.countDown();
                    }
                });
                WebhookSink sink = endpoint.sink()) {
            SendResult receipt = TestEndpoint.send(sink, List.of(event(1)));
            assertThat(receipt.isUnavailable()).isFalse();
            assertThat(receipt.error()).hasMessageEndingWith("xxx…");
            assertThat(cut.await(30, TimeUnit.SECONDS)).as("we hung up").isTrue();
            assertThat(said.get()).as("what fits into the buffers on the way").isLessThan(32L << 20);
        }
    }

    @Test
    void a_body_that_drips_does_not_hold_up_the_next_event() throws Exception {
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
                    talk.request();
                    talk.say("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
                    while (true) {
                        talk.say("1\r\nx\r\n");
                        pause(50);
                    }
                });
                WebhookSink sink =
                        WebhookSink.to(endpoint.url("http"), endpoint.options().withTimeout(Duration.ofMinutes(4)))) {
            assertThat(TestEndpoint.send(sink, List.of(event(1))).isWhole())
                    .isTrue(); // within the minute of this class
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"one line", "many lines", "status line"})
    void a_head_of_ten_megabytes_is_not_read(String kind) throws Exception {
        CountDownLatch cut = new CountDownLatch(1);
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
                    talk.request();
                    try {
                        talk.say(kind.equals("status line") ? "HTTP/1.1 200 " : "HTTP/1.1 200 OK\r\na: ");
                        for (int i = 0; i < 10 << 10; i++) {
                            talk.say(kind.equals("many lines") ? "b: c\r\n".repeat(170) : "x".repeat(1 << 10));
                        }
                    } finally {
                        cut.countDown();
                    }
                });
                WebhookSink sink = endpoint.sink()) {
            SendResult receipt = TestEndpoint.send(sink, List.of(event(1)));
            assertThat(receipt.isUnavailable()).isFalse();
            assertThat(receipt.error()).hasMessageEndingWith("the head of the answer has more than 32768 bytes");
            assertThat(cut.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH_9.2\r\n\r\n",
                "HTTP/2 200\r\n\r\n",
                "HTTP/1.1 20 OK\r\n\r\n",
                "HTTP/1.1 2000 OK\r\n\r\n",
                "HTTP/1.1  200 OK\r\n\r\n",
                "ICY 200 OK\r\n\r\n",
                "\r\n\r\n",
                "HTTP/1.1 099 No\r\n\r\n",
                "HTTP/1.1 200OK\r\n\r\n"
            })
    void what_is_not_http_refuses_the_event(String said) throws Exception {
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
                    talk.request();
                    talk.say(said);
                });
                WebhookSink sink = endpoint.sink()) {
            SendResult receipt = TestEndpoint.send(sink, List.of(event(1)));
            assertThat(receipt.isUnavailable()).isFalse();
            assertThat(receipt.error()).hasMessageEndingWith("the answer is not HTTP/1.1");
        }
    }

    /** A connection is used again if and only if the end of the answer is beyond doubt. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "1 HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
                "1 HTTP/1.1 204 No Content\r\n\r\n",
                "1 HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello",
                "1 HTTP/1.1 200\r\ntransfer-encoding: Chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nt: u\r\n\r\n",
                "1 HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
                "1 HTTP/1.1 200 OK\ncontent-length: 0\n\n",
                "2 HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: Close\r\n\r\n",
                "2 HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n",
                "2 HTTP/1.1 200 OK\r\ncontent-length: 0\r\ncontent-length: 5\r\n\r\n",
                "2 HTTP/1.1 200 OK\r\ncontent-length: 0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
                "2 HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "2 HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
                "2 HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
                "2 HTTP/1.1 200 OK\r\ncontent-length: +0\r\n\r\n",
                "2 HTTP/1.1 200 OK\r\ncontent-length: 0\r\n folded\r\n\r\n",
                "2 HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
            })
    void a_connection_is_used_again_only_where_the_answer_has_a_clear_end(String connectionsAndAnswer)
            throws Exception {
        int connections = connectionsAndAnswer.charAt(0) - '0';
        List<String> heads = new CopyOnWriteArrayList<>();
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
                    for (String head = talk.request(); !head.isEmpty(); head = talk.request()) {
                        heads.add(head);
                        talk.say(connectionsAndAnswer.substring(2));
                    }
                });
                WebhookSink sink = endpoint.sink()) {
            assertThat(TestEndpoint.send(sink, List.of(event(1), event(2))).isWhole())
                    .isTrue();
            assertThat(heads).as("each event was really asked for").hasSize(2);
            assertThat(endpoint.connections).hasValue(connections);
        }
    }

    @Test
    void a_connection_that_was_closed_in_between_is_replaced_and_no_event_fails() throws Exception {
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
                    talk.request();
                    talk.say(OK);
                });
                WebhookSink sink = endpoint.sink()) {
            for (int i = 1; i <= 20; i++) {
                assertThat(TestEndpoint.send(sink, List.of(event(i))).isWhole()).isTrue();
            }
            assertThat(endpoint.connections).hasValue(20);
        }
    }

    /** The other side reads the second request and hangs up: once more on a new connection, then it is unavailable. */
    @Test
    void a_request_is_repeated_once_and_not_for_ever() throws Exception {
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
                    talk.request();
                    if (talk.number == 1) {
                        talk.say(OK);
                        talk.request();
                    }
                });
                WebhookSink sink = endpoint.sink()) {
            SendResult receipt = TestEndpoint.send(sink, List.of(event(1), event(2)));
            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(receipt.taken()).isEqualTo(1);
            assertThat(endpoint.connections).hasValue(2);
        }
    }

    @Test
    void the_answer_to_a_body_that_is_too_long_counts_though_the_rest_could_not_be_sent() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
                    talk.say("HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
                    talk.socket.shutdownInput();
                    pause(100);
                });
                WebhookSink sink = endpoint.sink()) {
            SendResult receipt = TestEndpoint.send(sink, List.of(event(1, null, "\"" + "x".repeat(20 << 20) + "\"")));
            assertThat(receipt.isUnavailable()).isFalse();
            assertThat(receipt.error()).hasMessageEndingWith("answered 413");
        } finally {
            end.countDown();
        }
    }

    @Test
    void closing_the_sink_ends_a_request_that_is_on_its_way() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
            talk.request();
            asked.countDown();
            end.await();
        })) {
            WebhookSink sink =
                    WebhookSink.to(endpoint.url("http"), endpoint.options().withTimeout(Duration.ofMinutes(5)));
            Future<SendResult> receipt = thread.submit(() -> TestEndpoint.send(sink, List.of(event(1))));
            assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
            sink.close();
            assertThat(receipt.get(30, TimeUnit.SECONDS).isUnavailable()).isTrue();
        } finally {
            end.countDown();
            thread.shutdownNow();
        }
    }

    private static SendResult late(WebhookSink sink, String payload) throws Exception {
        long began = System.nanoTime();
        SendResult receipt = TestEndpoint.send(sink, List.of(event(1, null, payload)));
        assertThat(receipt.isWhole()).isFalse();
        assertThat(receipt.error()).hasMessageEndingWith("answer in time");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(SHORT, Duration.ofSeconds(20));
        return receipt;
    }

    /** The endpoint's own slowness. */
    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
