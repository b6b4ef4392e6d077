package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.DeadLetter;
import io.postrider.admin.Relays;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A relay whose sink is slow, or whose database is not there when it matters. */
@Migrated(shared = true)
@Tag("slow")
@Tag("once")
class RelayFaultTest {
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

    /** A sink that does what it is told; what it says it took has arrived. */
    private static final class Told implements Sink {
        final List<Long> arrived = new CopyOnWriteArrayList<>();
        final List<Integer> sizes = new CopyOnWriteArrayList<>();
        final Answers answers;
        volatile String name = "told";
        volatile boolean away;

        Told(Answers answers) {
            this.answers = answers;
        }

        interface Answers {
            SendResult answer(List<LogEvent> events) throws Exception;
        }

        @Override
        public String describe() {
            return name;
        }

        @Override
        public SendResult send(RelayEpoch epoch, List<LogEvent> events) throws Exception {
            sizes.add(events.size());
            SendResult receipt = answers.answer(events);
            events.stream().limit(receipt.taken()).forEach(event -> arrived.add(event.position()));
            return receipt;
        }

        @Override
        public Map<Long, UUID> holds(RelayEpoch epoch, long after) throws IOException {
            if (away) {
                throw new IOException("away");
            }
            return Map.of();
        }

        @Override
        public String test() {
            return "told";
        }

        Listener relay(String name) {
            return relay(name, name);
        }

        Listener relay(String name, String topic) {
            return Listener.relay(name, topic, this)
                    .withStart(StartPoint.beginning())
                    .withBackoff(SOON, SOON);
        }
    }

    private static SendResult refused() {
        return SendResult.refused(0, new IOException("not this one"));
    }

    @Test
    void key_groups_that_were_not_started_are_not_skipped() {
        CountDownLatch gone = new CountDownLatch(1);
        Told told = new Told(events -> {
            if ("a".equals(events.get(0).key()) && gone.getCount() > 0) {
                gone.countDown();
                return SendResult.unavailable(1, new IOException("away"));
            }
            // so long that the lane of a is known to be away before this one is through
            gone.await();
            pause(50);
            return SendResult.whole();
        });
        node.inTransaction(connection -> node.postrider.emitAll(
                connection,
                IntStream.rangeClosed(1, 9)
                        .mapToObj(i -> Event.of("unbegun", "counted", "{}").withKey(i == 1 || i == 9 ? "a" : "k" + i))
                        .toList()));
        Await.until("they have positions", () -> node.postrider.log().head("unbegun") == 9);
        node.add(told.relay("unbegun").withConcurrency(2));

        node.awaitCursor("unbegun", 9);
        assertThat(told.arrived).containsExactlyInAnyOrderElementsOf(positions(9));
    }

    @Test
    void a_sent_event_whose_record_failed_does_not_become_a_dead_letter() throws Exception {
        takenButNotNoted("unnoted-block", FailurePolicy.BLOCK);
    }

    @Test
    void a_retried_event_whose_record_failed_is_neither_dead_nor_sent_again() throws Exception {
        takenButNotNoted("unnoted-skip", FailurePolicy.SKIP);
    }

