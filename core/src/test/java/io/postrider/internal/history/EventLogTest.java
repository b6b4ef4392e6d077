package io.postrider.internal.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Background;
import io.postrider.Event;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Migrated;
import io.postrider.Node;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.Psql;
import io.postrider.Reach;
import io.postrider.StartPoint;
import io.postrider.admin.CountQuery;
import io.postrider.admin.EventFilter;
import io.postrider.admin.EventLog;
import io.postrider.admin.EventLog.Span;
import io.postrider.admin.EventLogCursor;
import io.postrider.admin.EventPage;
import io.postrider.admin.Rooms;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestRun;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is recorded, what is read, and that it is the log: each event, once, whatever happens to who records it. */
@Migrated
@Tag("security")
class EventLogTest {
    private static final String LISTENER = "event_log:orders";
    private static final String CURSOR = "select position from postrider.listeners where name = '" + LISTENER + "'";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Events that are in one of the two and not in the other, or not the same in both, or twice in one. */
    private static final String DIFFERENCE = """
            select coalesce(string_agg(d.what, ', '), '') from (
              (select 'log ' || position || ' ' || event_id || ' ' || type || coalesce(key, '-') || coalesce(project_id, '-')
                 || coalesce(user_id, '-') || coalesce(aggregate_type, '-') || coalesce(aggregate_id, '-') || payload || headers
                 || created_at as what from postrider.events where topic = 'orders'
               except all
               select 'log ' || position || ' ' || event_id || ' ' || event_type || coalesce(key, '-') || coalesce(project_id, '-')
                 || coalesce(user_id, '-') || coalesce(aggregate_type, '-') || coalesce(aggregate_id, '-') || payload || headers
                 || created_at from postrider.event_log where topic = 'orders')
              union all
              (select 'event log ' || position || ' ' || event_id from postrider.event_log where topic = 'orders'
               except all
               select 'event log ' || position || ' ' || event_id from postrider.events where topic = 'orders')) d""";

