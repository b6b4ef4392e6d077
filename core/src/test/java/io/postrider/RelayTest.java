package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.admin.Relays;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A relay and its sink: whose fault a failure is, and what is known to have arrived. */
@Migrated(shared = true)
@Tag("hot")
class RelayTest {
    private static final Duration SOON = Duration.ofMillis(5);

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

    /** A sink in memory, with faults that can be set. */
    private static final class Shelf implements Sink {
        final List<Long> arrived = new CopyOnWriteArrayList<>();
        final Map<Long, UUID> held = new ConcurrentHashMap<>();
        final List<RelayEpoch> epochs = new CopyOnWriteArrayList<>();
        final Set<Long> refused = ConcurrentHashMap.newKeySet();
        final AtomicInteger sends = new AtomicInteger();
        final AtomicInteger asked = new AtomicInteger();
        volatile long next;
        volatile boolean away;
        volatile boolean tells = true;
        volatile boolean throwsForRefused;
        volatile Duration retryAfter;
        volatile int takesBeforeItGoes = Integer.MAX_VALUE;

        @Override
        public String describe() {
            return "shelf";
        }

        @Override
        public SendResult send(RelayEpoch epoch, List<LogEvent> events) throws IOException {
            sends.incrementAndGet();
            next = events.get(0).position();
            epochs.add(epoch);
            if (throwsForRefused && events.stream().anyMatch(event -> refused.contains(event.position()))) {
                throw new IOException("one of them");
            }
            for (int i = 0; i < events.size(); i++) {
                LogEvent event = events.get(i);
                if (away || i >= takesBeforeItGoes) {
                    takesBeforeItGoes = takesBeforeItGoes == 0 ? 0 : Integer.MAX_VALUE;
                    return SendResult.unavailable(i, new IOException("away"), retryAfter);
                }
                if (refused.contains(event.position())) {
                    return SendResult.refused(i, new IOException("not this one"), retryAfter);
                }
                arrived.add(event.position());
                held.put(event.position(), event.id());
            }
            return SendResult.whole();
        }

        @Override
        public Map<Long, UUID> holds(RelayEpoch epoch, long after) throws IOException {
            asked.incrementAndGet();
            next = after + 1;
            if (away) {
                throw new IOException("away");
            }
            Map<Long, UUID> later = new HashMap<>();
            if (tells) {
                held.forEach((position, id) -> {
                    if (position > after) {
                        later.put(position, id);
                    }
                });
            }
            return later;
        }

        @Override
        public String test() throws IOException {
            if (away) {
                throw new IOException("away");
            }
            return "a shelf";
        }

        Listener relay(String name) {
            return Listener.relay(name, name, this).withBackoff(SOON, SOON);
        }
    }

    @Test
    void an_unavailable_sink_counts_no_attempt() {
        Shelf shelf = new Shelf();
        shelf.away = true;
        node.add(shelf.relay("away").withAttempts(1));
        emit("away", 3);

        Relays.Status away = awaitState("away", "unavailable");
        Await.until("tried again and again", () -> status("away").attempts() >= 4);
        assertThat(away.unavailableSince()).isNotNull();
        assertThat(away.lastError()).contains("away");
        assertThat(status("away").setbacks()).isZero();
        assertThat(node.status("away").lastError()).contains("away");

        shelf.away = false;
        node.awaitCursor("away", 3);
        assertThat(shelf.arrived).containsExactly(1L, 2L, 3L);
        Relays.Status back = awaitState("away", "running");
        assertThat(back.unavailableSince()).isNull();
        assertThat(back.lastError()).isNull();
        assertThat(node.deadLetters("away")).isEmpty();
    }

    @Test
    void events_accepted_before_the_sink_became_unavailable_are_not_sent_again() {
        Shelf shelf = new Shelf();
        shelf.takesBeforeItGoes = 4;
        shelf.tells = false;
        node.add(shelf.relay("halfway"));
        emit("halfway", 10);

        node.awaitCursor("halfway", 10);
        assertThat(shelf.arrived).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
    }