    /** Refused once, taken at the last attempt, and just then the database is gone. */
    private static void takenButNotNoted(String name, FailurePolicy policy) throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
        AtomicInteger sends = new AtomicInteger();
        CountDownLatch taken = new CountDownLatch(1);
        Told told = new Told(events -> {
            if (sends.incrementAndGet() == 1) {
                return refused();
            }
            if (taken.getCount() > 0) {
                faulty.fail(true);
                taken.countDown();
            }
            return SendResult.whole();
        });
        emit(name, 1);
        try (Postrider other = Postrider.on(faulty, Options.defaults().withPoll(Duration.ofMillis(50)))) {
            other.add(told.relay(name).withPolicy(policy).withAttempts(2));
            other.start();
            taken.await();
            int asked = faulty.asked();
            Await.until("it stumbled", () -> faulty.asked() > asked + 1);
            faulty.fail(false);
            node.awaitCursor(name, 1);
            Await.until("it is noted", () -> status(name).setbacks() == 0);
        }
        assertThat(node.deadLetters(name)).isEmpty();
        assertThat(told.arrived).containsExactly(1L);
    }

    /** Retention carries the last row of a ledger over and empties the segment that holds the first one. */
    @Test
    void an_event_that_was_taken_is_not_buried_because_its_ledger_was_shortened_meanwhile() throws Exception {
        String name = "unnoted-short";
        FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
        AtomicInteger sends = new AtomicInteger();
        CountDownLatch taken = new CountDownLatch(1);
        Told told = new Told(events -> {
            if (sends.incrementAndGet() == 2) {
                return refused();
            }
            if (sends.get() == 3) {
                faulty.fail(true);
                taken.countDown();
            }
            return SendResult.whole();
        });
        emit(name, 1);
        try (Postrider other = Postrider.on(faulty, Options.defaults().withPoll(Duration.ofMillis(50)));
                Psql psql = new Psql(database)) {
            other.add(told.relay(name).withPolicy(FailurePolicy.SKIP).withAttempts(2));
            other.start();
            node.awaitCursor(name, 1);
            emit(name, 1);
            taken.await();
            int asked = faulty.asked();
            Await.until("it stumbled", () -> faulty.asked() > asked + 1);
            psql.execute("delete from postrider.delivery where from_position = 0 and listener = '" + name + "'");
            faulty.fail(false);
            node.awaitCursor(name, 2);
            Await.until("it is noted", () -> status(name).setbacks() == 0);
        }
        assertThat(node.deadLetters(name)).isEmpty();
        assertThat(told.arrived).containsExactly(1L, 2L);
    }

    @Test
    void an_outage_does_not_erase_why_an_event_failed_before() throws Exception {
        String name = "refused-then-away";
        AtomicInteger sends = new AtomicInteger();
        Told told = new Told(events ->
                sends.incrementAndGet() == 1 ? refused() : SendResult.unavailable(0, new IOException("away")));
        emit(name, 1);
        Options options = Options.defaults().withPoll(Duration.ofMillis(50));
        try (Postrider first = Postrider.on(database.dataSource(), options)) {
            first.add(told.relay(name).withAttempts(2)).start();
            Await.until("its second attempt is taken back", () -> status(name).unavailableSince() != null);
        }
        try (Postrider second = Postrider.on(database.dataSource(), options)) {
            second.add(told.relay(name).withAttempts(1)).start();
            Await.until("it is a dead letter", () -> !node.deadLetters(name).isEmpty());
        }
        assertThat(node.deadLetters(name))
                .singleElement()
                .satisfies(letter -> assertThat(letter.error()).contains("not this one"));
    }

    /** Taken from among the dead letters when the database is gone, and refused again after the reset. */
    @Test
    void sent_but_unrecorded_events_are_sent_again_after_a_reset() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
        AtomicInteger sends = new AtomicInteger();
        CountDownLatch taken = new CountDownLatch(1);
        Told told = new Told(events -> {
            if (sends.incrementAndGet() != 2) {
                return refused();
            }
            faulty.away(true);
            taken.countDown();
            return SendResult.whole();
        });
        emit("unnoted-reset", 1);
        try (Postrider other = Postrider.on(faulty, Options.defaults().withPoll(Duration.ofMillis(50)))) {
            other.add(told.relay("unnoted-reset").withAttempts(1));
            other.start();
            Await.until(
                    "it is a dead letter",
                    () -> !node.deadLetters("unnoted-reset").isEmpty());
            node.postrider
                    .deadLetters()
                    .replay(node.deadLetters("unnoted-reset").stream()
                            .map(DeadLetter::id)
                            .toList());
            taken.await();
            int asked = faulty.asked();
            Await.until("it stumbled", () -> faulty.asked() > asked + 1);
            faulty.away(false);
            Await.until("it is noted", () -> status("unnoted-reset").setbacks() == 0);
            assertThat(node.deadLetters("unnoted-reset")).isEmpty();

            node.postrider.reset("unnoted-reset", StartPoint.beginning());
            Await.until(
                    "it is a dead letter again",
                    () -> !node.deadLetters("unnoted-reset").isEmpty());
        }
        assertThat(told.arrived).containsExactly(1L);
    }

    @Test
    void an_interrupted_attempt_is_not_counted() {
        AtomicInteger sends = new AtomicInteger();
        Told told = new Told(events -> {
            if (sends.incrementAndGet() > 1) {
                throw new InterruptedException("the node is told to end");
            }
            return refused();
        });
        node.add(told.relay("interrupted"));
        emit("interrupted", 1);

        Await.until(
                "it has ended",
                () -> node.number("select count(*) from postrider.tenure where listener = 'interrupted'"
                                + " and ended_at is not null")
                        == 1);
        assertThat(node.number("select attempt from postrider.setback where listener = 'interrupted'"))
                .isEqualTo(1);
    }

    @Test
    void no_attempt_starts_while_the_sink_cannot_report_what_it_has() {
        Told[] self = new Told[1];
        Told told = new Told(events -> {
            self[0].away = true;
            return refused();
        });
        self[0] = told;
        node.add(told.relay("unsaid"));
        emit("unsaid", 1);

        Await.until(
                "tried again and again",
                Duration.ofSeconds(60),
                () -> status("unsaid").unavailableSince() != null
                        && status("unsaid").attempts() >= 4);
        assertThat(told.sizes).hasSize(1);
        assertThat(node.number("select attempt from postrider.setback where listener = 'unsaid' and error is not null"))
                .isEqualTo(1);
    }

    @Test
    void a_slow_sink_gets_batches_of_about_a_second_and_can_be_paused() {
        CountDownLatch paused = new CountDownLatch(1);
        Told told = new Told(events -> {
            if (events.get(0).position() > 80) {
                paused.await(); // at most three batches: even if the test thread is late, some must be unsent
            }
            pause(40L * events.size());
            return SendResult.whole();
        });
        emit("slow", 150);
        Await.until("they have positions", () -> node.postrider.log().head("slow") == 150);
        node.add(told.relay("slow").withBatch(150));
        Await.until("it sends", () -> told.sizes.size() >= 2);

        node.postrider.pause("slow");
        paused.countDown();

        Await.until(
                "it has ended its tenure",
                Duration.ofSeconds(60),
                () -> node.number(
                                "select count(*) from postrider.tenure where listener = 'slow' and ended_at is not null")
                        == 1);
        assertThat(told.arrived).hasSizeLessThan(150).isSorted().doesNotHaveDuplicates();
        assertThat(told.sizes.get(0)).isEqualTo(32);
        assertThat(told.sizes.subList(1, told.sizes.size())).allMatch(size -> size <= 25);
    }

    @Test
    void after_about_a_second_of_new_key_groups_the_sent_events_are_recorded() {
        CountDownLatch noted = new CountDownLatch(1);
        Told told = new Told(events -> {
            if (events.get(0).position() > 30) {
                noted.await();
            }
            pause(100);
            return SendResult.whole();
        });
        emit("slow-lanes", 40);
        Await.until("they have positions", () -> node.postrider.log().head("slow-lanes") == 40);
        node.add(told.relay("slow-lanes").withConcurrency(2).withBatch(40));
        Await.until("some are noted", () -> status("slow-lanes").position() > 0);
        noted.countDown();
        node.awaitCursor("slow-lanes", 40);
        assertThat(told.arrived).containsExactlyInAnyOrderElementsOf(positions(40));
    }

    @Test
    void the_rest_is_sent_after_a_sink_accepted_a_part() {
        Told told = new Told(events -> events.size() > 3 ? SendResult.partly(3) : SendResult.whole());
        emit("partly", 20);
        node.add(told.relay("partly").withAttempts(1));

        node.awaitCursor("partly", 20);
        assertThat(told.arrived).isEqualTo(positions(20));
        assertThat(node.deadLetters("partly")).isEmpty();
    }

    @Test
    void keys_that_are_retried_at_a_slow_sink_hardly_delay_the_others() {
        AtomicInteger tried = new AtomicInteger();
        AtomicBoolean slow = new AtomicBoolean();
        Told told = new Told(events -> {
            for (int i = 0; i < events.size(); i++) {
                if (!"good".equals(events.get(i).key())) {
                    tried.incrementAndGet();
                    pause(slow.get() ? 250 : 0);
                    return SendResult.refused(i, new IOException("not this one"));
                }
            }
            return SendResult.whole();
        });
        node.add(told.relay("crowd").withPolicy(FailurePolicy.PARK).withAttempts(1_000));
        node.inTransaction(connection -> node.postrider.emitAll(
                connection,
                IntStream.rangeClosed(1, 30)
                        .mapToObj(i -> Event.of("crowd", "counted", "{}").withKey("bad" + i))
                        .toList()));
        node.awaitCursor("crowd", 30);
        slow.set(true);
        int before = tried.get();
        Await.until("it is slow", () -> tried.get() >= before + 2);

        node.emit(Event.of("crowd", "counted", "{}").withKey("good"));
        Await.until("it has a position", () -> node.postrider.log().head("crowd") == 31);
        int since = tried.get();
        Await.until("it is there", Duration.ofSeconds(60), () -> told.arrived.contains(31L));

        assertThat(tried.get() - since).isLessThanOrEqualTo(5);
    }

    @Test
    void sent_events_are_recorded_while_a_key_waits() {
        Told told = new Told(events -> {
            for (int i = 0; i < events.size(); i++) {
                String key = String.valueOf(events.get(i).key());
                if (key.equals("parked")) {
                    return SendResult.refused(i, new IOException("not this one"));
                }
                if (key.equals("away")) {
                    return SendResult.unavailable(i, new IOException("away"), Duration.ofMinutes(10));
                }
            }
            return SendResult.whole();
        });
        node.add(told.relay("noted")
                .withPolicy(FailurePolicy.PARK)
                .withBackoff(Duration.ofMinutes(1), Duration.ofMinutes(1)));
        node.emit(Event.of("noted", "counted", "{}").withKey("parked"));
        node.awaitCursor("noted", 1);
        node.inTransaction(connection -> node.postrider.emitAll(
                connection,
                List.of("one", "parked", "two", "away").stream()
                        .map(key -> Event.of("noted", "counted", "{}").withKey(key))
                        .toList()));

        node.awaitCursor("noted", 4);
        assertThat(status("noted").setbacks()).isEqualTo(2);
        assertThat(told.arrived).containsExactly(2L, 4L);
    }

    @Test
    void a_refusal_after_an_outage_clears_the_unavailable_state() {
        AtomicBoolean back = new AtomicBoolean();
        Told told = new Told(events -> back.get() ? refused() : SendResult.unavailable(0, new IOException("away")));
        node.add(told.relay("refuses").withAttempts(1_000));
        emit("refuses", 1);
        awaitState("refuses", "unavailable");

        back.set(true);

        assertThat(awaitState("refuses", "failing").unavailableSince()).isNull();
    }

    /** Else 1,000 events would be as many requests each time, and the sink could not recover. */
    @Test
    void a_sink_that_is_down_is_tried_ever_more_rarely_however_many_events_and_keys_wait() {
        int concurrency = 4;
        AtomicBoolean back = new AtomicBoolean();
        List<Long> tries = new CopyOnWriteArrayList<>();
        Told told = new Told(events -> {
            if (back.get()) {
                return SendResult.whole();
            }
            tries.add(System.nanoTime());
            return SendResult.unavailable(0, new IOException("down"));
        });
        node.inTransaction(connection -> node.postrider.emitAll(
                connection,
                IntStream.range(0, 1_000)
                        .mapToObj(i -> Event.of("down", "counted", "{}").withKey("k" + i % 100))
                        .toList()));
        node.add(told.relay("down").withConcurrency(concurrency));
        Await.until(
                "it is tried for two seconds",
                Duration.ofSeconds(60),
                () -> !tries.isEmpty() && tries.get(tries.size() - 1) - tries.get(0) > 2_000_000_000L);
        back.set(true);
        for (int i = 0; i < tries.size(); i++) {
            long millis = (tries.get(i) - tries.get(0)) / 1_000_000;
            int rounds = 1;
            for (long wait = 50, sum = wait;
                    sum <= millis;
                    wait *= 2, sum += wait) { // half of 100 ms, 200 ms, 400 ms …
                rounds++;
            }
            assertThat(i + 1).as("requests within %d ms", millis).isLessThanOrEqualTo(rounds * concurrency);
        }
        node.awaitCursor("down", 1_000);
        assertThat(told.arrived).containsExactlyInAnyOrderElementsOf(positions(1_000));
        assertThat(node.deadLetters("down")).isEmpty();
    }

    @Test
    void a_successor_respects_the_retry_after_of_the_same_sink_and_not_of_another() {
        Told told = new Told(events -> SendResult.unavailable(0, new IOException("away"), Duration.ofMinutes(10)));
        emit("successor", 1);
        try (Postrider first = other()) {
            first.add(told.relay("successor"));
            first.start();
            awaitState("successor", "unavailable");
        }
        try (Postrider second = other()) {
            second.add(told.relay("successor"));
            second.start();
            awaitState("successor", "unavailable");
            emit("successor", 1);
            second.add(new Told(events -> SendResult.whole()).relay("peer", "successor"));
            node.awaitCursor("peer", 2); // by then it would have tried
            assertThat(told.sizes).hasSize(1);
        }
        told.name = "another";
        try (Postrider third = other()) {
            third.add(told.relay("successor"));
            third.start();
            Await.until("it is tried", () -> told.sizes.size() == 2);
        }
    }

    private static Postrider other() {
        return Postrider.on(database.dataSource(), Options.defaults().withPoll(Duration.ofMillis(50)));
    }

    private static List<Long> positions(long upto) {
        return LongStream.rangeClosed(1, upto).boxed().toList();
    }

    private static void emit(String topic, int events) {
        node.inTransaction(connection -> node.postrider.emitAll(
                connection,
                IntStream.range(0, events)
                        .mapToObj(i -> Event.of(topic, "counted", "{}"))
                        .toList()));
    }

    /** What takes its time. */
    private static void pause(long millis) throws InterruptedException {
        new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
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
                () -> Optional.of(status(relay)).filter(one -> one.state().equals(state)));
    }
}
