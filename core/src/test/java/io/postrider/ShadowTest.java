package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException.Kind;
import io.postrider.admin.Listeners;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Shadow mode: everything except the sending, and the switch between the modes at an exact position. */
@Migrated(shared = true)
@Tag("hot")
class ShadowTest {
    private static final Duration SOON = Duration.ofMillis(5);
    private static final Duration MOST = Duration.ofSeconds(30);

    private static TestDatabase database;
    private static Node node;

    @BeforeAll
    static void start(TestDatabase given) {
        database = given;
        node = new Node(database, options -> options.withPoll(Duration.ofMillis(50))).with();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    // ── the switch ──────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_relay_in_shadow_sends_nothing_and_after_go_live_everything_from_an_exact_position() {
        RecordingSink sink = new RecordingSink();
        node.add(sink.relay("plain").withShadow(true));
        emit("plain", 5);
        node.awaitCursor("plain", 5);
        assertThat(sink.arrived).isEmpty();
        assertMode("plain", "shadow", 1L, null);
        assertThat(relayMode("plain")).isEqualTo("shadow");
        assertThat(states("plain")).containsOnly("shadow");

        assertThat(node.postrider.listeners().goLive("plain")).isEqualTo(6);
        emit("plain", 3);
        node.awaitCursor("plain", 8);
        assertThat(sink.arrived).containsExactly(6L, 7L, 8L);
        assertMode("plain", "live", 1L, 6L);
        assertThat(states("plain"))
                .containsExactly(
                        "shadow", "shadow", "shadow", "shadow", "shadow", "delivered", "delivered", "delivered");
    }

