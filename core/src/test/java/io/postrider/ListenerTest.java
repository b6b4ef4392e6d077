package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException.Kind;
import io.postrider.admin.Listeners;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Listeners that do not fail. One node and one database for all tests; topics and listeners of their own for each. */
@Migrated(shared = true)
@Tag("hot")
class ListenerTest {
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

    // ── the four kinds ──────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void all_four_kinds_get_every_event_once_in_order_and_at_the_same_positions() {
        List<LogEvent> relayed = new CopyOnWriteArrayList<>();
        List<LogEvent> relayedInBatches = new CopyOnWriteArrayList<>();
        psql.emitMany("kinds", "t", 250);
        node.add(
                Listener.transactional("k1", "kinds", ListenerTest::effect),
                Listener.transactionalBatch("k2", "kinds", (connection, events) -> {
                    for (LogEvent event : events) {
                        effect("k2", connection, event);
                    }
                }),
                Listener.relay("k3", "kinds", relayed::add),
                Listener.relayBatch("k4", "kinds", relayedInBatches::addAll));
        for (String listener : List.of("k1", "k2", "k3", "k4")) {
            node.awaitCursor(listener, 250);
        }
        assertThat(effects("k1")).isEqualTo(upto(250));
        assertThat(effects("k2")).isEqualTo(upto(250));
        assertThat(relayed).extracting(LogEvent::position).isEqualTo(upto(250));
        assertThat(relayedInBatches).isEqualTo(relayed);
        assertThat(relayed).extracting(LogEvent::type).isEqualTo(psql.log("kinds"));
        assertThat(psql.number("select sum(events) from postrider.delivery where listener = 'k1'"))
                .isEqualTo(250);
        assertLedgerIsContiguous("k1", "k2", "k3", "k4");
    }

    @Test
    void a_batch_is_never_larger_than_asked_for() {
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        psql.emitMany("sizes", "t", 95);
        node.add(Listener.relayBatch("sizes", "sizes", events -> sizes.add(events.size()))
                .withBatch(20));
        node.awaitCursor("sizes", 95);
        assertThat(sizes).allMatch(size -> size <= 20).contains(20);
        assertThat(sizes.stream().mapToInt(i -> i).sum()).isEqualTo(95);
    }

    @Test
    void the_effects_of_a_transactional_listener_and_its_cursor_commit_together() {
        AtomicReference<String> seen = new AtomicReference<>();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        node.add(Listener.transactional("together", "together", (connection, event) -> {
            effect("together", connection, event);
            inside.countDown();
            await(go);
        }));
        psql.emit("together", "a");
        await(inside);
        seen.set(effects("together") + " " + node.status("together").position());
        go.countDown();
        node.awaitCursor("together", 1);
        assertThat(seen.get()).as("before the commit").isEqualTo("[] 0");
        assertThat(effects("together")).isEqualTo(upto(1));
    }

    @Test
    void no_transaction_is_open_while_a_relay_works() {
        List<String> open = new CopyOnWriteArrayList<>();
        AtomicInteger handled = new AtomicInteger();
        node.add(Listener.relay("outside", "outside", event -> {
            try (Psql look = new Psql(database)) {
                open.addAll(look.texts("select query from pg_stat_activity where datname = current_database()"
                        + " and state like 'idle in transaction%' and query like '%outside%'"));
            }
            handled.incrementAndGet();
        }));
        psql.emit("outside", "a", "b");
        node.awaitCursor("outside", 2);
        assertThat(handled).hasValue(2);
        assertThat(open).isEmpty();
    }

    @Test
    void a_handler_may_emit_in_its_transaction() {
        List<String> heard = new CopyOnWriteArrayList<>();
        node.add(
                Listener.transactional(
                        "companion",
                        "questions",
                        (connection, event) ->
                                node.postrider.emit(connection, Event.of("answers", "to." + event.type(), "{}"))),
                Listener.relay("reader", "answers", event -> heard.add(event.type())));
        psql.emit("questions", "a", "b");
        Await.until("the answers arrived", () -> heard.size() == 2);
        assertThat(heard).containsExactly("to.a", "to.b");
    }

    @Test
    void handlers_run_on_virtual_threads_where_there_are_any_and_else_on_daemons() {
        List<String> threads = new CopyOnWriteArrayList<>();
        node.add(
                Listener.relay("threads1", "threads", event -> threads.add(kindOfThread())),
                Listener.relay("threads2", "threads", event -> threads.add(kindOfThread()))
                        .withConcurrency(4));
        psql.emit("threads", "a", "b");
        Await.until("all handled", () -> threads.size() == 4);
        assertThat(threads).containsOnly(Runtime.version().feature() >= 21 ? "virtual" : "daemon");
    }

    private static String kindOfThread() throws ReflectiveOperationException {
        Thread thread = Thread.currentThread();
        if (Runtime.version().feature() >= 21
                && (Boolean) Thread.class.getMethod("isVirtual").invoke(thread)) {
            return "virtual";
        }
        return thread.isDaemon() && thread.getName().startsWith("postrider-handler-") ? "daemon" : thread.getName();
    }

    // ── filters ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_filter_lets_through_exactly_its_types_and_the_cursor_follows_the_head() {
        List<Long> heard = new CopyOnWriteArrayList<>();
        psql.execute("insert into postrider.event (topic, type, payload) select 'sparse',"
                + " case when i in (1, 777, 2500, 2501, 4999) then 'wanted' when i = 3000 then 'also' else 'other' end, '{}'"
                + " from generate_series(1, 5000) i");
        node.add(
                Listener.relay("sparse", "sparse", event -> heard.add(event.position()))
                        .withTypes("wanted", "also")
                        .withBatch(3),
                Listener.transactional("sparse.tx", "sparse", ListenerTest::effect)
                        .withTypes("wanted"),
                Listener.relay("sparse.none", "sparse", event -> heard.add(-1L)).withTypes("never"));
        node.awaitCursor("sparse", 5_000);
        node.awaitCursor("sparse.tx", 5_000);
        node.awaitCursor("sparse.none", 5_000);
        assertThat(heard).containsExactly(1L, 777L, 2500L, 2501L, 3000L, 4999L);
        assertThat(effects("sparse.tx")).containsExactly(1L, 777L, 2500L, 2501L, 4999L);
        assertThat(psql.number("select sum(events) from postrider.delivery where listener = 'sparse'"))
                .isEqualTo(6);
        assertLedgerIsContiguous("sparse", "sparse.tx", "sparse.none");
    }

    // ── where a listener begins ─────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_new_listener_starts_at_the_beginning_the_end_a_position_or_a_time() {
        psql.emit("starts", "e1", "e2", "e3", "e4", "e5");
        awaitHead("starts", 5);
        Instant third =
                Instant.parse(psql.text("select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US')"
                                + " from postrider.events where topic = 'starts' and position = 3")
                        + "Z");
        Map<String, List<Long>> heard = new ConcurrentHashMap<>();
        Map<String, StartPoint> starts = Map.of(
                "s.beginning", StartPoint.beginning(),
                "s.end", StartPoint.end(),
                "s.position", StartPoint.position(4),
                "s.first", StartPoint.position(1),
                "s.time", StartPoint.time(third),
                "s.later", StartPoint.time(third.plusSeconds(3600)),
                "s.earlier", StartPoint.time(Instant.EPOCH));
        starts.forEach((name, start) -> {
            List<Long> positions = new CopyOnWriteArrayList<>();
            heard.put(name, positions);
            node.postrider.add(Listener.relay(name, "starts", event -> positions.add(event.position()))
                    .withStart(start));
        });
        psql.emit("starts", "e6");
        starts.keySet().forEach(name -> node.awaitCursor(name, 6));
        assertThat(heard.get("s.beginning")).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        assertThat(heard.get("s.end")).containsExactly(6L);
        assertThat(heard.get("s.position")).containsExactly(4L, 5L, 6L);
        assertThat(heard.get("s.first")).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        assertThat(heard.get("s.time")).containsExactly(3L, 4L, 5L, 6L);
        assertThat(heard.get("s.later")).containsExactly(6L);
        assertThat(heard.get("s.earlier")).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        assertThatThrownBy(() -> StartPoint.position(0)).isInstanceOf(PostriderException.class);
    }

    @Test
    void a_listener_of_a_topic_that_does_not_exist_yet_gets_its_first_event() {
        List<Long> heard = new CopyOnWriteArrayList<>();
        node.postrider.add(Listener.relay("early.end", "early", event -> heard.add(event.position())));
        node.postrider.add(Listener.relay("early.time", "early", event -> heard.add(event.position()))
                .withStart(StartPoint.time(Instant.now())));
        psql.emit("early", "first");
        Await.until("both got it", () -> heard.size() == 2);
        assertThat(heard).containsExactly(1L, 1L);
    }

    @Test
    void an_existing_listener_resumes_at_its_cursor_whatever_its_start_option() {
        List<Long> heard = new CopyOnWriteArrayList<>();
        Listener listener = Listener.relay("goes.on", "goes.on", event -> heard.add(event.position()));
        psql.emit("goes.on", "a", "b");
        try (Node first = new Node(database)) {
            first.with(listener);
            first.awaitCursor("goes.on", 2);
        }
        psql.emit("goes.on", "c", "d");
        awaitHead("goes.on", 4);
        try (Node second = new Node(database)) {
            second.postrider.add(listener.withStart(StartPoint.end())).start();
            second.awaitCursor("goes.on", 4);
        }
        assertThat(heard).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void a_listener_can_be_reset_back_and_forth() {
        List<Long> heard = new CopyOnWriteArrayList<>();
        psql.emit("reset", "a", "b", "c", "d");
        node.add(Listener.relay("reset", "reset", event -> heard.add(event.position())));
        node.awaitCursor("reset", 4);
        assertThat(node.postrider.reset("reset", StartPoint.position(3))).isEqualTo(2);
        Await.until("handled again", () -> heard.size() == 6);
        node.postrider.pause("reset");
        awaitStanding("reset");
        psql.emit("reset", "e", "f");
        awaitHead("reset", 6);
        assertThat(node.postrider.reset("reset", StartPoint.end())).isEqualTo(6);
        node.postrider.resume("reset");
        psql.emit("reset", "g");
        node.awaitCursor("reset", 7);
        assertThat(heard).containsExactly(1L, 2L, 3L, 4L, 3L, 4L, 7L);
        assertThatThrownBy(() -> node.postrider.reset("nobody", StartPoint.end()))
                .satisfies(is(Kind.NOT_FOUND));
    }

    // ── registering ─────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void the_same_name_for_another_topic_is_a_conflict() {
        node.add(Listener.relay("taken", "taken", event -> {}));
        try (Node other = new Node(database)) {
            other.postrider.add(Listener.relay("taken", "elsewhere", event -> {}));
            assertThatThrownBy(other.postrider::start)
                    .satisfies(is(Kind.CONFLICT))
                    .hasMessageContainingAll("taken", "elsewhere");
            long began = System.nanoTime();
            other.close();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
        }
        assertThat(node.status("taken").topic()).isEqualTo("taken");
    }

    @Test
    void the_same_name_twice_on_a_node_is_refused_and_changes_nothing() {
        node.add(Listener.relay("twice", "twice", event -> {}));
        assertThatThrownBy(() -> node.add(
                        Listener.transactional("twice", "twice", (c, e) -> {}).withPolicy(FailurePolicy.SKIP)))
                .satisfies(is(Kind.REFUSED))
                .hasMessageContaining("twice");
        assertThat(node.status("twice").kind()).isEqualTo("relay");
        assertThat(node.status("twice").policy()).isEqualTo("block");
    }

    @Test
    void changed_options_of_a_listener_are_seen_in_the_view() {
        node.add(Listener.relay("changed", "changed", event -> {}));
        try (Node other = new Node(database)) {
            other.with(Listener.transactional("changed", "changed", (c, e) -> {})
                    .withPolicy(FailurePolicy.PARK)
                    .withTypes("a")
                    .withBatch(7)
                    .withAttempts(9));
        }
        assertThat(
                        psql.row(
                                "select kind, policy, types::text, batch, max_attempts from postrider.listeners where name = 'changed'"))
                .isEqualTo("transactional|park|{a}|7|9");
    }

    @Test
    void options_of_a_listener_are_refused_by_name() {
        Listener relay = Listener.relay("l", "t", event -> {});
        assertThatThrownBy(() -> relay.withBatch(0))
                .satisfies(is(Kind.REFUSED))
                .hasMessage("batch must be 1..10000, was 0");
        assertThatThrownBy(() -> relay.withBatch(10_001)).satisfies(is(Kind.REFUSED));
        assertThatThrownBy(() -> relay.withAttempts(0))
                .satisfies(is(Kind.REFUSED))
                .hasMessageContaining("attempts");
        assertThatThrownBy(() -> relay.withConcurrency(0))
                .satisfies(is(Kind.REFUSED))
                .hasMessageContaining("concurrency");
        assertThatThrownBy(() -> relay.withBackoff(Duration.ZERO, Duration.ofSeconds(1)))
                .satisfies(is(Kind.REFUSED))
                .hasMessageContaining("backoff");
        assertThatThrownBy(() -> relay.withBackoff(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .satisfies(is(Kind.REFUSED))
                .hasMessageContaining("backoff cap");
        assertThatThrownBy(() -> Listener.transactional("l", "t", (c, e) -> {}).withConcurrency(2))
                .satisfies(is(Kind.REFUSED))
                .hasMessageContaining("concurrency");
        assertThatThrownBy(() -> Listener.relayBatch("l", "t", e -> {}).withConcurrency(2))
                .satisfies(is(Kind.REFUSED));
    }

    // ── G9: independent ─────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void slow_failing_and_paused_listeners_do_not_delay_others() {
        CountDownLatch go = new CountDownLatch(1);
        List<Long> heard = new CopyOnWriteArrayList<>();
        node.add(
                Listener.transactional("slow", "independent", (connection, event) -> await(go)),
                Listener.transactional("failing", "independent", (connection, event) -> {
                    throw new IllegalStateException("always");
                }),
                Listener.relay("paused", "independent", event -> {}).withPaused(true),
                Listener.relay("quick", "independent", event -> heard.add(event.position())));
        for (int i = 1; i <= 5; i++) {
            psql.emit("independent", "t" + i);
            int wanted = i;
            Await.until("the quick one got it", Duration.ofSeconds(60), () -> heard.size() == wanted);
        }
        node.awaitCursor("quick", 5);
        assertThat(node.status("slow").position()).isZero();
        assertThat(node.status("failing").position()).isZero();
        assertThat(node.status("paused").position()).isZero();
        assertThat(node.status("quick").lag()).isZero();
        assertThat(node.status("slow").lag()).isEqualTo(5);
        go.countDown();
        node.awaitCursor("slow", 5);
    }

    @Test
    void a_paused_listener_handles_nothing_until_it_is_resumed() {
        List<Long> heard = new CopyOnWriteArrayList<>();
        List<Long> other = new CopyOnWriteArrayList<>();
        node.add(
                Listener.relay("pausing", "pausing", event -> heard.add(event.position())),
                Listener.relay("going.on", "pausing", event -> other.add(event.position())));
        psql.emit("pausing", "a");
        node.awaitCursor("pausing", 1);
        node.postrider.pause("pausing");
        assertThat(node.status("pausing").paused()).isTrue();
        Await.until(
                "its node has let it stand",
                () -> psql.number(
                                "select count(*) from postrider.tenure where listener = 'pausing' and ended_at is null")
                        == 0);
        psql.emit("pausing", "b", "c");
        node.awaitCursor("going.on", 3);
        assertThat(heard).containsExactly(1L);
        node.postrider.resume("pausing");
        node.awaitCursor("pausing", 3);
        assertThat(heard).containsExactly(1L, 2L, 3L);
        assertThat(other).containsExactly(1L, 2L, 3L);
        assertThatThrownBy(() -> node.postrider.pause("nobody")).satisfies(is(Kind.NOT_FOUND));
    }

    @Test
    void a_listener_that_is_created_paused_never_runs() {
        AtomicBoolean ran = new AtomicBoolean();
        psql.emit("born.paused", "a");
        awaitHead("born.paused", 1);
        for (int i = 0; i < 20; i++) {
            node.add(Listener.relay("born.paused." + i, "born.paused", event -> ran.set(true))
                    .withPaused(true));
        }
        Await.until(
                "the node has them all",
                () -> psql.number("select count(owner_pid) from postrider.listeners where topic = 'born.paused'")
                        == 20);
        assertThat(psql.number("select count(*) from postrider.tenure where listener like 'born.paused%'"))
                .isZero();
        assertThat(ran).isFalse();
        node.postrider.resume("born.paused.7");
        node.awaitCursor("born.paused.7", 1);
        assertThat(ran).isTrue();
    }

    // ── concurrency ─────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_relay_with_concurrency_runs_keys_in_parallel_and_each_key_in_order() {
        Map<String, List<Long>> byKey = new ConcurrentHashMap<>();
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CyclicBarrier four = new CyclicBarrier(4);
        psql.execute("insert into postrider.event (topic, type, key, payload)"
                + " select 'lanes', 't', 'k' || i % 4, '{}' from generate_series(1, 80) i");
        node.add(Listener.relay("lanes", "lanes", event -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    if (event.position() <= 4) {
                        four.await(60, TimeUnit.SECONDS); // passes only if four run at once
                    }
                    byKey.computeIfAbsent(event.key(), key -> new CopyOnWriteArrayList<>())
                            .add(event.position());
                    running.decrementAndGet();
                })
                .withConcurrency(4));
        node.awaitCursor("lanes", 80);
        assertThat(byKey).hasSize(4);
        assertThat(byKey.values())
                .allSatisfy(positions -> assertThat(positions).hasSize(20).isSorted());
        assertThat(most).hasValue(4);
        assertLedgerIsContiguous("lanes");
    }

    @Test
    void events_without_a_key_run_in_parallel() {
        CyclicBarrier three = new CyclicBarrier(3);
        AtomicInteger handled = new AtomicInteger();
        psql.emitMany("keyless", "t", 3);
        node.add(Listener.relay("keyless", "keyless", event -> {
                    three.await(60, TimeUnit.SECONDS);
                    handled.incrementAndGet();
                })
                .withConcurrency(3));
        node.awaitCursor("keyless", 3);
        assertThat(handled).hasValue(3);
    }

    // ── bounds ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void large_payloads_are_read_within_bounds_whatever_the_batch() {
        List<Long> bytes = new CopyOnWriteArrayList<>();
        List<Long> positions = new CopyOnWriteArrayList<>();
        psql.execute("insert into postrider.event (topic, type, payload)"
                + " select 'large', 't', to_jsonb(repeat('x', 250000)) from generate_series(1, 80)");
        node.add(Listener.relayBatch("large", "large", events -> {
                    bytes.add(events.stream()
                            .mapToLong(event -> event.payload().length())
                            .sum());
                    events.forEach(event -> positions.add(event.position()));
                })
                .withBatch(1_000));
        node.awaitCursor("large", 80);
        assertThat(positions).isEqualTo(upto(80));
        assertThat(bytes).hasSizeGreaterThan(2).allMatch(sum -> sum <= (8 << 20) + 250_002);
    }

    // ── what an operator sees ───────────────────────────────────────────────────────────────────────────────────────

    @Test
    void the_status_of_each_event_for_each_listener_is_derived() {
        AtomicBoolean broken = new AtomicBoolean(true);
        node.add(
                Listener.relay("b1", "status", event -> {
                            if (event.type().equals("dead") || (event.type().equals("retrying") && broken.get())) {
                                throw new IllegalStateException("no " + event.type());
                            }
                        })
                        .withAttempts(2)
                        .withPolicy(FailurePolicy.PARK)
                        .withBackoff(Duration.ofMillis(5), Duration.ofMillis(5)),
                Listener.relay("b2", "status", event -> {}).withPaused(true));
        psql.emit("status", "fine", "dead");
        Await.until("it is dead", () -> !node.deadLetters("b1").isEmpty());
        node.awaitCursor("b1", 2);
        psql.execute("update postrider.listener set attempts = 1000 where name = 'b1'");
        node.postrider.pause("b1");
        Await.until(
                "it stands",
                () -> psql.number("select count(*) from postrider.tenure where listener = 'b1' and ended_at is null")
                        == 0);
        psql.emit("status", "retrying", "waiting");
        awaitHead("status", 4);
        psql.execute(
                "insert into postrider.setback (listener, position, topic, event_id, created_at, type, payload, headers,"
                        + " attempt, retry_after, error) select 'b1', 3, topic, event_id, created_at, type, payload, headers, 3,"
                        + " clock_timestamp() + interval '1 hour', 'not yet' from postrider.events"
                        + " where topic = 'status' and position = 3");
        assertThat(statuses("b1"))
                .containsExactly(
                        "1 published delivered 0 - - true",
                        "2 failed dead 2 - java.lang.IllegalStateException: no dead false",
                        "3 pending retrying 3 later not yet false",
                        "4 pending pending 0 - - false");
        assertThat(statuses("b2"))
                .allMatch(status -> status.contains("pending pending 0 - -"))
                .hasSize(4);
        broken.set(false);
        psql.execute("delete from postrider.setback where listener = 'b1'");
        node.postrider.resume("b1");
    }

    private static List<String> statuses(String listener) {
        return psql.texts("select position || ' ' || status || ' ' || state || ' ' || retry_count || ' '"
                + " || case when next_retry_at is null then '-' when next_retry_at > clock_timestamp() then 'later' else 'due' end"
                + " || ' ' || coalesce(last_error, '-') || ' ' || (published_at is not null)"
                + " from postrider.event_status where topic = 'status' and listener = '" + listener
                + "' order by position");
    }

    @Test
    void the_view_of_listeners_shows_cursor_progress_retries_and_the_last_error() {
        node.add(Listener.transactional("viewed", "viewed", (connection, event) -> {
                    if (event.type().equals("bad")) {
                        throw new IllegalStateException("it is\nbad");
                    }
                })
                .withBackoff(Duration.ofHours(1), Duration.ofHours(1)));
        psql.emit("viewed", "good", "bad", "good");
        Await.until("it failed", () -> node.status("viewed").attempts() == 1);
        node.awaitCursor("viewed", 1);
        Await.until("all have positions", () -> node.status("viewed").head() == 3);
        Listeners.Status status = node.status("viewed");
        assertThat(status.topic()).isEqualTo("viewed");
        assertThat(status.kind()).isEqualTo("transactional");
        assertThat(status.policy()).isEqualTo("block");
        assertThat(status.position()).isEqualTo(1);
        assertThat(status.head()).isEqualTo(3);
        assertThat(status.lag()).isEqualTo(2);
        assertThat(status.lastProgressAt()).isNotNull();
        assertThat(status.retryAfter()).isNotNull();
        assertThat(status.lastError()).isEqualTo("java.lang.IllegalStateException: it is bad");
        assertThat(status.setbacks()).isEqualTo(1);
        assertThat(status.deadLetters()).isZero();
        assertThat(status.paused()).isFalse();
        assertThat(status.detachedAt()).isNull();
        assertThat(status.owner()).isNotEmpty();
        assertThat(
                        psql.text(
                                "select last_progress_at <= clock_timestamp() and retry_after - clock_timestamp()"
                                        + " between interval '25 minutes' and interval '1 hour' from postrider.listeners where name = 'viewed'"))
                .isEqualTo("t");
    }

    // ── holes ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_gap_stops_a_listener_and_is_not_skipped() {
        List<Long> all = new CopyOnWriteArrayList<>();
        List<Long> filtered = new CopyOnWriteArrayList<>();
        psql.emit("hole", "a", "b", "a", "b", "a");
        awaitHead("hole", 5);
        psql.execute("delete from postrider.log where topic = 'hole' and position = 4");
        node.add(
                Listener.relay("hole.all", "hole", event -> all.add(event.position()))
                        .withBatch(2),
                Listener.relay("hole.filtered", "hole", event -> filtered.add(event.position()))
                        .withTypes("a")
                        .withBatch(1));
        node.awaitCursor("hole.all", 2);
        psql.emit("hole", "a");
        awaitHead("hole", 6);
        psql.emit("hole.other", "done");
        node.add(Listener.relay("hole.other", "hole.other", event -> {}));
        node.awaitCursor("hole.other", 1);
        assertThat(all).containsExactly(1L, 2L);
        assertThat(node.status("hole.all").position()).isEqualTo(2);
        assertThat(filtered).allMatch(position -> position < 4);
        assertThat(node.status("hole.filtered").position()).isLessThan(4);
        node.postrider.reset("hole.all", StartPoint.position(5));
        node.awaitCursor("hole.all", 6);
        assertThat(all).containsExactly(1L, 2L, 5L, 6L);
        node.postrider.reset("hole.filtered", StartPoint.end());
    }

    @Test
    void a_deleted_event_stops_a_listener_whatever_its_type_was() {
        List<Long> all = new CopyOnWriteArrayList<>();
        List<Long> filtered = new CopyOnWriteArrayList<>();
        psql.emit("gone", "a", "b", "a");
        awaitHead("gone", 3);
        psql.execute("delete from postrider.event where topic = 'gone' and type = 'b'");
        node.add(
                Listener.relay("gone.all", "gone", event -> all.add(event.position()))
                        .withBatch(1),
                Listener.relay("gone.filtered", "gone", event -> filtered.add(event.position()))
                        .withTypes("a"));
        node.awaitCursor("gone.all", 1);
        psql.emit("gone.other", "done");
        node.add(Listener.relay("gone.other", "gone.other", event -> {}));
        node.awaitCursor("gone.other", 1);
        assertThat(node.status("gone.filtered").position()).isLessThan(2);
        node.postrider.reset("gone.all", StartPoint.position(3));
        node.postrider.reset("gone.filtered", StartPoint.position(3));
        node.awaitCursor("gone.all", 3);
        node.awaitCursor("gone.filtered", 3);
        assertThat(all).containsExactly(1L, 3L);
        assertThat(filtered).endsWith(3L).doesNotContain(2L);
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private static void effect(Connection connection, LogEvent event) throws SQLException {
        effect(event.topic().equals("kinds") ? "k1" : "sparse.tx", connection, event);
    }

    private static void effect(String listener, Connection connection, LogEvent event) throws SQLException {
        try (var insert = connection.prepareStatement("insert into effect values (?, ?)")) {
            insert.setString(1, listener);
            insert.setLong(2, event.position());
            insert.executeUpdate();
        }
    }

    private static List<Long> effects(String listener) {
        return psql.texts("select position from effect where listener = ? order by n", listener).stream()
                .map(Long::valueOf)
                .toList();
    }

    private static List<Long> upto(long last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    /** Until its node has seen that it is paused. */
    private static void awaitStanding(String listener) {
        Await.until(
                listener + " stands",
                () -> psql.number("select count(*) from postrider.tenure where ended_at is null" + " and listener = '"
                                + listener + "'")
                        == 0);
    }

    private static void awaitHead(String topic, long position) {
        Await.until(
                topic + " is " + position + " long",
                () -> psql.number("select coalesce(max(position), 0) from postrider.head where topic = '" + topic + "'")
                        >= position);
    }

    private static void assertLedgerIsContiguous(String... listeners) {
        for (String listener : listeners) {
            List<String> ranges = new ArrayList<>(psql.texts(
                    "select from_position || '-' || to_position"
                            + " from postrider.delivery where listener = ? order by n",
                    listener));
            long next = 0;
            for (int i = 0; i < ranges.size(); i++) {
                String[] range = ranges.get(i).split("-");
                assertThat(Long.parseLong(range[0]))
                        .as("%s %s", listener, ranges)
                        .isEqualTo(i == 0 ? 0 : next);
                next = Long.parseLong(range[1]) + 1;
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static java.util.function.Consumer<Throwable> is(Kind kind) {
        return e -> assertThat(((PostriderException) e).kind()).isEqualTo(kind);
    }
}
