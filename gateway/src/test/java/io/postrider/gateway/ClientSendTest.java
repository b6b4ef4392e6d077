package io.postrider.gateway;

import static io.postrider.gateway.Identity.Reach.PROJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.testkit.Await;
import io.postrider.testkit.NeedsProgram;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.JavascriptException;

/** {@code send()} of postrider.js in a real Chromium, against a real gateway. */
@NeedsProgram({"chromium", "chromedriver"})
@Tag("slow")
class ClientSendTest extends GatewayTestBase {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final List<String> stored = new CopyOnWriteArrayList<>();
    private Browser browser;

    @BeforeAll
    void openBrowser() {
        browser = new Browser();
    }

    @AfterAll
    void closeBrowser() {
        browser.close();
    }

    @BeforeEach
    void forget() {
        stored.clear();
    }

    private GatewayOptions accepting(Inbound inbound) {
        return options()
                .withSameOrigin(true)
                .withHeartbeat(Duration.ofSeconds(1))
                .withInbound(inbound);
    }

    private void connect(Served served, String transport) {
        browser.go(served.url("/page.html"));
        browser.run("window.sent = []; window.delays = [];");
        browser.connect("topic: '" + served.topic + "', rooms: ['project:p1'], heartbeat: 1000, token: '"
                + served.token("ann", "p1", PROJECT) + "', transport: '" + transport + "',"
                + "onDelay: problem => window.delays.push(problem === null ? 'over' : problem.status)");
    }

    /** Sends, and keeps in the page what becomes of it. */
    private void send(String data, String id) {
        browser.run("window.stream.send(" + data + ", {id: '" + id + "'}).then("
                + "answer => window.sent.push('" + id + " ' + JSON.stringify(answer)),"
                + "error => window.sent.push('" + id + " refused ' + error.status + ' ' + error.message))");
    }

    private void sendAll(int count) {
        browser.run("for (let i = 1; i <= " + count
                + "; i++) { const id = `m-${i}`; window.stream.send({text: 'x'}, {id}).then("
                + "answer => window.sent.push(id + ' ' + JSON.stringify(answer)),"
                + "error => window.sent.push(id + ' refused ' + error.status)); }");
    }

    @SuppressWarnings("unchecked")
    private List<String> sent() {
        return (List<String>) browser.run("return window.sent");
    }

    private void awaitSent(int count) {
        Await.until(count + " are settled", LONG, () -> {
            if (sent().size() < count) {
                throw new IllegalStateException(sent() + ", states " + browser.states());
            }
            return true;
        });
    }

    private String store(Inbound.Message message) {
        stored.add(message.id());
        return "{\"n\":" + stored.size() + "}";
    }

    @Test
    void messages_are_stored_in_order_and_answered_also_those_from_before_the_connection() throws Exception {
        try (Served served = serve(accepting(this::store))) {
            connect(served, "websocket");
            sendAll(100);
            awaitSent(100);
            assertThat(stored)
                    .isEqualTo(IntStream.rangeClosed(1, 100)
                            .mapToObj(i -> "m-" + i)
                            .toList());
            assertThat(sent()).first().isEqualTo("m-1 {\"n\":1}");
            browser.run("window.stream.close()");
        }
    }

    /** The message is stored, and then the connection ends before its acknowledgement is sent. */
    @Test
    void what_was_not_acknowledged_is_sent_again_with_the_same_id_after_a_reconnect() throws Exception {
        AtomicReference<Hub> hub = new AtomicReference<>();
        AtomicInteger cuts = new AtomicInteger();
        GatewayOptions options = accepting(message -> {
            String answer = store(message);
            if (stored.size() % 7 == 3 && cuts.incrementAndGet() <= 4) {
                hub.get().cut(Set.of("ann"));
            }
            return answer;
        });
        try (Served served = serve(options)) {
            hub.set(served.hub);
            connect(served, "websocket");
            browser.awaitState("open");
            sendAll(40);
            awaitSent(40);
            assertThat(stored).as("some were sent twice").hasSizeGreaterThan(40);
            assertThat(Set.copyOf(stored)).hasSize(40);
            assertThat(sent()).hasSize(40).noneMatch(one -> one.contains("refused"));
            browser.run("window.stream.close()");
        }
    }

    @Test
    void what_is_refused_for_now_is_sent_again_and_what_is_refused_for_good_is_told() throws Exception {
        AtomicInteger busy = new AtomicInteger();
        GatewayOptions options = accepting(message -> {
            if (message.id().equals("bad")) {
                throw Refusal.badRequest("no such text");
            }
            if (message.id().equals("busy") && busy.incrementAndGet() <= 2) {
                throw busy.get() == 1
                        ? Refusal.tooMany("slowly", Duration.ofSeconds(1))
                        : new IllegalStateException("the database is away");
            }
            return store(message);
        });
        try (Served served = serve(options)) {
            connect(served, "websocket");
            browser.awaitState("open");
            send("{}", "bad");
            send("{}", "busy");
            awaitSent(2);
            assertThat(sent()).containsExactly("bad refused 400 no such text", "busy {\"n\":1}");
            assertThat(browser.run("return window.delays.join(' ')")).isEqualTo("429 503 over");
            browser.run("window.stream.close()");
        }
    }

    @Test
    void one_that_is_too_large_is_refused_and_the_others_go_on() throws Exception {
        try (Served served = serve(accepting(this::store).withInboundLimits(1_000, 100, 100))) {
            connect(served, "websocket");
            browser.awaitState("open");
            send("{text: 'x'.repeat(20000)}", "large");
            send("{text: 'x'}", "small");
            awaitSent(2);
            assertThat(sent())
                    .containsExactlyInAnyOrder("large refused 413 the message is too large", "small {\"n\":1}");
            browser.run("window.stream.close()");
        }
    }

    @Test
    void over_sse_or_after_the_end_nothing_can_be_sent() throws Exception {
        try (Served served = serve(accepting(this::store))) {
            connect(served, "sse");
            assertThatThrownBy(() -> send("{}", "m-1"))
                    .isInstanceOf(JavascriptException.class)
                    .hasMessageContaining("send() needs transport: 'websocket'");
            browser.run("window.stream.close()");
            connect(served, "websocket");
            assertThatThrownBy(() -> send("[]", "m-1")).hasMessageContaining("send wants an object");
            assertThatThrownBy(() -> send("{}", "m 1")).hasMessageContaining("send wants an object");
            send("{}", "waits");
            browser.run("window.stream.close()");
            awaitSent(1);
            assertThat(sent().get(0)).matches("waits (\\{\"n\":1}|refused 0 the stream was closed)");
            send("{}", "late");
            awaitSent(2);
            assertThat(sent().get(1)).isEqualTo("late refused 0 the stream is closed");
        }
    }
}