    // ── what it holds ───────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_event_is_recorded_with_every_field(TestDatabase database) {
        Event placed = Event.of("orders", "order.placed", "{\"order\": 42, \"name\": \"Zoë \\\"Z\\\" {,}\"}")
                .withKey("k,{}\"\\")
                .withProject("p1")
                .withUser("u1")
                .withAggregate("order", "42")
                .withHeaders("{\"trace\": \"NULL\"}");
        try (Node node = new Node(database)) {
            EventLog eventLog = node.postrider.eventLog();
            node.with(eventLog.listener("orders"));
            node.emit(placed, Event.of("orders", "bare", "null"));
            node.awaitCursor(LISTENER, 2);
            List<LogEvent> read = eventLog.read(Reach.all(), EventFilter.topic("orders"), 0, 10);
            assertThat(read).isEqualTo(node.postrider.log().read("orders", 0, 10));
            assertThat(read.get(0).key()).isEqualTo("k,{}\"\\");
            assertThat(read.get(1).projectId()).isNull();
            assertThat(difference(node)).isEmpty();
            assertThat(node.number("select count(*) from postrider.event_log where recorded_at >= created_at"))
                    .isEqualTo(2);
        }
    }

    @Test
    void the_longest_topic_and_references_fit_into_the_listener_name_and_indexes(TestDatabase database) {
        try (Node node = new Node(database)) {
            String topic = "t".repeat(100);
            node.with(node.postrider.eventLog().listener(topic));
            Random random = new Random(TestRun.seed("longest references"));
            Supplier<String> longest = () -> random.ints(1024, '!', '~')
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString(); // by chance, so that it cannot be compressed
            node.emit(Event.of(topic, "t" + "x".repeat(199), "{}")
                    .withKey(longest.get())
                    .withProject(longest.get())
                    .withUser(longest.get())
                    .withAggregate(longest.get(), longest.get()));
            node.awaitCursor("event_log:" + topic, 1);
            assertThat(difference(node)).isEmpty();
        }
    }

    @Test
    void recording_starts_at_the_oldest_kept_event_and_follows(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            psql.emitMany("orders", "t", 2_500);
            EventLog eventLog = node.postrider.eventLog();
            assertThat(eventLog.reached("orders")).isZero();
            assertThat(eventLog.oldest("orders")).isEqualTo(1);
            assertThat(eventLog.isRecorded("orders")).isFalse();
            node.with(eventLog.listener("orders"), eventLog.listener("mails"));
            psql.emitMany("orders", "t", 500).emitMany("mails", "t", 3);
            node.awaitCursor(LISTENER, 3_000);
            node.awaitCursor("event_log:mails", 3);
            assertThat(difference(node)).isEmpty();
            assertThat(eventLog.reached("orders")).isEqualTo(3_000);
            assertThat(eventLog.isRecorded("orders")).isTrue();
            assertThat(eventLog.oldest("orders")).isEqualTo(1);
            assertThat(eventLog.reached("mails")).isEqualTo(3);
            assertThat(node.status(LISTENER).lag()).isZero();
        }
    }

    @Test
    void an_uncommitted_event_is_not_recorded_and_a_late_one_goes_to_its_own_partition(TestDatabase database) {
        try (Node node = new Node(database);
                Psql open = new Psql(database);
                Psql psql = new Psql(database)) {
            EventLog eventLog = node.postrider.eventLog();
            eventLog.keep(Duration.ofDays(36_500)); // or retention takes the old one before we have looked
            node.with(eventLog.listener("orders"));
            open.begin().emit("orders", "late");
            psql.emitMany("orders", "t", 100);
            node.awaitCursor(LISTENER, 100);
            assertThat(node.number("select count(*) from postrider.event_log where event_type = 'late'"))
                    .isZero();
            open.commit();
            node.awaitCursor(LISTENER, 101);
            psql.execute("insert into postrider.event (topic, type, payload, created_at)"
                    + " values ('orders', 'old', '{}', '2020-02-02')");
            node.awaitCursor(LISTENER, 102);
            assertThat(difference(node)).isEmpty();
            assertThat(psql.texts("select event_type from postrider.event_log where tableoid ="
                            + " 'postrider.event_log_beyond'::regclass"))
                    .as("its own partition is not there, and that fails nobody")
                    .containsExactly("old");
            List<LogEvent> read = eventLog.read(Reach.all(), EventFilter.topic("orders"), 99, 10);
            assertThat(read.stream().map(LogEvent::type)).containsExactly("t100", "late", "old");
        }
    }

    // ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void pages_follow_each_other_by_position_and_by_time(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            rows(psql, 1_000);
            EventLog eventLog = node.postrider.eventLog();
            EventFilter mine = EventFilter.topic("orders").withProject("p1").withType("t1");
            List<String> expected = psql.texts("select position from postrider.event_log where topic = 'orders'"
                    + " and project_id = 'p1' and event_type = 't1' order by position");
            List<String> pages = new ArrayList<>();
            long after = 0;
            for (List<LogEvent> page = eventLog.read(Reach.all(), mine, after, 7);
                    !page.isEmpty();
                    page = eventLog.read(Reach.all(), mine, after, 7)) {
                page.forEach(event -> pages.add(Long.toString(event.position())));
                after = page.get(page.size() - 1).position();
            }
            assertThat(pages).hasSizeGreaterThan(20).isEqualTo(expected);

            List<String> byTime = new ArrayList<>();
            EventLogCursor before = EventLogCursor.before(Instant.now().plusSeconds(3_600));
            for (List<LogEvent> page = eventLog.read(Reach.all(), EventFilter.all(), before, 13);
                    !page.isEmpty();
                    page = eventLog.read(Reach.all(), EventFilter.all(), before, 13)) {
                page.forEach(event -> byTime.add(event.topic() + event.position()));
                before = EventLogCursor.before(page.get(page.size() - 1));
            }
            assertThat(byTime)
                    .as("ten each have the same time")
                    .isEqualTo(psql.texts("select topic || position from postrider.event_log"
                            + " order by created_at desc, topic desc, position desc"));
        }
    }

    @Test
    void one_event_and_the_latest_of_an_aggregate_are_found(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            rows(psql, 1_000);
            EventLog eventLog = node.postrider.eventLog();
            UUID id = UUID.fromString(
                    psql.text("select event_id from postrider.event_log where topic = 'orders' and position = 77"));
            assertThat(eventLog.find(Reach.all(), id).orElseThrow().position()).isEqualTo(77);
            assertThat(eventLog.find(Reach.all(), UUID.randomUUID())).isEmpty();
            long last = psql.number("select max(position) from postrider.event_log"
                    + " where topic = 'orders' and aggregate_type = 'order' and aggregate_id = '3'");
            assertThat(eventLog.latest(Reach.all(), "orders", "order", "3")
                            .orElseThrow()
                            .position())
                    .isEqualTo(last);
            assertThat(eventLog.latest(Reach.all(), "orders", "order", "nobody"))
                    .isEmpty();
        }
    }

    @Test
    void a_read_is_bounded_in_bytes_and_gives_one_event_at_least(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            psql.execute(
                    "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers, created_at,"
                            + " project_id) select 'orders', i, gen_random_uuid(), 't', to_jsonb(repeat('x', 3 << 20)), '{}', now(), 'p'"
                            + " from generate_series(1, 6) i");
            EventLog eventLog = node.postrider.eventLog();
            assertThat(eventLog.read(Reach.all(), EventFilter.topic("orders"), 0, 100))
                    .hasSize(3);
            EventPage page = eventLog.page(
                    Reach.all(), new Rooms(Set.of("p"), Set.of()), new Span("orders", 0, 6), 100, 8 << 20);
            assertThat(page.events()).hasSize(3);
            assertThat(page.to()).isEqualTo(3);
            assertThat(eventLog.page(
                                    Reach.all(),
                                    new Rooms(Set.of("p"), Set.of()),
                                    new Span("orders", 3, 6),
                                    100,
                                    8 << 20)
                            .to())
                    .isEqualTo(6);
        }
    }

    @Test
    void a_page_has_each_event_of_its_rooms_once_and_its_last_position(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            rows(psql, 1_000);
            EventLog eventLog = node.postrider.eventLog();
            Rooms rooms = new Rooms(Set.of("p1", "p2"), Set.of("u1", "nobody"));
            List<String> expected = psql.texts(
                    "select position from postrider.event_log where topic = 'orders'"
                            + " and (project_id in ('p1', 'p2') or user_id = 'u1') and position > 100 and position <= 900 order by position");
            List<String> pages = new ArrayList<>();
            long after = 100;
            while (after < 900) {
                EventPage page = eventLog.page(Reach.all(), rooms, new Span("orders", after, 900), 50, 8 << 20);
                page.events().forEach(event -> pages.add(Long.toString(event.position())));
                assertThat(page.to()).isGreaterThan(after);
                after = page.to();
            }
            assertThat(pages).hasSizeGreaterThan(100).isEqualTo(expected);
            assertThat(eventLog.page(
                            Reach.all(), new Rooms(Set.of(), Set.of()), new Span("orders", 0, 900), 50, 8 << 20))
                    .isEqualTo(new EventPage(List.of(), 900));
        }
    }

    @Test
    void invalid_queries_are_refused_by_name(TestDatabase database) {
        try (Node node = new Node(database)) {
            EventLog eventLog = node.postrider.eventLog();
            EventFilter orders = EventFilter.topic("orders");
            assertRefused(
                    () -> eventLog.read(Reach.all(), orders, 0, 0),
                    "the number of events (most) must be 1..1000, was 0");
            assertRefused(
                    () -> eventLog.read(Reach.all(), orders, 0, 1_001),
                    "the number of events (most) must be 1..1000, was 1001");
            assertRefused(() -> eventLog.read(Reach.all(), EventFilter.all(), 0, 10), "topic");
            assertRefused(() -> eventLog.keep(Duration.ofMinutes(59)), "keep must be 1h..36500d, was 3540s");
            assertRefused(() -> Reach.project(""), "project");
            assertRefused(() -> Reach.user("", "p"), "user");
            assertRefused(() -> Reach.user("u", "a\0b"), "project");
            assertRefused(() -> eventLog.listener("x".repeat(101)), "topic");
            Instant now = Instant.now();
            assertRefused(() -> CountQuery.between(now, now), "from must be before to");
            assertRefused(
                    () -> CountQuery.between(now.minus(Duration.ofDays(3)), now).withBucket(CountQuery.Bucket.MINUTE),
                    "4321 buckets of one minute; the limit is 2000");
            assertThatThrownBy(() -> eventLog.rebuild("orders")).hasMessage("no listener event_log:orders");
        }
    }

    // ── once, whatever happens ──────────────────────────────────────────────────────────────────────────────────────

    /** A producer without a bound is so far ahead on a slow machine that the nodes need minutes afterwards. */
    private static final int MOST_AHEAD = 5_000;

    @Test
    @Tag("once")
    @Tag("slow")
    void each_event_is_recorded_once_although_two_nodes_keep_losing_connections(TestDatabase database) {
        long seed = System.nanoTime();
        System.out.println("event log, connections cut: seed " + seed);
        Random random = new Random(seed);
        AtomicBoolean emitting = new AtomicBoolean(true);
        try (Node one = new Node(database, options -> options.withNode("one").withPoll(Duration.ofMillis(100)));
                Node two = new Node(database, options -> options.withNode("two").withPoll(Duration.ofMillis(100)));
                Psql psql = new Psql(database);
                Psql killer = new Psql(database)) {
            one.with(one.postrider.eventLog().listener("orders").withBatch(50));
            two.with(two.postrider.eventLog().listener("orders").withBatch(50));
            String spared = "(" + psql.pid() + ", " + killer.pid() + ")";
            CompletableFuture<Long> producer = Background.get(() -> {
                long emitted = 0;
                while (emitting.get()) {
                    psql.emitMany("orders", "t", 40);
                    emitted += 40;
                    long lead = emitted - MOST_AHEAD;
                    Await.until("room", PATIENCE, () -> !emitting.get() || psql.number(CURSOR) > lead);
                }
                return emitted;
            });
            for (int cut = 0; cut < 25; cut++) {
                long reached = killer.number(CURSOR);
                Await.until("it goes on", PATIENCE, () -> killer.number(CURSOR) > reached);
                killer.texts(
                        "select pg_terminate_backend(pid)::text from pg_stat_activity where datname = current_database()"
                                + " and pid not in " + spared + " order by random() limit " + (1 + random.nextInt(4)));
                if (cut % 8 == 5) {
                    Await.until("it is rebuilt", PATIENCE, () -> {
                        one.postrider.eventLog().rebuild("orders");
                        return true;
                    });
                }
            }
            emitting.set(false);
            long all = producer.join();
            Await.until("all is recorded", PATIENCE, () -> killer.number(CURSOR) == all);
            assertThat(difference(one)).isEmpty();
            assertThat(one.number("select count(*) from postrider.dead_letter")).isZero();
        }
    }

    @Test
    void a_second_node_that_believes_it_owns_the_listener_waits_and_rolls_back(TestDatabase database) throws Exception {
        try (Node node = new Node(database);
                Psql first = new Psql(database);
                Psql second = new Psql(database)) {
            first.emitMany("orders", "t", 10).passAll();
            Listener listener = node.postrider.eventLog().listener("orders");
            node.postrider.add(listener.withPaused(true)).start();
            List<LogEvent> batch = node.postrider.log().read("orders", 0, 10);
            Recorder recorder = (Recorder) listener.handler();
            first.begin();
            recorder.handle(first.connection(), batch);
            second.begin();
            CompletableFuture<Void> other = Background.run(() -> recorder.handle(second.connection(), batch));
            Await.until(
                    "the other waits",
                    () -> node.number("select count(*) from pg_locks where locktype = 'advisory' and not granted")
                            == 1);
            assertThat(first.text("select postrider.deliver('" + LISTENER + "', 1, 10, 10, 'first')::text"))
                    .isEqualTo("true");
            first.commit();
            other.join();
            assertThat(second.text("select postrider.deliver('" + LISTENER + "', 1, 10, 10, 'second')::text"))
                    .isEqualTo("false");
            second.rollback();
            assertThat(difference(node)).isEmpty();
        }
    }

    // ── again ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_rebuild_restores_the_log_and_keeps_events_that_retention_deleted(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            EventLog eventLog = node.postrider.eventLog();
            node.with(eventLog.listener("orders"));
            psql.emitMany("orders", "t", 3_000);
            node.awaitCursor(LISTENER, 3_000);
            psql.execute("update postrider.event_log set payload = '\"damaged\"' where position % 7 = 0")
                    .execute("delete from postrider.event_log where position % 11 = 0")
                    .execute(
                            "update postrider.event_log set event_id = gen_random_uuid(), created_at = created_at - interval '1 s'"
                                    + " where position % 13 = 0")
                    .execute(
                            "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers, created_at)"
                                    + " values ('orders', 3005, gen_random_uuid(), 'of another log', '{}', '{}', now()),"
                                    + " ('mails', 3005, gen_random_uuid(), 'of another topic', '{}', '{}', now())");
            eventLog.rebuild("orders");
            Await.until("it is whole again", PATIENCE, () -> difference(node).isEmpty());
            assertThat(node.number("select count(*) from postrider.event_log where topic = 'mails'"))
                    .isEqualTo(1);
            psql.execute("insert into postrider.forgotten values ('orders', 2000)")
                    .execute("delete from postrider.log where topic = 'orders' and position <= 2000");
            eventLog.rebuild("orders");
            Await.until("it is there again", PATIENCE, () -> eventLog.reached("orders") == 3_000);
            assertThat(node.number("select count(*) from postrider.event_log where topic = 'orders'"))
                    .as("what the log does not have any more, too")
                    .isEqualTo(3_000);
            assertThat(eventLog.oldest("orders")).isEqualTo(1);
        }
    }

    /** As after a failover that lost commits, if the event log, too, had been carried over from elsewhere. */
    @Test
    void positions_reassigned_in_a_new_era_are_recorded_again(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            try (Node node = new Node(database)) {
                node.with(node.postrider.eventLog().listener("orders"));
                psql.emitMany("orders", "before", 10);
                node.awaitCursor(LISTENER, 10);
            }
            psql.execute(
                            "delete from postrider.event e using postrider.log l where l.tx = e.tx and l.id = e.id and position > 4")
                    .execute("delete from postrider.log where position > 4")
                    .execute("delete from postrider.head")
                    .execute("insert into postrider.head (topic, position, n) values ('orders', 4, 1)")
                    .execute("delete from postrider.delivery where listener = '" + LISTENER + "'")
                    .execute("insert into postrider.delivery (listener, from_position, to_position, events, worker)"
                            + " values ('" + LISTENER + "', 0, 4, 0, 'restored')")
                    .execute("update postrider.era set timeline = '0000CAFE'")
                    .emitMany("orders", "after", 4);
            try (Node node = new Node(database)) {
                node.with(node.postrider.eventLog().listener("orders"));
                node.awaitCursor(LISTENER, 8);
                assertThat(psql.texts(
                                "select event_type from postrider.event_log where position <= 8 order by position"))
                        .containsExactly(
                                "before1", "before2", "before3", "before4", "after1", "after2", "after3", "after4");
                node.postrider.eventLog().rebuild("orders");
                Await.until(
                        "what is behind the head goes",
                        PATIENCE,
                        () -> difference(node).isEmpty());
                node.awaitCursor(LISTENER, 8);
            }
        }
    }

    @Test
    void the_event_log_is_incomplete_until_a_dead_event_is_replayed(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            EventLog eventLog = node.postrider.eventLog();
            psql.execute("alter table postrider.event_log add constraint no_poison check (event_type <> 't3')");
            node.with(eventLog.listener("orders")
                    .withAttempts(1)
                    .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1)));
            psql.emitMany("orders", "t", 5);
            node.awaitCursor(LISTENER, 5);
            assertThat(node.deadLetters(LISTENER)).hasSize(1);
            assertThat(eventLog.oldest("orders")).isEqualTo(4);
            psql.execute("alter table postrider.event_log drop constraint no_poison");
            node.postrider
                    .deadLetters()
                    .replay(List.of(node.deadLetters(LISTENER).get(0).id()));
            Await.until("it is replayed", PATIENCE, () -> difference(node).isEmpty());
            Await.until("it is whole", PATIENCE, () -> eventLog.oldest("orders") == 1);
        }
    }

    @Test
    void positions_skipped_by_a_reset_are_reported_missing_until_a_rebuild(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            EventLog eventLog = node.postrider.eventLog();
            node.with(eventLog.listener("orders"));
            psql.emitMany("orders", "t", 5);
            node.awaitCursor(LISTENER, 5);
            pause(node, psql);
            psql.emitMany("orders", "t", 5);
            Await.until(
                    "all have a position", PATIENCE, () -> node.postrider.log().head("orders") == 10);
            node.postrider.reset(LISTENER, StartPoint.position(9));
            assertThat(eventLog.oldest("orders")).isEqualTo(9);
            node.postrider.resume(LISTENER);
            node.awaitCursor(LISTENER, 10);
            assertThat(psql.texts("select position from postrider.event_log order by position"))
                    .containsExactly("1", "2", "3", "4", "5", "9", "10");
            assertThat(eventLog.oldest("orders")).isEqualTo(9);
            node.postrider.reset(LISTENER, StartPoint.position(10));
            node.awaitCursor(LISTENER, 10);
            assertThat(eventLog.oldest("orders")).as("back is no loss").isEqualTo(9);
            eventLog.rebuild("orders");
            Await.until("it is whole", PATIENCE, () -> difference(node).isEmpty());
            assertThat(eventLog.oldest("orders")).isEqualTo(1);
        }
    }

    private static void pause(Node node, Psql psql) {
        node.postrider.pause(LISTENER);
        Await.until(
                "it stands",
                PATIENCE,
                () -> psql.number("select count(*) from postrider.tenure where ended_at is null") == 0);
    }

    @Test
    void positions_lost_by_a_detached_listener_are_reported_missing_after_its_reset(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            EventLog eventLog = node.postrider.eventLog();
            node.with(eventLog.listener("orders"));
            psql.emitMany("orders", "t", 5);
            node.awaitCursor(LISTENER, 5);
            pause(node, psql);
            psql.emitMany("orders", "t", 5);
            Await.until(
                    "all have a position", PATIENCE, () -> node.postrider.log().head("orders") == 10);
            psql.execute("update postrider.listener set detached_at = now()")
                    .execute("insert into postrider.forgotten values ('orders', 8)")
                    .execute("delete from postrider.log where topic = 'orders' and position <= 8");
            node.postrider.reset(LISTENER, StartPoint.beginning());
            node.postrider.resume(LISTENER);
            node.awaitCursor(LISTENER, 10);
            assertThat(eventLog.oldest("orders")).isEqualTo(9);
        }
    }

    @Test
    void a_discarded_dead_letter_is_reported_missing_permanently(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            EventLog eventLog = node.postrider.eventLog();
            psql.execute("alter table postrider.event_log add constraint no_poison check (event_type <> 't3')");
            node.with(eventLog.listener("orders")
                    .withAttempts(1)
                    .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1)));
            psql.emitMany("orders", "t", 5);
            node.awaitCursor(LISTENER, 5);
            node.postrider
                    .deadLetters()
                    .discard(List.of(node.deadLetters(LISTENER).get(0).id()));
            assertThat(node.deadLetters(LISTENER)).isEmpty();
            assertThat(eventLog.oldest("orders")).isEqualTo(4);
        }
    }

    @Test
    void a_page_with_large_payloads_ends_early(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            psql.execute(
                    "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers, created_at,"
                            + " project_id) select 'orders', i, gen_random_uuid(), 't', to_jsonb(repeat('x', 200000)), '{}', now(), 'p'"
                            + " from generate_series(1, 20) i");
            EventLog eventLog = node.postrider.eventLog();
            Rooms rooms = new Rooms(Set.of("p"), Set.of());
            EventPage some = eventLog.page(Reach.all(), rooms, new Span("orders", 2, 20), 100, 500_000);
            assertThat(some.events()).extracting(LogEvent::position).containsExactly(3L, 4L, 5L);
            assertThat(some.to()).isEqualTo(5);
            EventPage one = eventLog.page(Reach.all(), rooms, new Span("orders", 5, 20), 100, 1);
            assertThat(one.events()).hasSize(1);
            assertThat(one.to()).isEqualTo(6);
            assertThat(eventLog.page(Reach.all(), rooms, new Span("orders", 20, 30), 100, 1))
                    .as("nothing left is told of, however little was asked for")
                    .isEqualTo(new EventPage(List.of(), 30));
        }
    }

    /** Small ones, ones of a few KB, large ones that are compressed to little, and ones that cannot be compressed. */
    @Test
    void pages_of_events_of_all_sizes_end_with_the_event_that_fills_them(TestDatabase database) {
        int bytes = 30_000;
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            psql.execute(
                    "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers, created_at,"
                            + " project_id) select 'orders', i, gen_random_uuid(), 't', case when i % 100 < 60 then to_jsonb(i)"
                            + " when i % 7 = 0 then to_jsonb(repeat('x', 100 * i)) when i % 7 = 1 then to_jsonb((select"
                            + " string_agg(md5(i || '-' || n), '') from generate_series(1, i) n)) else to_jsonb(repeat('x', i)) end,"
                            + " '{\"h\": 1}', now(), 'p' from generate_series(1, 500) i");
            EventLog eventLog = node.postrider.eventLog();
            List<Long> positions = new ArrayList<>();
            long after = 0;
            while (after < 500) {
                EventPage page = eventLog.page(
                        Reach.all(), new Rooms(Set.of("p"), Set.of()), new Span("orders", after, 500), 100, bytes);
                List<LogEvent> events = page.events();
                assertThat(size(events.subList(0, events.size() - 1))).isLessThan(bytes);
                assertThat(size(events) >= bytes || events.size() == 100 || page.to() == 500)
                        .as("it is full: %s to %s", after, page.to())
                        .isTrue();
                events.forEach(event -> positions.add(event.position()));
                after = page.to();
            }
            assertThat(positions)
                    .isEqualTo(LongStream.rangeClosed(1, 500).boxed().toList());
        }
    }

    private static int size(List<LogEvent> events) {
        return events.stream()
                .mapToInt(event -> event.payload().length() + event.headers().length())
                .sum();
    }

    @ParameterizedTest
    @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
    void a_page_reads_no_payload_beyond_its_bytes(String mode, TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute(
                    "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers, created_at,"
                            + " project_id) select 'orders', i, gen_random_uuid(), 't', to_jsonb((select string_agg(md5(i || '-' || n), '')"
                            + " from generate_series(1, 4000) n)), '{}', now(), 'p' from generate_series(1, 100) i");
        }
        Explaining explaining = new Explaining(database.dataSource(), mode);
        EventPage page = Postrider.on(explaining)
                .eventLog()
                .page(Reach.all(), new Rooms(Set.of("p"), Set.of()), new Span("orders", 0, 100), 100, 300_000);
        assertThat(page.events()).extracting(LogEvent::position).containsExactly(1L, 2L, 3L);
        assertThat(page.to()).isEqualTo(3);
        String plan = explaining.take().get(0);
        Matcher buffers = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?")
                .matcher(plan);
        assertThat(buffers.find()).as(plan).isTrue();
        int pages = Stream.of(1, 2)
                .map(buffers::group)
                .filter(Objects::nonNull)
                .mapToInt(Integer::parseInt)
                .sum();
        assertThat(pages)
                .as("one payload has 16 pages, all have 1,600: " + plan)
                .isLessThan(400);
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Events of two topics, by turns of three projects (and none), five users (and none) and 50 orders; ten a second. */
    static void rows(Psql psql, int each) {
        psql.execute(
                "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers, created_at,"
                        + " project_id, user_id, aggregate_type, aggregate_id)"
                        + " select t, i, gen_random_uuid(), 't' || i % 3, jsonb_build_object('n', i), '{}',"
                        + " date_trunc('second', now() - interval '1 hour') + i / 10 * interval '1 second',"
                        + " case when i % 4 > 0 then 'p' || i % 4 end, case when i % 6 > 0 then 'u' || i % 6 end, 'order', i % 50"
                        + " from generate_series(1, " + each + ") i, unnest(array['orders', 'mails']) t");
    }

    private static String difference(Node node) {
        try (Psql psql = new Psql(node.dataSource)) {
            return psql.text(DIFFERENCE);
        }
    }

    private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOf(PostriderException.class)
                .satisfies(e -> assertThat(((PostriderException) e).kind()).isEqualTo(PostriderException.Kind.REFUSED))
                .hasMessageContaining(message);
    }
}