    @Test
    void a_refused_event_is_retried_by_policy_and_then_becomes_a_dead_letter() {
        Shelf shelf = new Shelf();
        shelf.refused.add(3L);
        node.add(shelf.relay("refusing").withAttempts(2));
        emit("refusing", 5);

        node.awaitCursor("refusing", 5);
        assertThat(shelf.arrived).containsExactly(1L, 2L, 4L, 5L);
        assertThat(node.deadLetters("refusing")).singleElement().satisfies(letter -> {
            assertThat(letter.event().position()).isEqualTo(3);
            assertThat(letter.error()).contains("not this one");
            assertThat(letter.attempts()).isEqualTo(2);
        });
    }

    @Test
    void a_batch_refused_without_a_named_event_is_halved() {
        Shelf shelf = new Shelf();
        shelf.refused.add(6L);
        shelf.throwsForRefused = true;
        node.add(shelf.relay("guessing").withAttempts(2));
        emit("guessing", 9);

        node.awaitCursor("guessing", 9);
        assertThat(shelf.arrived).containsExactly(1L, 2L, 3L, 4L, 5L, 7L, 8L, 9L);
        assertThat(node.deadLetters("guessing")).hasSize(1);
    }

    @Test
    void the_relay_respects_the_retry_after_of_a_refusal() {
        Shelf shelf = new Shelf();
        shelf.refused.add(1L);
        shelf.retryAfter = Duration.ofMinutes(10);
        node.add(shelf.relay("later"));
        emit("later", 1);

        Await.until("refused", () -> status("later").attempts() == 1);
        assertThat(node.number("select extract(epoch from retry_after - clock_timestamp())::int from postrider.setback"
                        + " where listener = 'later'"))
                .isBetween(500L, 600L);
    }

    @Test
    void the_relay_respects_the_retry_after_of_an_unavailable_sink() {
        Shelf shelf = new Shelf();
        shelf.away = true;
        shelf.retryAfter = Duration.ofMinutes(10);
        node.add(shelf.relay("away-later"));
        shelf.tells = false;
        shelf.away = false;
        shelf.takesBeforeItGoes = 0;
        emit("away-later", 1);

        Relays.Status away = awaitState("away-later", "unavailable");
        assertThat(away.retryAfter()).isAfter(java.time.Instant.now().plusSeconds(400));
        assertThat(shelf.sends.get()).isEqualTo(1);
    }

    @Test
    void key_groups_that_succeeded_are_not_sent_again_when_another_failed() {
        Shelf shelf = new Shelf();
        shelf.tells = false;
        shelf.refused.add(2L);
        node.add(shelf.relay("lanes")
                .withConcurrency(4)
                .withPolicy(FailurePolicy.PARK)
                .withAttempts(1_000));
        node.inTransaction(connection -> {
            List<Event> events = new ArrayList<>();
            for (int i = 1; i <= 40; i++) {
                events.add(Event.of("lanes", "counted", "{}").withKey("k" + i % 4));
            }
            node.postrider.emitAll(connection, events);
        });

        node.awaitCursor("lanes", 40);
        Await.until("the key waits", () -> status("lanes").setbacks() == 10);
        assertThat(shelf.arrived).hasSize(30).doesNotHaveDuplicates();
        shelf.refused.clear();
        Await.until("all are there", () -> shelf.arrived.size() == 40);
        assertThat(shelf.arrived).doesNotHaveDuplicates();
        List<Long> ofKey = shelf.arrived.stream().filter(one -> one % 4 == 2).toList();
        assertThat(ofKey).isSorted();
    }

