package io.postrider.sinks.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.Sink;
import io.postrider.StartPoint;
import io.postrider.admin.DeadLetter;
import io.postrider.admin.DeadLetters;
import io.postrider.admin.Relays;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of every sink, alone and under a relay on a real PostgreSQL. Extend it and provide the place the sink sends to:
 *
 * <pre>{@code
 * class CarrierPigeonSinkTest extends SinkSuite {
 *     @Override
 *     protected Place place() {
 *         return new Loft();
 *     }
 * }
 * }</pre>
 */
@Timeout(120)
public abstract class SinkSuite {
    private static final RelayEpoch COURSE = new RelayEpoch("suite", "suite", 1);

    private Place place;
    private TestDatabase database;
    private final List<AutoCloseable> open = new ArrayList<>();

    /** The place the sink sends to; a new, empty one for each call. */
    protected abstract Place place() throws Exception;

    /** The timeout for something that should happen at once; a place that starts processes may need longer. */
    protected Duration most() {
        return Duration.ofSeconds(60);
    }

    @BeforeEach
    final void prepare() throws Exception {
        place = place();
        database = TestDatabase.createFrom(
                "sink-suite", dataSource -> Postrider.on(dataSource).migrate());
    }

    @AfterEach
    final void tidyUp() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
        place.close();
        database.close();
    }

    // ── without a relay ─────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void what_is_sent_arrives_in_order_with_its_id_topic_position_type_and_data() throws Exception {
        Sink sink = sink();
        List<LogEvent> events = events(1, 200);

        assertThat(send(sink, COURSE, events.subList(0, 100)).isWhole()).isTrue();
        assertThat(send(sink, COURSE, events.subList(100, 200)).isWhole()).isTrue();

        assertSame(await(200), events);
    }

    @Test
    void text_of_every_kind_arrives_as_it_was() throws Exception {
        Sink sink = sink();
        String long_ = "x".repeat(200_000);
        List<LogEvent> events = List.of(
                event(1, "plain", "{}"),
                event(2, "ключ 鍵 🔑 \" \\ \n", "{\"text\": \"ÄÖÜ 漢字 🐎 \\u0001 \\\" \\\\ </script>\"}"),
                event(3, null, "[1, 1.50, 1e10, -0.0, true, null, \"\", {}]"),
                event(4, "", "\"a string\""),
                event(5, "k".repeat(1_000), "{\"long\": \"" + long_ + "\"}"));

        assertThat(send(sink, COURSE, events).isWhole()).isTrue();

        assertSame(await(5), events);
    }

    @Test
    void a_place_that_is_away_is_unavailable_and_not_the_fault_of_an_event() throws Exception {
        Sink sink = sink();
        assertThat(send(sink, COURSE, events(1, 2)).isWhole()).isTrue();
        place.goAway();

        SendResult receipt = send(sink, COURSE, events(3, 12));

        assertThat(receipt.isWhole()).isFalse();
        assertThat(receipt.isUnavailable()).as(receipt.toString()).isTrue();
        assertThat(receipt.taken()).isLessThan(10);
        place.comeBack();
        Await.until(
                "the sink is there again",
                most(),
                () -> send(sink, COURSE, events(3, 12)).isWhole());
    }

    @Test
    void a_test_says_what_it_found_and_sends_no_event() throws Exception {
        Sink sink = sink();

        assertThat(sink.test()).isNotBlank();
        send(sink, COURSE, events(1, 1));

        assertThat(await(1)).hasSize(1);
    }

    @Test
    void a_test_of_a_place_that_is_away_says_why() throws Exception {
        Sink sink = sink();
        place.goAway();

        assertThatThrownBy(sink::test).hasMessageMatching("(?s).{10,}");
    }

    @Test
    void no_secret_shows() throws Exception {
        Sink sink = sink();
        place.goAway();
        SendResult receipt = send(sink, COURSE, events(1, 1));

        for (String secret : place.secrets()) {
            assertThat(sink.describe()).doesNotContain(secret);
            assertThat(sink.toString()).doesNotContain(secret);
            assertThat(String.valueOf(receipt.error())).doesNotContain(secret);
        }
        assertThat(sink.describe()).isNotBlank().doesNotContain("\n");
    }

    @Test
    void closing_twice_is_harmless() {
        Sink sink = place.open();
        sink.close();
        sink.close();
    }

    @Test
    void a_sink_that_tells_holds_what_was_sent_of_this_course_and_nothing_else() throws Exception {
        Sink sink = sink();
        List<LogEvent> events = events(1, 50);
        RelayEpoch another = new RelayEpoch("suite", "suite", 2);
        RelayEpoch stranger = new RelayEpoch("stranger", "suite", 1);

        assertThat(sink.holds(COURSE, 0)).isEmpty();
        send(sink, another, events(1, 20));
        send(sink, COURSE, events);
        send(sink, stranger, events(41, 60));

        Map<Long, UUID> expected = new HashMap<>();
        events.stream().skip(30).forEach(event -> expected.put(event.position(), event.id()));
        Map<Long, UUID> held = sink().holds(COURSE, 30);
        if (place.tells()) {
            assertThat(held).isEqualTo(expected);
        } else {
            assertThat(held).isEmpty();
        }
    }

    // ── with a relay ────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_relay_sends_the_whole_log_in_its_order() throws Exception {
        Postrider postrider = node(relay(sink()));
        emit(postrider, 1, 1_000);

        List<Arrived> arrived = await(1_000);

        assertThat(arrived).extracting(Arrived::position).isEqualTo(positions(1, 1_000));
    }

    @Test
    void a_relay_waits_for_a_place_that_is_away_and_blames_no_event() throws Exception {
        Postrider postrider = node(relay(sink()).withAttempts(1));
        emit(postrider, 1, 10);
        await(10);
        place.goAway();
        emit(postrider, 11, 60);

        Relays.Status away = Await.value(
                "the relay has noticed",
                most(),
                () -> postrider.relays().list().stream()
                        .filter(one -> one.state().equals("unavailable"))
                        .findFirst());
        assertThat(away.lastError()).isNotBlank();
        assertThat(away.setbacks()).isZero();
        assertThat(away.deadLetters()).isZero();
        place.comeBack();

        awaitCursor(postrider, 60);
        assertThat(new HashSet<>(arrivedPositions())).containsAll(positions(11, 60));
        assertThat(status(postrider).deadLetters()).isZero();
        assertThat(status(postrider).state()).isEqualTo("running");
        assertOrderByFirstSight();
    }

    /** If the place refuses no event by its content, all of them arrive. */
    @Test
    void an_event_that_is_refused_is_a_dead_letter_and_the_others_arrive() throws Exception {
        String refused = place.refusedPayload();
        Postrider postrider = node(relay(sink()).withAttempts(2));
        emit(postrider, 1, 10);
        emit(
                postrider,
                List.of(Event.of("suite", "suite.counted", refused == null ? "{}" : refused)
                        .withKey("key-1")));
        emit(postrider, 12, 20);

        awaitCursor(postrider, 20);
        List<Long> arrived = new ArrayList<>(positions(1, 20));
        List<Long> dead = refused == null ? List.of() : List.of(11L);
        arrived.removeAll(dead);
        List<DeadLetter> letters = postrider.deadLetters().find(DeadLetters.Filter.all(), 0, 10);
        assertThat(letters.stream().map(letter -> letter.event().position())).containsExactlyElementsOf(dead);
        assertThat(letters).allMatch(letter -> letter.attempts() == 2);
        assertThat(new HashSet<>(arrivedPositions())).containsExactlyInAnyOrderElementsOf(arrived);
        assertOrderByFirstSight();
    }

    @Test
    void lanes_wait_for_a_place_that_is_away_and_leave_nothing_out() throws Exception {
        Postrider postrider = node(relay(sink()).withConcurrency(4).withAttempts(1));
        emit(postrider, 1, 20);
        awaitCursor(postrider, 20);
        place.goAway();
        emit(postrider, 21, 120);
        Await.until(
                "the relay has noticed", most(), () -> status(postrider).state().equals("unavailable"));
        place.comeBack();

        awaitCursor(postrider, 120);
        assertThat(new HashSet<>(arrivedPositions())).containsAll(positions(21, 120));
        assertThat(status(postrider).deadLetters()).isZero();
    }

    @Test
    void what_had_arrived_when_the_process_died_is_not_sent_again_if_the_place_can_tell() throws Exception {
        AtomicBoolean dies = new AtomicBoolean();
        Postrider first = node(relay(new Dying(sink(), dies)));
        emit(first, 1, 100);
        awaitCursor(first, 100);
        dies.set(true);
        emit(first, 101, 150);
        await(101); // some have arrived, but the relay has not recorded them
        first.close();
        dies.set(false);

        Postrider second = node(relay(sink()));
        awaitCursor(second, 150);

        if (place.tells()) {
            assertThat(arrivedPositions()).containsExactlyElementsOf(positions(1, 150));
        } else {
            assertThat(new HashSet<>(arrivedPositions())).containsExactlyInAnyOrderElementsOf(positions(1, 150));
        }
    }

    @Test
    void a_reset_sends_again() throws Exception {
        Postrider postrider = node(relay(sink()));
        emit(postrider, 1, 20);
        awaitCursor(postrider, 20);

        postrider.reset("to-place", StartPoint.position(11));

        Await.until("sent again", most(), () -> place.arrived().size() >= 30);
        assertThat(arrivedPositions().subList(20, 30)).isEqualTo(positions(11, 20));
    }

    @Test
    void lanes_keep_the_order_of_each_key() throws Exception {
        Postrider postrider = node(relay(sink()).withConcurrency(4));
        emit(postrider, 1, 400);
        awaitCursor(postrider, 400);

        Map<String, List<Long>> byKey = new HashMap<>();
        place.arrived()
                .forEach(one -> byKey.computeIfAbsent(String.valueOf(one.key()), key -> new ArrayList<>())
                        .add(one.position()));
        assertThat(byKey).hasSizeGreaterThan(5);
        byKey.values().forEach(positions -> assertThat(positions).isSorted().doesNotHaveDuplicates());
    }

    @Test
    void an_operator_can_test_a_relay_also_when_it_is_paused() throws Exception {
        Postrider postrider = node(relay(sink()));
        postrider.pause("to-place");

        Relays.Tested found = postrider.relays().test("to-place", most());

        assertThat(found.error()).isNull();
        assertThat(found.found()).isNotBlank();
        place.goAway();
        assertThat(postrider.relays().test("to-place", most()).error()).isNotBlank();
        assertThatThrownBy(() -> postrider.relays().test("nobody", most()))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("nobody");
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Sends, and crashes before it can report the result. */
    private record Dying(Sink sink, AtomicBoolean dies) implements Sink {
        @Override
        public String describe() {
            return sink.describe();
        }

        @Override
        public SendResult send(RelayEpoch epoch, List<LogEvent> events) throws Exception {
            SendResult receipt = sink.send(epoch, events);
            if (dies.get()) {
                throw new InterruptedException("died");
            }
            return receipt;
        }

        @Override
        public Map<Long, UUID> holds(RelayEpoch epoch, long after) throws Exception {
            return sink.holds(epoch, after);
        }

        @Override
        public String test() throws Exception {
            return sink.test();
        }
    }

    /** Acts like a relay: if a sink accepted only a part, the rest is sent again. */
    private static SendResult send(Sink sink, RelayEpoch epoch, List<LogEvent> events) throws Exception {
        List<LogEvent> rest = events;
        SendResult receipt = sink.send(epoch, rest);
        while (!receipt.isWhole() && receipt.error() == null) {
            rest = rest.subList(receipt.taken(), rest.size());
            receipt = sink.send(epoch, rest);
        }
        return receipt;
    }

    private Sink sink() {
        Sink sink = place.open();
        open.add(sink);
        return sink;
    }

    private static Listener relay(Sink sink) {
        return Listener.relay("to-place", "suite", sink)
                .withStart(StartPoint.beginning())
                .withBackoff(Duration.ofMillis(5), Duration.ofMillis(20));
    }

    private Postrider node(Listener relay) {
        Postrider postrider = Postrider.on(database.dataSource()).add(relay).start();
        open.add(postrider);
        return postrider;
    }

    private void emit(Postrider postrider, int from, int to) throws SQLException {
        List<Event> events = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            events.add(Event.of("suite", "suite.counted", "{\"n\": " + i + "}")
                    .withKey("key-" + i % 10)
                    .withProject("p1")
                    .withUser("u" + i % 3)
                    .withAggregate("count", "" + i));
        }
        emit(postrider, events);
    }

    private void emit(Postrider postrider, List<Event> events) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            postrider.emitAll(connection, events);
            connection.commit();
        }
    }

    private static List<LogEvent> events(int from, int to) {
        List<LogEvent> events = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            events.add(event(i, i % 7 == 0 ? null : "key-" + i % 5, "{\"n\": " + i + "}"));
        }
        return events;
    }

    private static LogEvent event(long position, @Nullable String key, String payload) {
        return new LogEvent(
                "suite",
                position,
                UUID.nameUUIDFromBytes(("event " + position).getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                "suite.counted",
                payload,
                key,
                "p1",
                "u1",
                "count",
                "" + position,
                "{\"trace\": \"t" + position + "\"}",
                Instant.parse("2026-01-02T03:04:05.678901Z"));
    }

    private List<Arrived> await(int count) {
        return Await.value(count + " arrived", most(), () -> {
            List<Arrived> arrived = place.arrived();
            return arrived.size() >= count ? java.util.Optional.of(arrived) : java.util.Optional.empty();
        });
    }

    private void awaitCursor(Postrider postrider, long position) {
        Await.until(
                "the relay is at " + position, most(), () -> status(postrider).position() >= position);
    }

    private static Relays.Status status(Postrider postrider) {
        return postrider.relays().list().get(0);
    }

    private List<Long> arrivedPositions() throws Exception {
        return place.arrived().stream().map(Arrived::position).toList();
    }

    /** Duplicates are allowed if the sink cannot detect them; a later event before an earlier one is never allowed. */
    private void assertOrderByFirstSight() throws Exception {
        Set<Long> seen = new HashSet<>();
        List<Long> first = arrivedPositions().stream().filter(seen::add).toList();
        assertThat(first).isSorted();
    }

    private static List<Long> positions(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }

    private static void assertSame(List<Arrived> arrived, List<LogEvent> sent) {
        assertThat(arrived).hasSameSizeAs(sent);
        for (int i = 0; i < sent.size(); i++) {
            Arrived got = arrived.get(i);
            LogEvent event = sent.get(i);
            assertThat(got.topic()).isEqualTo(event.topic());
            assertThat(got.position()).isEqualTo(event.position());
            assertThat(got.id()).isEqualTo(event.id());
            assertThat(got.type()).isEqualTo(event.type());
            assertThat(got.key()).isEqualTo(event.key());
            assertThat(got.data()).isEqualTo(event.payload());
        }
    }
}
