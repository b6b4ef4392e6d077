package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException.Kind;
import io.postrider.admin.Comparison;
import io.postrider.admin.Comparison.Difference;
import io.postrider.admin.Comparison.Example;
import io.postrider.admin.Publisher;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a comparison says about a publisher that drops, adds, swaps, repeats and alters messages: exactly that. */
@Migrated(shared = true)
@Tag("hot")
class ComparisonTest {
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

    // ── a destination ───────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_faulty_publisher_is_described_exactly() {
        RecordingSink sink = new RecordingSink();
        node.add(sink.relay("faulty").withShadow(true).withBatch(1_000));
        emit("faulty", 10_000);
        node.awaitCursor("faulty", 10_000);
        List<LogEvent> events = new ArrayList<>(events("faulty", 10_000));
        List<Long> dropped = new ArrayList<>();
        List<Long> altered = new ArrayList<>();
        List<Long> swapped = new ArrayList<>();
        for (int i = 500; i < 10_000; i += 2_000) {
            Collections.swap(events, i, i + 1); // the event at i + 2 is sent before the one at i + 1
            swapped.add(i + 2L);
        }
        for (LogEvent event : events) {
            long position = event.position();
            if (position % 1_000 == 7) {
                dropped.add(position);
            } else if (position % 3_000 == 11) {
                altered.add(position);
                sink.publish("0", body(event).replace("\"n\":", "\"m\":"));
            } else {
                sink.publish("0", body(event));
            }
        }
        Comparison found = compare("faulty", Publisher.destination());
        assertThat(found.isSame()).isFalse();
        assertThat(List.of(found.from(), found.to(), found.events())).containsExactly(1L, 10_000L, 10_000L);
        assertThat(positions(found.missing())).isEqualTo(dropped).hasSize(10);
        assertThat(positions(found.different())).isEqualTo(altered).hasSize(4);
        assertThat(positions(found.reordered())).isEqualTo(swapped).hasSize(5);
        assertThat(found.reordered().examples().get(0).detail())
                .isEqualTo("sent after position 500, before position 501");
        assertNone(found.extra(), found.repeated(), found.pending(), found.failed());
        assertThat(found.orderCompared() && found.payloadCompared()).isTrue();
    }

    @Test
    void a_faultless_publisher_in_another_notation_is_the_same_and_may_be_behind() {
        RecordingSink sink = new RecordingSink();
        node.add(sink.relay("notation").withShadow(true));
        node.emit(Event.of("notation", "t", "{\"a\": 1.50, \"b\": [1, {\"x\": null}], \"ü\": \"\\u00e9\\n\"}"));
        emit("notation", 3);
        node.awaitCursor("notation", 4);
        LogEvent first = events("notation", 4).get(0);
        sink.publish(
                "0",
                "{\"event_id\":\"" + first.id()
                        + "\", \"\\u00fc\":\"é\\n\",\"b\":[1.0,{\"x\":null}],\"a\":15e-1}"); // the payload with its id
        sink.publish("1", Envelope.json(events("notation", 4).get(1)).replace(",", " ,\n"));
        Comparison found = compare("notation", Publisher.destination());
        assertThat(found.isSame()).as(found.toString()).isTrue();
        assertThat(positions(found.pending())).containsExactly(3L, 4L);
    }

    @Test
    void extra_and_repeated_messages_are_found_and_messages_beside_the_range_are_not_extra() {
        RecordingSink sink = new RecordingSink();
        node.add(sink.relay("extra").withTypes("t"));
        emit("extra", 2);
        node.awaitCursor("extra", 2);
        node.postrider.listeners().shadow("extra", Duration.ofSeconds(30));
        emit("extra", 2);
        node.emit(Event.of("extra", "unwanted", "{}"));
        emit("extra", 1);
        node.awaitCursor("extra", 6);
        node.pause("extra");
        emit("extra", 1);
        Await.until("it has a position", () -> node.status("extra").head() == 7);
        List<LogEvent> events = events("extra", 7);
        events.forEach(event -> sink.publish("0", body(event)));
        sink.publish("0", body(events.get(3)));
        sink.publish("0", "{\"event_id\": \"nothing of ours\"}");
        sink.publish("0", "no json");
        Comparison found = compare("extra", Publisher.destination());
        assertThat(found.extra().examples())
                .containsExactly(
                        new Example(5L, events.get(4).id().toString(), "the listener does not handle its type"),
                        new Example(null, "nothing of ours", "no event of the topic has this id"),
                        new Example(null, "", "messages without an id: 1"));
        assertThat(positions(found.repeated())).containsExactly(4L);
        assertNone(found.missing(), found.different(), found.reordered());
    }

    @Test
    void the_places_of_id_and_payload_and_the_name_of_the_destination_can_be_given() {
        RecordingSink sink = new RecordingSink();
        node.add(sink.relay("places").withShadow(true));
        emit("places", 2);
        node.awaitCursor("places", 2);
        for (LogEvent event : events("places", 2)) {
            sink.published.add(new PublishedMessage(
                    "0", Map.of("key", event.id().toString()), "{\"content\": " + event.payload() + "}"));
        }
        assertThat(compare("places", Publisher.destination()).extra().count()).isEqualTo(1);
        Comparison found = compare(
                "places",
                Publisher.destination()
                        .withPlace("old-orders")
                        .withId("field:key")
                        .withPayload("json:content"));
        assertThat(found.isSame()).as(found.toString()).isTrue();
        assertThat(found.publisher()).isEqualTo("old-orders beside recording");
        assertThat(sink.queries.get(sink.queries.size() - 1).place()).isEqualTo("old-orders");
        assertThat(texts("select id from postrider.shadow_reading")).isEmpty();
        assertThat(compare("places", Publisher.destination().withId("field:key").withPayload("json:other"))
                        .different()
                        .count())
                .isEqualTo(2);
    }

    @Test
    void without_the_earlier_messages_the_comparison_begins_with_the_first_one() {
        RecordingSink sink = new RecordingSink();
        sink.keepsAll = false;
        node.add(sink.relay("heard").withShadow(true));
        emit("heard", 6);
        node.awaitCursor("heard", 6);
        List<LogEvent> events = events("heard", 6);
        sink.publish("0", body(events.get(2)));
        sink.publish("0", body(events.get(4)));
        Comparison found = compare("heard", Publisher.destination());
        assertThat(List.of(found.from(), found.to(), found.events())).containsExactly(3L, 6L, 4L);
        assertThat(positions(found.missing())).containsExactly(4L);
        assertThat(positions(found.pending())).containsExactly(6L);
        sink.published.clear();
        assertThat(positions(compare("heard", Publisher.destination()).pending()))
                .hasSize(6);
    }

    // ── a table ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void the_status_of_an_outbox_table_is_compared() {
        execute(
                "create table public.event_outbox (id uuid primary key, status text, payload jsonb, published_at bigint)");
        node.add(new RecordingSink().relay("table").withShadow(true));
        emit("table", 8);
        node.awaitCursor("table", 8);
        List<LogEvent> events = events("table", 8);
        for (LogEvent event : events) {
            long at = event.position() == 4 ? 5 : event.position() == 5 ? 4 : event.position();
            row(event, "PUBLISHED", event.payload(), at);
        }
        execute("update public.event_outbox set status = 'PENDING' where published_at = 2");
        execute("update public.event_outbox set payload = '{\"n\": -1}' where published_at = 3");
        execute("delete from public.event_outbox where published_at = 6");
        execute(
                "insert into public.event_outbox values ('00000000-0000-0000-0000-000000000001', 'PUBLISHED', '{}', 7)");
        execute("insert into public.event_outbox values ('00000000-0000-0000-0000-000000000002', 'FAILED', '{}', 7)");
        Publisher.Table table = Publisher.table("event_outbox").withPublished("status", "PUBLISHED", "DONE");
        Comparison plain = compare("table", table);
        assertThat(positions(plain.missing())).containsExactly(2L, 6L);
        assertThat(plain.orderCompared() || plain.payloadCompared()).isFalse();
        assertNone(plain.extra(), plain.different(), plain.reordered(), plain.pending());

        Comparison whole = compare("table", table.withPayload("payload").withOrder("published_at"));
        assertThat(positions(whole.missing())).containsExactly(2L, 6L);
        assertThat(positions(whole.different())).containsExactly(3L);
        assertThat(positions(whole.reordered())).containsExactly(5L);
        assertThat(whole.extra().examples())
                .extracting(Example::id)
                .containsExactly("00000000-0000-0000-0000-000000000001");
        assertThat(whole.isSame()).isFalse();
    }

    @Test
    void a_flag_and_ids_that_are_no_uuid_are_compared_by_a_header() {
        execute("create table public.outbox (id bigint primary key, processed_at timestamptz)");
        node.add(new RecordingSink().relay("flag").withShadow(true));
        for (int i = 1; i <= 4; i++) {
            node.emit(Event.of("flag", "t", "{}").withHeaders(Map.of("adopted_id", Integer.toString(i))));
            execute("insert into public.outbox values (" + i + ", " + (i == 3 ? "null" : "now()") + ")");
        }
        node.awaitCursor("flag", 4);
        Comparison found = compare("flag", Publisher.table("public.outbox").withPublished("processed_at"));
        assertThat(positions(found.missing())).containsExactly(3L);
        execute("delete from public.outbox where processed_at is not null");
        Comparison deleted = compare("flag", Publisher.table("public.outbox"));
        assertThat(positions(deleted.missing())).containsExactly(3L);
    }

    // ── another listener ────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void another_listener_is_compared_by_its_ledger_or_by_its_own_record() {
        RecordingSink sink = new RecordingSink();
        node.add(
                Listener.relay("new", "pair", sink).withShadow(true),
                Listener.relay("old", "pair", event -> {
                            if (event.position() == 2) {
                                throw new IllegalStateException("no");
                            }
                        })
                        .withAttempts(1),
                Listener.relay("typed", "pair", sink).withShadow(true).withTypes("other"));
        emit("pair", 3);
        node.emit(Event.of("pair", "other", "{}"));
        for (String listener : List.of("new", "old", "typed")) {
            node.awaitCursor(listener, 4);
        }
        Comparison live = compare("new", Publisher.listener("old"));
        assertThat(positions(live.missing())).containsExactly(2L);
        assertNone(live.extra(), live.different(), live.reordered(), live.pending());
        Comparison shadow = compare("new", Publisher.listener("typed"));
        assertThat(positions(shadow.missing())).containsExactly(1L, 2L, 3L);
        assertThat(shadow.payloadCompared()).isTrue();
        assertThat(positions(compare("typed", Publisher.listener("new")).extra()))
                .containsExactly(1L, 2L, 3L);
    }

    // ── bad input ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void bad_input_is_refused_by_name() {
        execute("create table public.bad (id uuid, status text)");
        RecordingSink sink = new RecordingSink();
        node.add(sink.relay("bad").withShadow(true), Listener.relay("plain", "bad", event -> {}));
        assertRefused("nobody", Publisher.listener("bad"), Kind.NOT_FOUND).hasMessage("no listener nobody");
        assertRefused("plain", Publisher.destination(), Kind.CONFLICT)
                .hasMessageContaining(
                        "listener plain is not in shadow mode; `postrider relays shadow plain` begins it");
        assertRefused("bad", Publisher.destination(), Kind.CONFLICT)
                .hasMessage("listener bad has recorded nothing yet in shadow mode");
        emit("bad", 1);
        node.awaitCursor("bad", 1);
        assertRefused("bad", Publisher.table("nowhere"), Kind.NOT_FOUND)
                .hasMessage("no table nowhere in this database");
        assertRefused("bad", Publisher.table("bad").withId("key"), Kind.REFUSED)
                .hasMessage("table bad has no column key; it has [id, status]");
        assertRefused("bad", Publisher.listener("nobody"), Kind.NOT_FOUND).hasMessage("no listener nobody");
        assertRefused("bad", Publisher.listener("bad"), Kind.REFUSED)
                .hasMessage("a listener is not compared with itself, was bad");
        sink.away = true;
        assertRefused("bad", Publisher.destination(), Kind.CONFLICT)
                .hasMessage("the node of relay bad could not read: IOException: away");
        assertThatThrownBy(() -> Publisher.table("a;b")).hasMessageContaining("table must match");
        assertThatThrownBy(() -> Publisher.table("a.b.c")).hasMessageContaining("NAME or SCHEMA.NAME");
        assertThatThrownBy(() -> Publisher.table("a").withPublished("x y")).hasMessageContaining("published column");
        assertThatThrownBy(() -> Publisher.table("a").withOrder("at"))
                .hasMessageContaining("name the published column");
        assertThatThrownBy(() -> Publisher.destination().withId("id")).hasMessageContaining("id place must be field:");
        assertThatThrownBy(() -> Publisher.destination().withListenFor(Duration.ZERO))
                .hasMessageContaining("listenFor must be PT1S..PT10M");
        assertThatThrownBy(() -> node.postrider.listeners().compare("bad", Publisher.listener("plain"), 0))
                .hasMessage("most must be 1..1000000, was 0");
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private static Comparison compare(String listener, Publisher publisher) {
        return node.postrider.listeners().compare(listener, publisher, 100_000);
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
            String listener, Publisher publisher, Kind kind) {
        return assertThatThrownBy(() -> compare(listener, publisher))
                .isInstanceOfSatisfying(
                        PostriderException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }

    private static List<Long> positions(Difference difference) {
        assertThat(difference.count()).isEqualTo(difference.examples().size());
        return difference.examples().stream().map(Example::position).toList();
    }

    private static void assertNone(Difference... differences) {
        for (Difference difference : differences) {
            assertThat(difference.examples()).isEmpty();
            assertThat(difference.count()).isZero();
        }
    }

    /** The message of the old publisher: the payload, with the id in it. */
    private static String body(LogEvent event) {
        return "{\"event_id\": \"" + event.id() + "\", " + event.payload().substring(1);
    }

    private static void emit(String topic, int count) {
        node.emit(IntStream.range(0, count)
                .mapToObj(i -> Event.of(topic, "t", "{\"n\": " + i + "}"))
                .toArray(Event[]::new));
    }

    private static List<LogEvent> events(String topic, int count) {
        return LongStream.iterate(0, after -> after < count, after -> after + 1_000)
                .boxed()
                .flatMap(after -> node.postrider.log().read(topic, after, 1_000).stream())
                .toList();
    }

    private static void row(LogEvent event, String status, String payload, long at) {
        execute("insert into public.event_outbox values ('" + event.id() + "', '" + status + "', '" + payload + "', "
                + at + ")");
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
}