    @Test
    void events_whose_delivery_could_not_be_recorded_are_not_sent_again() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
        Shelf shelf = new Shelf();
        shelf.tells = false;
        CountDownLatch sent = new CountDownLatch(1);
        Sink breaking = new Sink() {
            @Override
            public String describe() {
                return "breaking";
            }

            @Override
            public SendResult send(RelayEpoch epoch, List<LogEvent> events) throws Exception {
                SendResult receipt = shelf.send(epoch, events);
                if (sent.getCount() > 0) {
                    faulty.fail(true);
                    sent.countDown();
                }
                return receipt;
            }

            @Override
            public String test() {
                return "breaking";
            }
        };
        emit("unwritten", 5);
        try (Postrider other = Postrider.on(faulty, Options.defaults().withPoll(Duration.ofMillis(50)))) {
            other.add(Listener.relay("unwritten", "unwritten", breaking).withStart(StartPoint.beginning()));
            other.start();
            sent.await();
            int asked = faulty.asked();
            Await.until("it stumbled", () -> faulty.asked() > asked + 1);
            faulty.fail(false);
            node.awaitCursor("unwritten", 5);
        }
        assertThat(shelf.arrived).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void an_event_that_arrived_before_a_missing_one_of_its_key_is_sent_again_after_it() {
        Shelf shelf = new Shelf();
        node.inTransaction(connection -> node.postrider.emitAll(
                connection,
                List.of(
                        Event.of("gaps", "a", "{}").withKey("k"),
                        Event.of("gaps", "b", "{}").withKey("k"),
                        Event.of("gaps", "c", "{}").withKey("other"))));
        Await.until("they have positions", () -> node.postrider.log().head("gaps") == 3);
        node.postrider.log().read("gaps", 1, 2).forEach(event -> shelf.held.put(event.position(), event.id()));
        node.add(shelf.relay("gaps"));

        node.awaitCursor("gaps", 3);
        assertThat(shelf.arrived).containsExactly(1L, 2L);
    }

    @Test
    void no_key_group_starts_after_the_sink_asked_to_stop() {
        Shelf shelf = new Shelf();
        shelf.tells = false;
        shelf.retryAfter = Duration.ofMinutes(10);
        shelf.takesBeforeItGoes = 0;
        node.inTransaction(connection -> {
            List<Event> events = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                events.add(Event.of("no-more", "counted", "{}"));
            }
            node.postrider.emitAll(connection, events);
        });
        Await.until("they have positions", () -> node.postrider.log().head("no-more") == 60);
        node.add(shelf.relay("no-more").withConcurrency(2));

