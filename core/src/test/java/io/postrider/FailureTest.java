package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.DeadLetter;
import io.postrider.admin.DeadLetters;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens when a handler fails. One node and one database; topics and listeners of their own for each test. */
@Migrated(shared = true)
@Tag("hot")
class FailureTest {
    private static final Duration SOON = Duration.ofMillis(5);
    private static final Duration LATE = Duration.ofHours(1);

    private static TestDatabase database;
    private static Node node;
    private static Psql psql;

    @BeforeAll
    static void start(TestDatabase given) {
        database = given;
        node = new Node(database, options -> options.withPoll(Duration.ofMillis(50))).with();
        psql = new Psql(database);
        psql.execute("create table effect (listener text, position bigint, n bigint generated always as identity)");
    }

    @AfterAll
    static void stop() {
        psql.close();
        node.close();
    }

    /** A handler that writes down every call and fails for some types, as long as they are in the set. */
    private static final class Fragile {
        final List<String> calls = new CopyOnWriteArrayList<>();
        final List<String> done = new CopyOnWriteArrayList<>();
        final Set<String> failing = ConcurrentHashMap.newKeySet();

        Fragile(String... failing) {
            this.failing.addAll(List.of(failing));
        }

        void handle(LogEvent event) {
            calls.add(event.type());
            if (failing.contains(event.type())) {
                throw new IllegalStateException("no " + event.type());
            }
            done.add(event.type());
        }

        Listener relay(String name) {
            return Listener.relay(name, name, this::handle).withBackoff(SOON, SOON);
        }

        Listener transactional(String name) {
            return Listener.transactional(name, name, (connection, event) -> {
                        effect(name, connection, event);
                        handle(event);
                    })
                    .withBackoff(SOON, SOON);
        }

        long calls(String type) {
            return calls.stream().filter(type::equals).count();
        }
    }

    // ── policies ────────────────────────────────────────────────────────────────────────────────────────────────────

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void block_keeps_the_order_and_gives_up_after_the_configured_attempts(boolean transactional) {
        Fragile handler = new Fragile("bad");
        String name = "block." + transactional;
        psql.begin().emit(name, "a", "b", "bad", "c", "d").commit();
        node.add((transactional ? handler.transactional(name) : handler.relay(name)).withAttempts(4));
        node.awaitCursor(name, 5);
        assertThat(handler.calls("bad")).isEqualTo(4);
        assertThat(handler.calls.subList(handler.calls.indexOf("bad"), handler.calls.lastIndexOf("bad")))
                .as("nothing behind it was tried before it was given up")
                .doesNotContain("c", "d");
        if (transactional) {
            assertThat(effects(name))
                    .as("once each, the failed one rolled back")
                    .containsExactly(1L, 2L, 4L, 5L);
        } else {
            assertThat(handler.done).containsExactly("a", "b", "c", "d");
        }
        assertThat(node.deadLetters(name)).singleElement().satisfies(letter -> {
            assertThat(letter.attempts()).isEqualTo(4);
            assertThat(letter.event().position()).isEqualTo(3);
        });
        assertThat(psql.number("select count(*) from postrider.setback where listener = '" + name + "'"))
                .isZero();
    }

    @Test
    void an_event_that_succeeds_on_retry_is_delivered_in_order() {
        Fragile handler = new Fragile("bad");
        psql.begin().emit("recovers", "a", "bad", "c").commit();
        node.add(handler.transactional("recovers").withAttempts(1_000));
        Await.until("it was tried some times", () -> handler.calls("bad") > 3);
        assertThat(node.status("recovers").position()).isEqualTo(1);
        assertThat(node.status("recovers").attempts()).isPositive();
        assertThat(handler.done).doesNotContain("c");
        handler.failing.clear();
        node.awaitCursor("recovers", 3);
        assertThat(effects("recovers")).containsExactly(1L, 2L, 3L);
        assertThat(node.deadLetters("recovers")).isEmpty();
        assertThat(node.status("recovers").setbacks()).isZero();
        assertThat(node.status("recovers").lastError()).isNull();
    }

