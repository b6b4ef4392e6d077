package io.postrider.gateway;

import static io.postrider.gateway.Identity.Reach.PROJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** postrider.js in a real Chromium, against a real gateway. */
@NeedsProgram({"chromium", "chromedriver"})
@Tag("slow")
@Tag("security")
class ClientTest extends GatewayTestBase {
    private Browser browser;

    @BeforeAll
    void openBrowser() {
        browser = new Browser();
    }

    @AfterAll
    void closeBrowser() {
        browser.close();
    }

    @Override
    GatewayOptions options() {
        return super.options().withSameOrigin(true).withHeartbeat(Duration.ofSeconds(1));
    }

    private static List<Long> range(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }

    private void connect(Served served, String transport, String more) {
        browser.go(served.url("/page.html"));
        browser.connect("topic: '" + served.topic + "', rooms: ['project:p1'], heartbeat: 1000, token: '"
                + served.token("ann", "p1", PROJECT) + "', transport: '" + transport + "'" + more);
    }

    private void disconnect() {
        browser.run("window.stream.close()");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sse", "websocket"})
    void events_arrive_in_order(String transport) throws Exception {
        try (Served served = serve()) {
            served.emitNumbered("p1", "ann", 1, 5);
            connect(served, transport, ", position: 2");
            browser.awaitState("open");
            served.emitNumbered("p1", "ann", 6, 60);
            served.emitNumbered("p2", "ann", 61, 62);
            served.emit("p1", "ann", "{\"n\":63,\"text\":\"gr\u00fc\u00df \ud83d\ude80 \\n\\n data: x\"}");
            browser.awaitEvents(59);
            assertThat(browser.numbers()).startsWith(3L, 4L, 5L, 6L).endsWith(59L, 60L, 63L);
            assertThat(browser.positions()).isSorted().doesNotHaveDuplicates();
            disconnect();
            assertThat(browser.states()).last().isEqualTo("closed ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sse", "websocket"})
    void offline_and_back_nothing_is_missing_and_nothing_twice(String transport) throws Exception {
        try (Served served = serve()) {
            connect(served, transport, "");
            browser.awaitState("open");
            served.emitNumbered("p1", "ann", 1, 10);
            browser.awaitEvents(10);
            for (int round = 1; round <= 3; round++) {
                browser.offline(true);
                served.emitNumbered("p1", "ann", round * 10 + 1, round * 10 + 10);
                browser.offline(false);
                browser.awaitEvents(round * 10 + 10);
            }
            assertThat(browser.numbers()).isEqualTo(range(1, 40));
            assertThat(browser.states().stream().filter("connecting "::equals).count())
                    .as("connected anew each time")
                    .isGreaterThanOrEqualTo(4);
            disconnect();
        } finally {
            browser.offline(false);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sse", "websocket"})
    void a_server_that_is_restarted_is_found_again(String transport) throws Exception {
        Served first = serve();
        GatewayOptions options = first.gateway.options();
        TokenMint mint = first.mint;
        int port = first.port;
        connect(first, transport, "");
        browser.awaitState("open");
        first.emitNumbered("p1", "ann", 1, 10);
        browser.awaitEvents(10);
        first.close();
        browser.awaitState("waiting");
        try (Served second = new Served(postrider, database.dataSource(), options, mint, port)) {
            second.emitNumbered("p1", "ann", 11, 30);
            browser.awaitEvents(30);
            second.emitNumbered("p1", "ann", 31, 40);
            browser.awaitEvents(40);
            assertThat(browser.numbers()).isEqualTo(range(1, 40));
            disconnect();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sse", "websocket"})
    void a_connection_that_has_gone_silent_is_given_up(String transport) throws Exception {
        try (Served served = serve();
                TcpProxy proxy = TcpProxy.to(served.port)) {
            browser.go("http://127.0.0.1:" + proxy.port() + "/page.html");
            browser.connect("topic: '" + served.topic + "', rooms: ['project:p1'], heartbeat: 1000, token: '"
                    + served.token("ann", "p1", PROJECT) + "', transport: '" + transport + "'");
            browser.awaitState("open");
            served.emitNumbered("p1", "ann", 1, 5);
            browser.awaitEvents(5);
            proxy.hold();
            served.emitNumbered("p1", "ann", 6, 10);
            Await.until(
                    "it noticed",
                    Duration.ofSeconds(30),
                    () -> browser.states().stream().anyMatch(state -> state.equals("waiting silent")));
            proxy.resume();
            browser.awaitEvents(10);
            assertThat(browser.numbers()).isEqualTo(range(1, 10));
            disconnect();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sse", "websocket"})
    void a_token_that_ends_is_asked_for_anew(String transport) throws Exception {
        try (Served served = serve()) {
            browser.go(served.url("/page.html"));
            browser.run("window.asked = 0; window.tokens = ['"
                    + served.mint.issue("ann", "p1", PROJECT, Duration.ofSeconds(5)) + "', '"
                    + served.token("ann", "p1", PROJECT) + "'];");
            browser.connect("topic: '" + served.topic + "', rooms: ['project:p1'], heartbeat: 1000, transport: '"
                    + transport + "', token: async () => window.tokens[Math.min(window.asked++, 1)]");
            browser.awaitState("open");
            served.emitNumbered("p1", "ann", 1, 5);
            browser.awaitEvents(5);
            Await.until(
                    "a new token was asked for",
                    Duration.ofSeconds(60),
                    () -> ((Long) browser.run("return window.asked")) == 2);
            if (transport.equals("sse")) {
                Await.until(
                        "cut and open again",
                        Duration.ofSeconds(60),
                        () -> browser.states().containsAll(List.of("waiting expired")));
            }
            browser.awaitState("open");
            served.emitNumbered("p1", "ann", 6, 10);
            browser.awaitEvents(10);
            assertThat(browser.numbers()).isEqualTo(range(1, 10));
            if (transport.equals("websocket")) {
                assertThat(browser.states()).as("without a new connection").hasSize(2);
            }
            disconnect();
        }
    }

    /** An application that keeps its token, and looks for a new one only if it is told to: as many do. */
    @ParameterizedTest
    @ValueSource(strings = {"sse", "websocket"})
    void a_token_that_is_kept_until_it_has_ended_is_not_sent_again(String transport) throws Exception {
        try (Served served = serve()) {
            browser.go(served.url("/page.html"));
            browser.run("window.renewed = 0; window.kept = '"
                    + served.mint.issue("ann", "p1", PROJECT, Duration.ofSeconds(4)) + "'; window.next = '"
                    + served.token("ann", "p1", PROJECT) + "';");
            browser.connect("topic: '" + served.topic + "', rooms: ['project:p1'], heartbeat: 1000, transport: '"
                    + transport + "', token: ({renew}) => { window.renewed += renew;"
                    + " if (window.renewed > 1) { window.kept = window.next; } return window.kept; }");
            browser.awaitState("open");
            Await.until(
                    "it was told twice that a new one is needed",
                    Duration.ofSeconds(30),
                    () -> ((Long) browser.run("return window.renewed")) >= 2);
            browser.awaitState("open");
            served.emitNumbered("p1", "ann", 1, 5);
            browser.awaitEvents(5);
            assertThat(browser.states()).noneMatch(state -> state.startsWith("refused"));
            disconnect();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sse", "websocket"})
    void a_page_elsewhere_waits_for_as_long_as_it_is_told_to(String transport) throws Exception {
        try (Served elsewhere = serve();
                Served served =
                        serve(options().withConnections(10, 1).withOrigins("http://127.0.0.1:" + elsewhere.port))) {
            SocketClient only = served.socket(served.token("ann", "p1", PROJECT), null, "project:p1");
            only.await("position");
            browser.go(elsewhere.url("/page.html"));
            browser.run("window.waits = []");
            browser.connect("url: '" + served.url("/") + "', topic: '" + served.topic
                    + "', rooms: ['project:p1'], token: '" + served.token("ann", "p1", PROJECT) + "', transport: '"
                    + transport + "', onState: (state, detail) => { if (state === 'waiting') {"
                    + " window.waits.push([detail.status, detail.wait]); } }");
            Await.until(
                    "it waits", Duration.ofSeconds(60), () -> ((Long) browser.run("return window.waits.length")) > 0);
            assertThat((Long) browser.run("return window.waits[0][0]")).isEqualTo(429);
            assertThat((Long) browser.run("return Math.floor(window.waits[0][1])"))
                    .as("a first wait is less than 250 ms otherwise")
                    .isGreaterThanOrEqualTo(1_000);
            disconnect();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sse", "websocket"})
    void what_is_gone_needs_a_snapshot_and_it_goes_on(String transport) throws Exception {
        try (Served served = serve(options().withRecent(5, 1 << 20))) {
            served.emitNumbered("p1", "ann", 1, 30);
            served.history.oldestAtLeast = 20;
            connect(served, transport, ", position: 3");
            Await.until(
                    "a snapshot is asked for",
                    Duration.ofSeconds(60),
                    () -> ((Long) browser.run("return window.snapshots.length")) == 1);
            assertThat(browser.run("return window.snapshots[0].oldest + ' ' + window.snapshots[0].position"))
                    .isEqualTo("20 30");
            served.emitNumbered("p1", "ann", 31, 32);
            browser.awaitEvents(2);
            assertThat(browser.numbers()).containsExactly(31L, 32L);
            disconnect();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sse", "websocket"})
    void a_snapshot_that_fails_is_asked_for_again_and_nothing_is_heard_or_stored_before(String transport)
            throws Exception {
        try (Served served = serve(options().withRecent(5, 1 << 20))) {
            served.emitNumbered("p1", "ann", 1, 30);
            served.history.oldestAtLeast = 20;
            connect(
                    served,
                    transport,
                    ", position: 3, storageKey: 'snapshot', onSnapshot: (snapshot) => {"
                            + " window.snapshots.push([snapshot.position, window.heard.length,"
                            + " localStorage.getItem('snapshot')]);"
                            + " return window.snapshots.length < 3 ? new Promise((_, fail) => { window.fail = fail; }) : null; }");
            for (int attempt = 1; attempt <= 2; attempt++) {
                long calls = attempt;
                Await.until(
                        "a snapshot is asked for",
                        Duration.ofSeconds(60),
                        () -> ((Long) browser.run("return window.snapshots.length")) == calls);
                served.emitNumbered("p1", "ann", 29 + 2 * attempt, 30 + 2 * attempt);
                Await.until(
                        "events wait behind it",
                        Duration.ofSeconds(30),
                        () -> ((Long) browser.run("return window.stream.position")) == 30 + 2 * calls);
                browser.run("window.fail(new Error('the network is away'))");
            }
            browser.awaitEvents(4);
            assertThat(browser.numbers()).isEqualTo(range(31, 34));
            assertThat(browser.run("return JSON.stringify(window.snapshots)"))
                    .isEqualTo("[[30,0,null],[30,0,null],[30,0,null]]");
            assertThat(browser.states()).contains("waiting failed");
            Await.until(
                    "the position is stored",
                    Duration.ofSeconds(30),
                    () -> "34".equals(browser.run("return localStorage.getItem('snapshot')")));
            disconnect();
            browser.run("localStorage.clear()");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sse", "websocket"})
    void what_cannot_get_better_is_not_tried_again(String transport) throws Exception {
        try (Served served = serve()) {
            browser.go(served.url("/page.html"));
            browser.connect("topic: '" + served.topic + "', rooms: ['project:p2'], token: '"
                    + served.token("ann", "p1", PROJECT) + "', transport: '" + transport + "'");
            browser.awaitState("refused 403");
            browser.connect("topic: '" + served.topic + "', rooms: ['project:p1'], token: 'abc', transport: '"
                    + transport + "'");
            browser.awaitState("refused 401");
            assertThat(browser.states()).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sse", "websocket"})
    void a_page_from_elsewhere_gets_nothing_even_with_a_token(String transport) throws Exception {
        try (Served served = serve();
                Served elsewhere = serve()) {
            browser.go(elsewhere.url("/page.html"));
            browser.connect(
                    "url: '" + served.url("/") + "', topic: '" + served.topic + "', rooms: ['project:p1'], token: '"
                            + served.token("ann", "p1", PROJECT) + "', transport: '" + transport + "'");
            Await.until(
                    "it was refused twice",
                    Duration.ofSeconds(60),
                    () -> browser.states().stream()
                                    .filter(state -> state.startsWith("waiting"))
                                    .count()
                            >= 2);
            assertThat(browser.states()).noneMatch(state -> state.startsWith("open"));
            assertThat(served.hub.connections()).isZero();
            disconnect();
        }
    }

    @Test
    void a_page_on_the_list_connects_across_origins() throws Exception {
        try (Served elsewhere = serve();
                Served served = serve(options().withOrigins("http://127.0.0.1:" + elsewhere.port))) {
            for (String transport : List.of("sse", "websocket")) {
                browser.go(elsewhere.url("/page.html"));
                browser.connect("url: '" + served.url("/") + "', topic: '" + served.topic
                        + "', rooms: ['project:p1'], position: 0, token: '" + served.token("ann", "p1", PROJECT)
                        + "', transport: '" + transport + "'");
                browser.awaitState("open");
                disconnect();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sse", "websocket"})
    void a_page_that_is_left_keeps_no_connection_and_goes_on_when_it_is_shown_again(String transport) throws Exception {
        try (Served served = serve()) {
            connect(served, transport, "");
            browser.awaitState("open");
            served.emitNumbered("p1", "ann", 1, 5);
            browser.awaitEvents(5);
            browser.run("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: false}))");
            browser.run("dispatchEvent(new PageTransitionEvent('pagehide', {persisted: true}))");
            Await.until("the connection is gone", Duration.ofSeconds(60), () -> served.hub.connections() == 0);
            assertThat(browser.states()).containsExactly("connecting ", "open ", "waiting hidden");
            served.emitNumbered("p1", "ann", 6, 10);
            browser.run("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))");
            browser.awaitEvents(10);
            assertThat(browser.numbers()).isEqualTo(range(1, 10));
            disconnect();
        }
    }

    @Test
    void a_position_that_is_stored_survives_the_page() throws Exception {
        try (Served served = serve()) {
            connect(served, "sse", ", storageKey: 'chat'");
            browser.awaitState("open");
            served.emitNumbered("p1", "ann", 1, 5);
            browser.awaitEvents(5);
            browser.go("about:blank");
            served.emitNumbered("p1", "ann", 6, 10);
            connect(served, "sse", ", storageKey: 'chat'");
            browser.awaitEvents(5);
            assertThat(browser.numbers()).isEqualTo(range(6, 10));
            disconnect();
            browser.run("localStorage.clear()");
        }
    }

    @Test
    void what_comes_twice_is_heard_once_and_callbacks_wait_for_each_other() throws Exception {
        try (Served served = serve()) {
            connect(served, "sse", "");
            browser.awaitState("open");
            browser.run("window.stream.options.onEvent = async (event, position) => {"
                    + " await new Promise((resolve) => setTimeout(resolve, position % 2 ? 50 : 0));"
                    + " window.heard.push([position, event.n]); };"
                    + "for (const position of [1, 2, 2, 3, 1, 3, 4, 5, 5]) {"
                    + "  window.stream.frame(window.stream.stint, 'event', {n: position}, position); }"
                    + "window.stream.frame(window.stream.stint - 1, 'event', {n: 9}, 9);");
            browser.awaitEvents(5);
            assertThat(browser.positions()).containsExactly(1L, 2L, 3L, 4L, 5L);
            disconnect();
        }
    }
}