        awaitState("no-more", "unavailable");
        assertThat(shelf.sends.get()).isLessThanOrEqualTo(3);
    }

    @Test
    void a_reset_begins_a_new_relay_epoch() {
        Shelf shelf = new Shelf();
        node.add(shelf.relay("courses"));
        emit("courses", 3);
        node.awaitCursor("courses", 3);

        shelf.tells = false;
        node.postrider.reset("courses", StartPoint.position(2));

        Await.until("sent again", () -> shelf.arrived.size() == 5);
        assertThat(shelf.arrived).containsExactly(1L, 2L, 3L, 2L, 3L);
        assertThat(shelf.epochs.get(0).number())
                .isLessThan(shelf.epochs.get(shelf.epochs.size() - 1).number());
    }

    /** As after a restore of a backup from before the reset, or a failover that lost it. */
    @Test
    void the_epoch_of_a_lost_reset_is_not_reused() {
        Shelf shelf = new Shelf();
        shelf.tells = false;
        node.add(shelf.relay("forgotten"));
        emit("forgotten", 1);
        node.awaitCursor("forgotten", 1);
        long before = node.number("select course from postrider.listener where name = 'forgotten'");
        node.postrider.reset("forgotten", StartPoint.beginning());
        Await.until("sent again", () -> shelf.arrived.size() == 2);
        node.awaitCursor("forgotten", 1); // or the next reset would be to where it stands
        node.execute("update postrider.listener set course = " + before + " where name = 'forgotten'");
        node.postrider.reset("forgotten", StartPoint.beginning());
        Await.until("and again", () -> shelf.arrived.size() == 3);
        assertThat(shelf.epochs).extracting(RelayEpoch::number).doesNotHaveDuplicates();
    }

    @Test
    void an_event_of_another_era_at_the_same_position_is_sent() {
        Shelf shelf = new Shelf();
        shelf.held.put(2L, UUID.randomUUID());
        node.add(shelf.relay("eras"));
        emit("eras", 3);

        node.awaitCursor("eras", 3);
        assertThat(shelf.arrived).containsExactly(1L, 2L, 3L);
    }

    @Test
    void an_attempt_counted_in_advance_is_uncounted_when_the_sink_is_unavailable() {
        Shelf shelf = new Shelf();
        shelf.refused.add(1L);
        node.add(shelf.relay("taken-back").withAttempts(1_000)); // so that it is not out of them before we look
        emit("taken-back", 2);
        Await.until("refused once", () -> status("taken-back").attempts() >= 1);
        shelf.away = true;
        shelf.refused.clear();

        awaitState("taken-back", "unavailable");
        long before = node.number("select max(attempt) from postrider.setback where listener = 'taken-back'");
        Await.until("tried again and again", () -> status("taken-back").attempts() >= 5);
        assertThat(node.number("select coalesce(max(attempt), 0) from postrider.setback where listener = 'taken-back'"))
                .isLessThanOrEqualTo(before);
        shelf.away = false;
        node.awaitCursor("taken-back", 2);
        assertThat(node.deadLetters("taken-back")).isEmpty();
        assertThat(shelf.arrived).containsExactly(1L, 2L);
    }

    @Test
    void a_relay_with_an_unavailable_sink_can_be_paused_and_reset() {
        Shelf shelf = new Shelf();
        shelf.away = true;
        node.add(shelf.relay("steered"));
        emit("steered", 5);
        awaitState("steered", "unavailable");
        Await.until("all have positions", () -> status("steered").head() == 5);

        node.postrider.pause("steered");
        awaitState("steered", "paused");
        node.postrider.reset("steered", StartPoint.position(5));
        node.postrider.resume("steered");
        Await.until("the relay has heard of the reset", () -> shelf.next == 5);
        shelf.away = false;

        node.awaitCursor("steered", 5);
        Await.until("sent", () -> shelf.arrived.equals(List.of(5L)));
    }

    @Test
    void a_sink_test_that_no_node_runs_is_reported() {
        node.execute("insert into postrider.listener (name, topic, kind, policy, batch, attempts, sink)"
                + " values ('nowhere', 'nowhere', 'relay', 'block', 1, 1, 'somewhere')");
        assertThatThrownBy(() -> node.postrider.relays().test("nowhere", Duration.ofMillis(200)))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("is a node running");
        assertThat(status("nowhere").state()).isEqualTo("waiting");
    }

    @Test
    void following_reads_every_event_once_despite_lost_connections() {
        FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
        List<Long> read = new CopyOnWriteArrayList<>();
        try (Postrider other = Postrider.on(faulty, Options.defaults().withPoll(Duration.ofMillis(50)))) {
            other.start();
            emit("followed", 3);
            Await.until("they have positions", () -> other.log().head("followed") == 3);
            other.log().follow("followed", 1, events -> {
                if (events.get(0).position() == 4 && !read.contains(0L)) {
                    read.add(0L);
                    throw new IOException("not now");
                }
                events.forEach(event -> read.add(event.position()));
            });
            Await.until("the rest was read", () -> read.equals(List.of(2L, 3L)));
            faulty.fail(true);
            emit("followed", 2);
            int asked = faulty.asked();
            Await.until("it stumbled", () -> faulty.asked() > asked + 1);
            faulty.fail(false);
            Await.until("what came after", () -> read.equals(List.of(2L, 3L, 0L, 4L, 5L)));
            assertThat(other.log().oldest("followed")).isEqualTo(1);
            assertThat(other.log().read("followed", 3, 10))
                    .extracting(LogEvent::position)
                    .containsExactly(4L, 5L);
        }
    }

    private static void emit(String topic, int events) {
        for (int i = 0; i < events; i++) {
            node.emit(Event.of(topic, "counted", "{}"));
        }
    }

    private static Relays.Status status(String relay) {
        return node.postrider.relays().list().stream()
                .filter(one -> one.name().equals(relay))
                .findFirst()
                .orElseThrow();
    }

    private static Relays.Status awaitState(String relay, String state) {
        return Await.value(
                relay + " is " + state,
                Duration.ofSeconds(60),
                () -> java.util.Optional.of(status(relay))
                        .filter(one -> one.state().equals(state)));
    }
}