    @Test
    void with_one_attempt_the_first_failure_is_final() {
        Fragile handler = new Fragile("bad");
        psql.begin().emit("once", "bad", "a").commit();
        node.add(handler.relay("once").withAttempts(1));
        node.awaitCursor("once", 2);
        assertThat(handler.calls).containsExactly("bad", "a");
        assertThat(node.deadLetters("once")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void park_delays_only_the_key_and_its_later_events_follow_in_order(boolean transactional) {
        Fragile handler = new Fragile("k1.bad");
        String name = "park." + transactional;
        emitKeyed(name, "k1.a", "k2.a", "k1.bad", "k2.b", "k1.c", "k3.a", "k1.d", "k2.c");
        node.add((transactional ? handler.transactional(name) : handler.relay(name))
                .withPolicy(FailurePolicy.PARK)
                .withAttempts(1_000));
        node.awaitCursor(name, 8);
        Await.until("it is tried again", () -> handler.calls("k1.bad") > 2);
        assertThat(distinct(handler.done)).containsExactly("k1.a", "k2.a", "k2.b", "k3.a", "k2.c");
        assertThat(psql.texts("select position from postrider.setback where listener = ? order by position", name))
                .containsExactly("3", "5", "7");
        assertThat(psql.texts("select state from postrider.event_status where listener = ? order by position", name))
                .containsExactly(
                        "delivered",
                        "delivered",
                        "retrying",
                        "delivered",
                        "pending",
                        "delivered",
                        "pending",
                        "delivered");
        emitKeyed(name, "k1.e", "k2.d");
        node.awaitCursor(name, 10);
        handler.failing.clear();
        Await.until(
                "the key has drained",
                () -> handler.done.contains("k1.e") && node.status(name).setbacks() == 0);
        assertThat(distinct(handler.done).stream().filter(type -> type.startsWith("k1")))
                .containsExactly("k1.a", "k1.bad", "k1.c", "k1.d", "k1.e");
        emitKeyed(name, "k1.f");
        node.awaitCursor(name, 11);
        assertThat(handler.done).endsWith("k1.f");
        if (transactional) {
            assertThat(psql.texts("select position from effect where listener = ? order by position", name))
                    .as("each once")
                    .containsExactly("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11");
        }
    }

    @Test
    void a_parked_event_without_a_key_waits_alone() {
        Fragile handler = new Fragile("bad");
        psql.begin().emit("alone", "a", "bad", "b", "c").commit();
        node.add(handler.relay("alone").withPolicy(FailurePolicy.PARK).withAttempts(1_000));
        node.awaitCursor("alone", 4);
        Await.until("it is tried again", () -> handler.calls("bad") > 2);
        assertThat(distinct(handler.done)).containsExactly("a", "b", "c");
        assertThat(node.status("alone").setbacks()).isEqualTo(1);
        handler.failing.clear();
        Await.until("it is done", () -> handler.done.contains("bad"));
    }

    @Test
    void a_parked_event_that_dies_releases_the_rest_of_its_key() {
        Fragile handler = new Fragile("k1.bad");
        emitKeyed("park.dies", "k1.bad", "k1.b", "k2.a", "k1.c");
        node.add(handler.relay("park.dies").withPolicy(FailurePolicy.PARK).withAttempts(3));
        Await.until("the key has drained", () -> handler.done.size() == 3);
        assertThat(handler.calls("k1.bad")).isEqualTo(3);
        assertThat(handler.done.stream().filter(type -> type.startsWith("k1"))).containsExactly("k1.b", "k1.c");
        assertThat(node.deadLetters("park.dies"))
                .extracting(letter -> letter.event().type())
                .containsExactly("k1.bad");
        Await.until("no setback is left", () -> node.status("park.dies").setbacks() == 0);
    }

    @Test
    void a_relay_with_concurrency_parks_a_key_and_keeps_every_key_in_order() {
        Fragile handler = new Fragile("k2.7");
        String[] types = new String[40];
        for (int i = 0; i < types.length; i++) {
            types[i] = "k" + i % 4 + "." + i / 4;
        }
        emitKeyed("park.lanes", types);
        node.add(handler.relay("park.lanes")
                .withConcurrency(4)
                .withPolicy(FailurePolicy.PARK)
                .withAttempts(1_000)
                .withBatch(16));
        node.awaitCursor("park.lanes", 40);
        Await.until("it is tried again", () -> handler.calls("k2.7") > 2);
        handler.failing.clear();
        Await.until(
                "the key has drained",
                () -> handler.done.contains("k2.9") && node.status("park.lanes").setbacks() == 0);
        for (int key = 0; key < 4; key++) {
            String prefix = "k" + key + ".";
            // one may be sent again after a failure in its batch, but never ahead of one that was not sent before
            assertThat(distinct(handler.done).stream().filter(type -> type.startsWith(prefix)))
                    .containsExactlyElementsOf(Stream.of(types)
                            .filter(type -> type.startsWith(prefix))
                            .toList());
        }
    }

    @Test
    void skip_delays_nothing_not_even_the_key() {
        Fragile handler = new Fragile("k1.bad");
        emitKeyed("skip", "k1.a", "k1.bad", "k1.b", "k1.c");
        node.add(handler.relay("skip").withPolicy(FailurePolicy.SKIP).withAttempts(1_000));
        node.awaitCursor("skip", 4);
        assertThat(distinct(handler.done)).containsExactly("k1.a", "k1.b", "k1.c");
        handler.failing.clear();
        Await.until(
                "it is done, too",
                () -> handler.done.contains("k1.bad") && node.status("skip").setbacks() == 0);
    }

    @Test
    void each_of_several_failing_events_in_a_batch_is_found() {
        Fragile handler = new Fragile("t3", "t4", "t50", "t99", "t100");
        psql.emitMany("several", "t", 100);
        node.add(handler.transactional("several").withAttempts(2));
        node.awaitCursor("several", 100);
        assertThat(node.deadLetters("several"))
                .extracting(letter -> letter.event().position())
                .containsExactly(3L, 4L, 50L, 99L, 100L);
        assertThat(effects("several")).hasSize(95).isSorted().doesNotHaveDuplicates();
        for (String type : handler.failing) {
            assertThat(handler.calls(type)).as(type).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @Tag("alone")
    @EnumSource(FailurePolicy.class)
    void a_failure_is_retried_with_a_type_filter(FailurePolicy policy) {
        Fragile handler = new Fragile("bad");
        String topic = "filter." + policy.name().toLowerCase(java.util.Locale.ROOT);
        node.add(Listener.transactional(topic, topic, (connection, event) -> {
                    effect(topic, connection, event);
                    handler.handle(event);
                })
                .withTypes("bad", "good")
                .withPolicy(policy)
                .withAttempts(2)
                .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1)));
        psql.emit(topic, "good");
        node.awaitCursor(topic, 1);
        long began = System.nanoTime();
        for (int round = 1; round <= 4; round++) {
            int letters = round;
            psql.begin()
                    .emit(topic, "other", "other", "bad", "other", "good", "other")
                    .commit();
            Await.until("it is given up", () -> node.deadLetters(topic).size() == letters);
        }
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        node.awaitCursor(topic, 25);
        assertThat(effects(topic)).containsExactly(1L, 6L, 12L, 18L, 24L);
        assertThat(node.deadLetters(topic))
                .extracting(letter -> letter.event().position())
                .containsExactly(4L, 10L, 16L, 22L);
        assertThat(took)
                .as("four times two attempts 1 ms apart: a listener that polls for the second takes 1 s each time")
                .isLessThan(Duration.ofMillis(2_500));
    }

    // ── batches ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_batch_is_halved_until_the_failing_event_is_alone(boolean transactional) {
        List<List<String>> batches = new CopyOnWriteArrayList<>();
        String name = "halved." + transactional;
        Handler.RelayBatch check = events -> {
            List<String> types = events.stream().map(LogEvent::type).toList();
            batches.add(types);
            if (types.contains("t37")) {
                throw new IllegalStateException("somewhere in here");
            }
        };
        psql.emitMany(name, "t", 100);
        Listener listener = transactional
                ? Listener.transactionalBatch(name, name, (connection, events) -> {
                    for (LogEvent event : events) {
                        effect(name, connection, event);
                    }
                    check.handle(events);
                })
                : Listener.relayBatch(name, name, check);
        node.add(listener.withAttempts(3).withBackoff(SOON, SOON));
        node.awaitCursor(name, 100);
        assertThat(batches.stream().filter(batch -> batch.equals(List.of("t37"))))
                .hasSize(3);
        assertThat(batches.size()).as("calls").isLessThan(30);
        assertThat(node.deadLetters(name))
                .extracting(letter -> letter.event().type())
                .containsExactly("t37");
        if (transactional) {
            assertThat(effects(name))
                    .hasSize(99)
                    .isSorted()
                    .doesNotHaveDuplicates()
                    .doesNotContain(37L);
        }
        assertThat(batches.get(batches.size() - 1)).as("it has grown again").hasSizeGreaterThan(1);
    }

    // ── handlers that misbehave ─────────────────────────────────────────────────────────────────────────────────────

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_swallowed_database_error_fails_only_its_own_handler(boolean batch) {
        String name = "swallow." + batch;
        List<String> calls = new CopyOnWriteArrayList<>();
        Handler.Transactional one = (connection, event) -> {
            calls.add(event.type());
            effect(name, connection, event);
            if (event.type().equals("swallows")) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("select 1 / 0");
                } catch (SQLException e) {
                    // and so the transaction is aborted
                }
            }
        };
        psql.begin().emit(name, "a", "swallows", "b", "c").commit();
        Listener listener = batch
                ? Listener.transactionalBatch(name, name, (connection, events) -> {
                    for (LogEvent event : events) {
                        one.handle(connection, event);
                    }
                })
                : Listener.transactional(name, name, one);
        node.add(listener.withAttempts(3).withBackoff(SOON, SOON));
        node.awaitCursor(name, 4);
        assertThat(effects(name)).containsExactly(1L, 3L, 4L);
        assertThat(node.deadLetters(name)).singleElement().satisfies(letter -> {
            assertThat(letter.event().type()).isEqualTo("swallows");
            assertThat(letter.attempts()).isEqualTo(3);
            assertThat(letter.error()).contains("aborted");
        });
        if (!batch) {
            assertThat(calls.stream().filter("swallows"::equals)).hasSize(3);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"commit", "rollback", "commit; select 1", "rollback; select 1"})
    void a_handler_that_ends_the_transaction_by_a_statement_has_failed(String statement) {
        String name = "ends.by." + statement.replaceAll("\\W+", "-");
        psql.emit(name, "a");
        node.add(Listener.transactional(name, name, (connection, event) -> {
                    try (Statement ending = connection.createStatement()) {
                        ending.execute(statement);
                    }
                })
                .withAttempts(2)
                .withBackoff(SOON, SOON));
        node.awaitCursor(name, 1);
        assertThat(node.deadLetters(name))
                .singleElement()
                .satisfies(letter -> assertThat(letter.error()).contains("ended the transaction"));
    }

    @Test
    void a_handler_can_recover_from_a_database_error_with_a_savepoint() {
        psql.emit("savepoint", "a");
        node.add(Listener.transactional("savepoint", "savepoint", (connection, event) -> {
            var savepoint = connection.setSavepoint();
            try (Statement statement = connection.createStatement()) {
                statement.execute("select 1 / 0");
            } catch (SQLException e) {
                connection.rollback(savepoint);
            }
            effect("savepoint", connection, event);
        }));
        node.awaitCursor("savepoint", 1);
        assertThat(effects("savepoint")).containsExactly(1L);
    }

    private interface Misdeed {
        void on(Connection connection) throws SQLException;
    }

    static Stream<String> misdeeds() {
        return Stream.of("commit", "rollback", "close", "setAutoCommit", "abort", "setTransactionIsolation");
    }

    @ParameterizedTest
    @MethodSource("misdeeds")
    void a_handler_cannot_end_the_transaction(String misdeed) {
        Map<String, Misdeed> all = new HashMap<>();
        all.put("commit", Connection::commit);
        all.put("rollback", Connection::rollback);
        all.put("close", Connection::close);
        all.put("setAutoCommit", connection -> connection.setAutoCommit(true));
        all.put("abort", connection -> connection.abort(Runnable::run));
        all.put(
                "setTransactionIsolation",
                connection -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE));
        String name = "ends." + misdeed;
        psql.begin().emit(name, "bad", "good").commit();
        node.add(Listener.transactional(name, name, (connection, event) -> {
                    effect(name, connection, event);
                    if (event.type().equals("bad")) {
                        all.get(misdeed).on(connection);
                    }
                })
                .withAttempts(1));
        node.awaitCursor(name, 2);
        assertThat(effects(name)).containsExactly(2L);
        assertThat(node.deadLetters(name))
                .singleElement()
                .satisfies(letter -> assertThat(letter.error()).contains("a handler may not call " + misdeed));
    }

    @Test
    void any_error_of_a_handler_is_stored_as_one_line() {
        Map<String, Throwable> thrown = Map.of(
                "null", new IllegalStateException((String) null),
                "nul", new IllegalStateException("a\0b\nc\u001b[31m"),
                "huge", new IllegalStateException("x".repeat(100_000)),
                "half", new IllegalStateException("half \ud83d a character"),
                "overflow", new StackOverflowError(),
                "assertion", new AssertionError("wrong"));
        node.add(Listener.relay("throws", "throws", event -> {
                    Throwable one = thrown.get(event.type());
                    if (one instanceof Error error) {
                        throw error;
                    }
                    throw (Exception) one;
                })
                .withAttempts(1));
        List<String> types = List.copyOf(thrown.keySet());
        psql.emit("throws", types.toArray(String[]::new));
        node.awaitCursor("throws", 6);
        Map<String, String> errors = new HashMap<>();
        node.deadLetters("throws").forEach(letter -> errors.put(letter.event().type(), letter.error()));
        assertThat(errors).containsOnlyKeys(types);
        assertThat(errors.values())
                .allSatisfy(error ->
                        assertThat(error).hasSizeLessThanOrEqualTo(4_000).doesNotContain("\n", "\0"));
        assertThat(errors.get("nul")).contains("a b c").doesNotContain("\u001b");
        assertThat(errors.get("overflow")).contains("StackOverflowError");
    }

    @Test
    void an_out_of_memory_error_in_a_handler_does_not_end_the_listener_silently() {
        List<String> done = new CopyOnWriteArrayList<>();
        AtomicInteger calls = new AtomicInteger();
        psql.begin().emit("memory", "a", "hungry", "b").commit();
        node.add(Listener.transactional("memory", "memory", (connection, event) -> {
                    if (event.type().equals("hungry")) {
                        calls.incrementAndGet();
                        throw new OutOfMemoryError("simulated");
                    }
                    effect("memory", connection, event);
                })
                .withAttempts(3)
                .withBackoff(SOON, SOON));
        node.awaitCursor("memory", 3);
        assertThat(effects("memory")).containsExactly(1L, 3L);
        assertThat(node.deadLetters("memory"))
                .singleElement()
                .satisfies(letter -> assertThat(letter.attempts()).isEqualTo(3));
        assertThat(calls.get()).isBetween(3, 4);
        assertThat(done).isEmpty();
    }

    @Test
    void a_transaction_ended_by_the_server_during_a_handler_is_a_failure() {
        AtomicBoolean first = new AtomicBoolean(true);
        CountDownLatch over = new CountDownLatch(1);
        psql.emit("timeout", "a");
        node.add(Listener.transactional("timeout", "timeout", (connection, event) -> {
                    effect("timeout", connection, event);
                    if (first.getAndSet(false)) {
                        try (Statement statement = connection.createStatement()) {
                            statement.execute("set local idle_in_transaction_session_timeout = '20ms'");
                        }
                        Await.until(
                                "the server has ended it",
                                () -> psql.number(
                                                "select count(*) from pg_stat_activity"
                                                        + " where datname = current_database() and query like 'set local idle_in_trans%'")
                                        == 0);
                        over.countDown();
                    }
                })
                .withBackoff(SOON, SOON));
        node.awaitCursor("timeout", 1);
        assertThat(over.getCount()).isZero();
        assertThat(effects("timeout")).as("once").containsExactly(1L);
    }

    // ── backoff ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void the_backoff_grows_to_its_cap_by_the_clock_of_the_database() {
        Fragile handler = new Fragile("bad");
        psql.emit("backoff", "bad");
        node.add(handler.relay("backoff").withAttempts(5).withBackoff(Duration.ofMinutes(10), Duration.ofMinutes(35)));
        List<Double> minutes = new ArrayList<>();
        for (int attempt = 1; attempt <= 4; attempt++) {
            int wanted = attempt;
            Await.until(
                    "attempt " + attempt,
                    () -> psql.number("select count(*) from postrider.setback"
                                    + " where listener = 'backoff' and attempt = " + wanted
                                    + " and retry_after is not null")
                            == 1);
            minutes.add(Double.valueOf(
                    psql.text("select extract(epoch from retry_after - begun_at) / 60 from postrider.setback"
                            + " where listener = 'backoff'")));
            assertThat(psql.text("select begun_at between clock_timestamp() - interval '10 s' and clock_timestamp()"
                            + " from postrider.setback where listener = 'backoff'"))
                    .isEqualTo("t");
            assertThat(node.status("backoff").attempts()).isEqualTo(attempt);
            // an operator who does not want to wait; the node is told to look
            psql.execute("update postrider.setback set retry_after = clock_timestamp() where listener = 'backoff'");
            node.postrider.pause("backoff");
            Await.until(
                    "it stands",
                    () -> psql.number(
                                    "select count(*) from postrider.tenure where listener = 'backoff' and ended_at is null")
                            == 0);
            node.postrider.resume("backoff");
        }
        assertThat(minutes.get(0)).isBetween(4.9, 10.1);
        assertThat(minutes.get(1)).isBetween(9.9, 20.1);
        assertThat(minutes.get(2)).isBetween(17.4, 35.1);
        assertThat(minutes.get(3)).isBetween(17.4, 35.1);
        Await.until("it is dead", () -> node.deadLetters("backoff").size() == 1);
        assertThat(handler.calls("bad")).isEqualTo(5);
    }

    // ── dead letters ────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_dead_letter_has_everything_the_event_had() {
        Event event = Event.of("whole", "bad/1", "{\"a\": [1, \"ü\"]}")
                .withKey("k")
                .withProject("p")
                .withUser("u")
                .withAggregate("at", "ai")
                .withHeaders("{\"h\": \"1\"}");
        List<LogEvent> handled = new CopyOnWriteArrayList<>();
        node.add(Listener.relay("whole", "whole", one -> {
                    handled.add(one);
                    throw new IllegalStateException("bad");
                })
                .withAttempts(2)
                .withBackoff(SOON, SOON));
        node.emit(event);
        Await.until("it is dead", () -> node.deadLetters("whole").size() == 1);
        DeadLetter letter = node.deadLetters("whole").get(0);
        assertThat(letter.listener()).isEqualTo("whole");
        assertThat(letter.event()).isEqualTo(handled.get(0));
        assertThat(letter.event().id()).isEqualTo(event.id());
        assertThat(letter.event().aggregateId()).isEqualTo("ai");
        assertThat(letter.attempts()).isEqualTo(2);
        assertThat(letter.error()).isEqualTo("java.lang.IllegalStateException: bad");
        assertThat(letter.diedAt()).isAfterOrEqualTo(letter.event().createdAt());
        assertThat(psql.row(
                        "select topic, position, type, key, project_id, user_id, aggregate_type, aggregate_id, payload,"
                                + " headers, attempts from postrider.dead_letters where listener = 'whole'"))
                .isEqualTo("whole|1|bad/1|k|p|u|at|ai|{\"a\": [1, \"ü\"]}|{\"h\": \"1\"}|2");
    }

    @Test
    void dead_letters_are_found_by_filter_and_page() {
        Fragile handler = new Fragile("x", "y");
        emitKeyed("found", "x", "y", "x", "y", "x");
        node.add(handler.relay("found").withAttempts(1));
        Await.until("all are dead", () -> node.deadLetters("found").size() == 5);
        DeadLetters letters = node.postrider.deadLetters();
        assertThat(letters.find(filter("found", "x", null, null), 0, 10)).hasSize(3);
        assertThat(letters.find(filter("found", null, "y", null), 0, 10)).hasSize(2);
        assertThat(letters.find(filter("found", null, null, "no y"), 0, 10)).hasSize(2);
        assertThat(letters.find(filter("found", null, null, "NO"), 0, 10)).isEmpty();
        List<DeadLetter> page = letters.find(filter("found", null, null, null), 0, 2);
        assertThat(page).extracting(letter -> letter.event().position()).containsExactly(1L, 2L);
        assertThat(letters.find(filter("found", null, null, null), page.get(1).id(), 2))
                .extracting(letter -> letter.event().position())
                .containsExactly(3L, 4L);
        assertThat(letters.find(DeadLetters.Filter.one(page.get(0).id()), 0, 10))
                .containsExactly(page.get(0));
    }

    private static DeadLetters.Filter filter(String listener, String type, String key, String error) {
        return new DeadLetters.Filter(null, listener, null, type, key, error);
    }

    @ParameterizedTest
    @EnumSource(FailurePolicy.class)
    void replayed_dead_letters_reach_only_their_listener_in_order_per_key(FailurePolicy policy) {
        String topic = "replay." + policy.name().toLowerCase(java.util.Locale.ROOT);
        Fragile handler = new Fragile("k1.a", "k1.b", "k2.a", "k1.c");
        Fragile other = new Fragile();
        emitKeyed(topic, "k1.a", "k1.b", "k2.a", "k1.c", "k2.fine");
        node.add(
                handler.relay(topic).withAttempts(1).withPolicy(policy),
                Listener.relay(topic + ".other", topic, other::handle));
        node.awaitCursor(topic + ".other", 5);
        Await.until("all are dead", () -> node.deadLetters(topic).size() == 4);
        List<Long> ids = node.deadLetters(topic).stream().map(DeadLetter::id).toList();
        handler.failing.clear();
        handler.failing.add("k1.b");
        assertThat(node.postrider.deadLetters().replay(List.of(ids.get(3), ids.get(1), ids.get(0))))
                .isEqualTo(3);
        Await.until(
                "the bad one is dead again",
                () -> handler.done.contains("k1.c") && node.status(topic).setbacks() == 0);
        assertThat(handler.done.stream().filter(type -> type.startsWith("k1"))).containsExactly("k1.a", "k1.c");
        assertThat(node.deadLetters(topic))
                .extracting(letter -> letter.event().type())
                .containsExactly("k2.a", "k1.b");
        assertThat(other.calls).as("nobody else heard it again").hasSize(5);
        assertThat(node.postrider.deadLetters().replay(ids))
                .as("those that are there")
                .isEqualTo(1);
        Await.until("replayed", () -> handler.done.contains("k2.a"));
        assertThat(node.status(topic).position())
                .as("the cursor has nothing to do with it")
                .isEqualTo(5);
    }

    @Test
    void replaying_a_transactional_listeners_letter_has_its_effect_once() {
        Fragile handler = new Fragile("bad");
        psql.begin().emit("replay.tx", "bad", "a").commit();
        node.add(handler.transactional("replay.tx").withAttempts(2));
        node.awaitCursor("replay.tx", 2);
        List<Long> ids =
                node.deadLetters("replay.tx").stream().map(DeadLetter::id).toList();
        node.postrider.deadLetters().replay(ids);
        Await.until(
                "it is dead again, after all attempts",
                () -> handler.calls("bad") == 4 && node.deadLetters("replay.tx").size() == 1);
        handler.failing.clear();
        node.postrider
                .deadLetters()
                .replay(node.deadLetters("replay.tx").stream()
                        .map(DeadLetter::id)
                        .toList());
        Await.until("it is done", () -> effects("replay.tx").size() == 2);
        assertThat(effects("replay.tx")).containsExactly(2L, 1L);
        assertThat(node.deadLetters("replay.tx")).isEmpty();
        assertThat(psql.text("select state from postrider.event_status where listener = 'replay.tx' and position = 1"))
                .isEqualTo("delivered");
    }

    @Test
    void an_event_that_dies_again_after_a_reset_is_one_letter_with_the_last_error() {
        Fragile handler = new Fragile("bad");
        psql.begin().emit("dies.again", "a", "bad", "b").commit();
        node.add(handler.relay("dies.again").withAttempts(2));
        node.awaitCursor("dies.again", 3);
        assertThat(node.deadLetters("dies.again")).hasSize(1);
        node.postrider.reset("dies.again", StartPoint.beginning());
        Await.until("all were handled again", () -> handler.done.size() == 4);
        node.awaitCursor("dies.again", 3);
        assertThat(handler.calls("bad")).isEqualTo(4);
        assertThat(node.deadLetters("dies.again")).singleElement().satisfies(letter -> {
            assertThat(letter.event().type()).isEqualTo("bad");
            assertThat(letter.attempts()).isEqualTo(2);
        });
        assertThat(node.status("dies.again").setbacks()).isZero();
    }

    @Test
    void a_reset_drops_retries_of_skipped_events_and_keeps_those_behind_the_cursor() {
        Fragile blocking = new Fragile("bad");
        psql.begin().emit("passed.over", "a", "bad", "b").commit();
        node.add(blocking.relay("passed.over").withAttempts(1_000).withPolicy(FailurePolicy.BLOCK));
        Await.until("it failed", () -> blocking.calls("bad") >= 2);
        node.postrider.reset("passed.over", StartPoint.position(3));
        node.awaitCursor("passed.over", 3);
        assertThat(node.status("passed.over").setbacks()).isZero();

        Fragile parking = new Fragile("bad");
        psql.begin().emit("parked.behind", "bad", "a", "b").commit();
        node.add(parking.relay("parked.behind").withAttempts(1_000).withPolicy(FailurePolicy.PARK));
        node.awaitCursor("parked.behind", 3);
        node.postrider.reset("parked.behind", StartPoint.end());
        long before = parking.calls("bad");
        Await.until("it is tried again", () -> parking.calls("bad") > before + 1);
    }

    @Test
    void discarded_letters_are_gone_and_the_others_stay() {
        Fragile handler = new Fragile("x");
        psql.emit("discard", "x", "x", "x");
        node.add(handler.relay("discard").withAttempts(1));
        Await.until("all are dead", () -> node.deadLetters("discard").size() == 3);
        List<Long> ids =
                node.deadLetters("discard").stream().map(DeadLetter::id).toList();
        assertThat(node.postrider.deadLetters().discard(List.of(ids.get(1), -1L)))
                .isEqualTo(1);
        assertThat(node.deadLetters("discard")).extracting(DeadLetter::id).containsExactly(ids.get(0), ids.get(2));
        assertThat(handler.calls).hasSize(3);
        assertThat(node.postrider.deadLetters().discard(List.of())).isZero();
    }

    // ── after a crash ───────────────────────────────────────────────────────────────────────────────────────────────

    /** As after a process that was killed: its last tenure has no end, and the successor is careful. */
    @Test
    void a_careful_successor_leaves_parked_keys_parked() {
        Fragile handler = new Fragile("k1.bad");
        Listener listener = handler.relay("careful")
                .withPolicy(FailurePolicy.PARK)
                .withAttempts(1_000)
                .withBackoff(LATE, LATE);
        emitKeyed("careful", "k1.bad", "k2.a");
        try (Node first = new Node(database)) {
            first.with(listener);
            first.awaitCursor("careful", 2);
        }
        psql.execute("update postrider.tenure set ended_at = null where listener = 'careful'");
        emitKeyed("careful", "k1.b", "k2.b");
        try (Node second = new Node(database)) {
            second.with(listener);
            second.awaitCursor("careful", 4);
        }
        assertThat(handler.done).as("k1 waits for its first").containsExactly("k2.a", "k2.b");
        assertThat(psql.texts("select type from postrider.setback where listener = 'careful' order by position"))
                .containsExactly("k1.bad", "k1.b");
    }

    @Test
    void a_careful_successor_counts_attempts_before_it_makes_them_and_clears_them_after() {
        List<Long> attempts = new CopyOnWriteArrayList<>();
        psql.emit("counting", "a");
        try (Node first = new Node(database)) {
            first.with(Listener.relay("counting", "counting", event -> {}));
            first.awaitCursor("counting", 1);
        }
        psql.execute("update postrider.tenure set ended_at = null where listener = 'counting'");
        psql.emit("counting", "b", "c");
        try (Node second = new Node(database)) {
            second.with(Listener.relay("counting", "counting", event -> {
                try (Psql look = new Psql(database)) {
                    attempts.add(look.number("select count(*) from postrider.setback where listener = 'counting'"
                            + " and attempt = 1 and retry_after is null and position = " + event.position()));
                }
            }));
            second.awaitCursor("counting", 3);
        }
        assertThat(attempts).containsExactly(1L, 1L);
        assertThat(psql.number("select count(*) from postrider.setback where listener = 'counting'"))
                .isZero();
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    /** In one transaction; the key is what stands before the dot. */
    private static void emitKeyed(String topic, String... types) {
        node.emit(Stream.of(types)
                .map(type -> Event.of(topic, type, "{}").withKey(type.replaceAll("\\..*", "")))
                .toArray(Event[]::new));
    }

    private static void effect(String listener, Connection connection, LogEvent event) throws SQLException {
        try (var insert = connection.prepareStatement("insert into effect (listener, position) values (?, ?)")) {
            insert.setString(1, listener);
            insert.setLong(2, event.position());
            insert.executeUpdate();
        }
    }

    /** In the order in which they were committed, as near as the table tells. */
    private static List<Long> effects(String listener) {
        return psql.texts("select position from effect where listener = ? order by n", listener).stream()
                .map(Long::valueOf)
                .toList();
    }

    private static List<String> distinct(List<String> list) {
        return list.stream().distinct().toList();
    }
}