    @Test
    void a_running_node_goes_live_within_a_second() {
        RecordingSink sink = new RecordingSink();
        node.add(sink.relay("soon").withShadow(true));
        emit("soon", 1);
        node.awaitCursor("soon", 1);
        long live = node.postrider.listeners().goLive("soon", 1);
        long began = System.nanoTime();
        Await.until("sent", () -> sink.arrived.contains(live));
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void a_live_relay_records_what_it_sent_before_it_enters_shadow() throws Exception {
        RecordingSink sink = new RecordingSink();
        CountDownLatch sending = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        sink.before = events -> {
            sending.countDown();
            await(mayGoOn);
        };
        node.add(sink.relay("busy").withBatch(10));
        emit("busy", 4);
        assertThat(sending.await(30, TimeUnit.SECONDS)).isTrue();
        assertRefused(() -> node.postrider.listeners().shadow("busy", Duration.ofMillis(100)), Kind.CONFLICT)
                .hasMessageContaining("has not entered shadow mode within 100 ms");
        mayGoOn.countDown();
        long from = node.postrider.listeners().shadow("busy", MOST);
        emit("busy", 4);
        node.awaitCursor("busy", 8);
        assertThat(sink.arrived).containsExactlyElementsOf(positions(1, from - 1));
        assertMode("busy", "shadow", from, null);
    }

    @Test
    void a_relay_that_no_node_runs_enters_shadow_at_once() {
        RecordingSink sink = new RecordingSink();
        node.add(sink.relay("idle"));
        emit("idle", 2);
        node.awaitCursor("idle", 2);
        node.postrider.pause("idle");
        Await.until("its tenure has ended", () -> openTenures("idle") == 0);
        assertThat(node.postrider.listeners().shadow("idle", Duration.ZERO)).isEqualTo(3);
        emit("idle", 2);
        node.postrider.resume("idle");
        node.awaitCursor("idle", 4);
        assertThat(sink.arrived).containsExactly(1L, 2L);
    }

    @Test
    void events_that_a_dead_node_left_in_the_sink_are_finished_live_before_shadow() {
        RecordingSink sink = new RecordingSink();
        node.add(sink.relay("doubt").withPaused(true));
        emit("doubt", 6);
        awaitHead("doubt", 6);
        List<LogEvent> events = node.postrider.log().read("doubt", 0, 10);
        // another process has sent the first and the third, and died before it recorded them
        try (Psql psql = new Psql(database)) {
            long course = psql.number("select course from postrider.listener where name = 'doubt'");
            RelayEpoch epoch = new RelayEpoch("doubt", "doubt", course);
            sink.send(epoch, List.of(events.get(0), events.get(2)));
            psql.execute("insert into postrider.tenure (listener, worker) values ('doubt', 'dead')");
        }
        assertRefused(() -> node.postrider.listeners().shadow("doubt", Duration.ZERO), Kind.CONFLICT);
        node.postrider.resume("doubt");
        node.awaitCursor("doubt", 6);
        assertMode("doubt", "shadow", 4L, null);
        assertThat(sink.arrived).containsExactlyInAnyOrder(1L, 2L, 3L);
    }

    @Test
    void go_live_at_a_later_position_stays_in_shadow_up_to_it_and_can_be_withdrawn() {
        RecordingSink sink = new RecordingSink();
        node.add(sink.relay("later").withShadow(true).withBatch(3));
        assertThat(node.postrider.listeners().goLive("later", 5)).isEqualTo(5);
        assertMode("later", "shadow", 1L, 5L);
        emit("later", 8);
        node.awaitCursor("later", 8);
        assertThat(sink.arrived).containsExactly(5L, 6L, 7L, 8L);
        assertMode("later", "live", 1L, 5L);

        RecordingSink other = new RecordingSink();
        node.add(other.relay("withdrawn").withShadow(true));
        node.postrider.listeners().goLive("withdrawn", 5);
        assertThat(node.postrider.listeners().shadow("withdrawn", MOST)).isEqualTo(1);
        emit("withdrawn", 8);
        node.awaitCursor("withdrawn", 8);
        assertThat(other.arrived).isEmpty();
    }

    @Test
    void with_a_filter_go_live_at_a_position_of_another_type_is_exact() {
        RecordingSink sink = new RecordingSink();
        node.add(sink.relay("filtered").withShadow(true).withTypes("wanted"));
        node.postrider.listeners().goLive("filtered", 3);
        for (int i = 0; i < 3; i++) {
            node.emit(Event.of("filtered", "wanted", "{}"), Event.of("filtered", "other", "{}"));
        }
        node.awaitCursor("filtered", 6);
        assertThat(sink.arrived).containsExactly(3L, 5L);
    }

    @Test
    void go_live_at_an_earlier_position_sends_what_was_recorded_since() {
        RecordingSink sink = new RecordingSink();
        node.add(sink.relay("earlier").withShadow(true).withBatch(10));
        emit("earlier", 6);
        node.awaitCursor("earlier", 6);
        assertThat(node.postrider.listeners().goLive("earlier", 4)).isEqualTo(4);
        Await.until("sent", () -> sink.arrived.size() == 3);
        assertThat(sink.arrived).containsExactly(4L, 5L, 6L);
        assertThat(recorded("earlier")).containsExactly("1", "2", "3");
    }

    @Test
    void the_ledger_refuses_a_range_of_the_other_mode() {
        node.add(new RecordingSink().relay("ledger").withShadow(true).withPaused(true));
        emit("ledger", 6);
        awaitHead("ledger", 6);
        try (Psql psql = new Psql(database)) {
            String shadow =
                    "select postrider.record_shadow('ledger', %d, %d, '{}', '{}', '{}', '{}', '{}', '{}', 't', null)";
            String live = "select postrider.deliver('ledger', %d, %d, 1, 't')";
            assertThat(psql.text(live.formatted(1, 2))).isEqualTo("f");
            assertThat(psql.text(shadow.formatted(1, 2))).isEqualTo("t");
            node.postrider.listeners().goLive("ledger", 4);
            assertThat(psql.text(shadow.formatted(3, 4)))
                    .as("across the switch")
                    .isEqualTo("f");
            assertThat(psql.text(live.formatted(3, 4))).as("across the switch").isEqualTo("f");
            assertThat(psql.text(shadow.formatted(3, 3))).isEqualTo("t");
            assertThat(psql.text(shadow.formatted(4, 4))).isEqualTo("f");
            assertThat(psql.text(live.formatted(4, 6))).isEqualTo("t");
        }
    }

    // ── pause, reset, retries ───────────────────────────────────────────────────────────────────────────────────────

    @Test
    void pause_and_reset_work_in_shadow_and_keep_the_mode() {
        RecordingSink sink = new RecordingSink();
        node.add(sink.relay("moved").withShadow(true).withBatch(4));
        emit("moved", 6);
        node.awaitCursor("moved", 6);
        node.postrider.pause("moved");
        emit("moved", 2);
        node.postrider.reset("moved", StartPoint.position(3));
        assertThat(recorded("moved")).containsExactly("1", "2");
        node.postrider.resume("moved");
        node.awaitCursor("moved", 8);
        assertThat(recorded("moved")).containsExactly("1", "2", "3", "4", "5", "6", "7", "8");
        assertThat(sink.arrived).isEmpty();
        assertMode("moved", "shadow", 1L, null);

        node.postrider.listeners().goLive("moved");
        emit("moved", 1);
        node.awaitCursor("moved", 9);
        node.postrider.reset("moved", StartPoint.position(5)); // it is live: a reset sends again
        Await.until("sent again", () -> sink.arrived.size() == 6);
        assertThat(sink.arrived).containsExactly(9L, 5L, 6L, 7L, 8L, 9L);
    }

    @Test
    void an_event_that_blocks_a_relay_is_recorded_and_retries_behind_the_cursor_wait_until_it_is_live() {
        RecordingSink sink = new RecordingSink();
        node.add(Listener.relay("blocked", "blocked", event -> {
                    throw new IllegalStateException("no");
                })
                .withBackoff(Duration.ofMinutes(1), Duration.ofMinutes(1)));
        emit("blocked", 2);
        Await.until("set back", () -> node.status("blocked").setbacks() == 1);
        node.postrider.listeners().shadow("blocked", MOST);
        node.awaitCursor("blocked", 2);
        assertThat(node.status("blocked").setbacks()).isZero();
        assertThat(node.deadLetters("blocked")).isEmpty();

        CountDownLatch fails = new CountDownLatch(1);
        node.add(Listener.relay("skipped", "skipped", event -> {
                    if (fails.getCount() > 0) {
                        throw new IllegalStateException("no");
                    }
                    sink.arrived.add(event.position());
                })
                .withPolicy(FailurePolicy.SKIP)
                .withBackoff(SOON, SOON)
                .withAttempts(1_000));
        emit("skipped", 1);
        node.awaitCursor("skipped", 1);
        node.postrider.listeners().shadow("skipped", MOST);
        fails.countDown();
        emit("skipped", 2);
        node.awaitCursor("skipped", 3);
        assertThat(sink.arrived).isEmpty();
        node.postrider.listeners().goLive("skipped");
        Await.until("retried", () -> sink.arrived.size() == 1);
        assertThat(sink.arrived).containsExactly(1L);
    }

    @Test
    void an_unavailable_sink_does_not_stop_a_relay_in_shadow() {
        RecordingSink sink = new RecordingSink();
        sink.away = true;
        node.add(sink.relay("away").withShadow(true));
        emit("away", 3);
        node.awaitCursor("away", 3);
        node.postrider.listeners().goLive("away");
        emit("away", 1);
        Await.until("unavailable", () -> node.status("away").lastError() != null);
        // what it has sent is unknown, so that it stays live until the sink says what has arrived
        assertRefused(() -> node.postrider.listeners().shadow("away", Duration.ofMillis(50)), Kind.CONFLICT);
        sink.away = false;
        Await.until("in shadow", () -> node.status("away").mode().equals("shadow"));
        assertThat(node.status("away").lastError()).isNull();
        assertThat(sink.arrived).isSubsetOf(4L);
    }

    // ── transactional listeners ─────────────────────────────────────────────────────────────────────────────────────

    @Test
    void the_handler_of_a_transactional_listener_is_rolled_back_and_its_failures_are_reported() {
        execute("create table public.effect (position bigint)");
        node.add(Listener.transactional("books", "books", (connection, event) -> {
                    try (var statement = connection.createStatement()) {
                        statement.execute("insert into public.effect values (" + event.position() + ")");
                    }
                    if (event.position() == 2) {
                        throw new IllegalStateException("cannot book");
                    }
                })
                .withShadow(true));
        emit("books", 4);
        node.awaitCursor("books", 4);
        assertThat(texts("select position from public.effect")).isEmpty();
        assertThat(node.deadLetters("books")).isEmpty();
        var failed = node.postrider
                .listeners()
                .compare(
                        "books",
                        io.postrider.admin.Publisher.table("public.effect").withId("position"),
                        100)
                .failed();
        assertThat(failed.count()).isEqualTo(1);
        assertThat(failed.examples().get(0).position()).isEqualTo(2);
        assertThat(failed.examples().get(0).detail()).contains("cannot book");

        node.postrider.listeners().goLive("books");
        emit("books", 2);
        node.awaitCursor("books", 6);
        assertThat(texts("select position from public.effect")).containsExactly("5", "6");
        node.postrider.listeners().shadow("books", MOST); // at once: its effects and its cursor commit together
        emit("books", 1);
        node.awaitCursor("books", 7);
        assertThat(texts("select position from public.effect")).containsExactly("5", "6");
    }

    @Test
    void a_batch_handler_that_fails_is_called_for_each_event_alone() {
        node.add(Listener.transactionalBatch("batch", "batch", (connection, events) -> {
                    if (events.stream().anyMatch(event -> event.position() == 3)) {
                        throw new IllegalStateException("not 3");
                    }
                })
                .withShadow(true)
                .withPaused(true));
        emit("batch", 5);
        awaitHead("batch", 5);
        node.postrider.resume("batch");
        node.awaitCursor("batch", 5);
        assertThat(texts("select unnest(failed) from postrider.shadow where listener = 'batch'"))
                .containsExactly("3");
    }

    // ── bad input ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void bad_input_is_refused_by_name_and_changes_nothing() {
        Listeners listeners = node.postrider.listeners();
        node.add(new RecordingSink().relay("live"));
        emit("live", 3);
        node.awaitCursor("live", 3);
        assertRefused(() -> listeners.shadow("nobody", MOST), Kind.NOT_FOUND).hasMessage("no listener nobody");
        assertRefused(() -> listeners.shadow("event_log:live", MOST), Kind.CONFLICT)
                .hasMessageContaining("writes the event log and cannot be in shadow mode");
        assertRefused(() -> listeners.goLive("nobody"), Kind.NOT_FOUND).hasMessage("no listener nobody");
        assertRefused(() -> listeners.goLive("live"), Kind.CONFLICT).hasMessage("listener live is not in shadow mode");
        assertRefused(() -> listeners.goLive("live", 0), Kind.REFUSED).hasMessage("position must be at least 1, was 0");
        long from = listeners.shadow("live", MOST);
        assertThat(from).isEqualTo(4);
        assertRefused(() -> listeners.goLive("live", 2), Kind.CONFLICT)
                .hasMessageContaining("position 2 is before the shadow phase of live, which begins at 4");
        assertMode("live", "shadow", 4L, null);
        assertThat(listeners.shadow("live", MOST)).as("again").isEqualTo(4);
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private static void emit(String topic, int count) {
        node.emit(IntStream.range(0, count)
                .mapToObj(i -> Event.of(topic, "t", "{\"n\": " + i + "}"))
                .toArray(Event[]::new));
    }

    private static void awaitHead(String listener, long position) {
        Await.until(listener + " has a head", () -> node.status(listener).head() >= position);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<Long> positions(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }

    private static void assertMode(String listener, String mode, Long shadowFrom, Long liveFrom) {
        Listeners.Status status = node.status(listener);
        assertThat(List.of(status.mode(), String.valueOf(status.shadowFrom()), String.valueOf(status.liveFrom())))
                .containsExactly(mode, String.valueOf(shadowFrom), String.valueOf(liveFrom));
    }

    private static String relayMode(String relay) {
        return node.postrider.relays().list().stream()
                .filter(one -> one.name().equals(relay))
                .findFirst()
                .orElseThrow()
                .mode();
    }

    private static List<String> states(String listener) {
        return texts("select state from postrider.event_status where listener = '" + listener + "' order by position");
    }

    private static List<String> recorded(String listener) {
        return texts("select unnest(positions) p from postrider.shadow where listener = '" + listener + "' order by p");
    }

    private static long openTenures(String listener) {
        return texts("select n from postrider.tenure where ended_at is null and listener = '" + listener + "'")
                .size();
    }

    private static List<String> texts(String sql) {
        try (Psql psql = new Psql(database)) {
            return psql.texts(sql);
        }
    }

    private static void execute(String sql) {
        try (Psql psql = new Psql(database)) {
            psql.execute(sql);
        }
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call, Kind kind) {
        return assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PostriderException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }
}
