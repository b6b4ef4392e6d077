package io.postrider.gateway;

import static io.postrider.gateway.Identity.Reach.ALL;
import static io.postrider.gateway.Identity.Reach.PROJECT;
import static io.postrider.gateway.Identity.Reach.USER;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.LogEvent;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who comes with an old position is served from the event log, and joins what is live. */
@PostgresTest
@Timeout(180)
@Tag("slow")
@Tag("security")
class EventLogResumeTest {
    private static final String TOPIC = "chat";
    private static final Duration LONG = Duration.ofSeconds(60);

    private Postrider postrider;
    private TestDatabase database;
    private Watched history;

    /** The event log, how large its pages were, and what happens after the first. */
    private record Watched(History history, AtomicInteger pages, AtomicLong largest, AtomicReference<Runnable> next)
            implements History {
        @Override
        public Page page(Identity who, Set<Room> rooms, Stretch stretch) throws Exception {
            Page page = history.page(who, rooms, stretch);
            pages.incrementAndGet();
            next.getAndSet(() -> {}).run();
            long bytes = page.events().stream()
                    .mapToLong(event -> event.payload().length())
                    .sum();
            largest.accumulateAndGet(bytes, Math::max);
            return page;
        }

        @Override
        public long oldest(String topic) throws Exception {
            return history.oldest(topic);
        }

        @Override
        public long reached(String topic) throws Exception {
            return history.reached(topic);
        }

        @Override
        public boolean keeps(String topic) throws Exception {
            return history.keeps(topic);
        }
    }

    @BeforeEach
    void startNode(TestDatabase given) {
        database = given;
        postrider = Postrider.on(database.dataSource(), Options.defaults().withNode("resume"))
                .migrate();
        postrider.add(postrider.eventLog().listener(TOPIC));
        postrider.start();
        history = new Watched(
                new EventLogHistory(postrider.eventLog()),
                new AtomicInteger(),
                new AtomicLong(),
                new AtomicReference<>(() -> {}));
    }

    @AfterEach
    void stopNode() {
        postrider.close();
    }

    private Served serve(GatewayOptions options) throws Exception {
        return new Served(postrider, database.dataSource(), options, history);
    }

    /** Who it is, where it came in, what it must have got after that, and what it has. */
    private record Client(String name, long from, Predicate<LogEvent> hears, Supplier<List<Long>> got) {}

    @Test
    void from_the_read_model_to_what_is_live_nothing_is_missing_nothing_twice_and_nothing_is_anybody_else_s()
            throws Exception {
        GatewayOptions options = GatewayOptions.of(TOPIC)
                .withRecent(40, 1 << 20)
                .withHistory(25, 2)
                .withConnections(100, 50);
        Random random = new Random(7);
        ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor();
        try (Served served = serve(options)) {
            emit(served, random, 400);
            CompletableFuture<Void> failure = new CompletableFuture<>();
            writer.scheduleAtFixedRate(() -> emitOrFail(served, random, failure), 0, 20, TimeUnit.MILLISECONDS);
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 24; i++) {
                clients.add(join(served, i, i % 4 == 0 ? 0 : random.nextInt(380)));
                long seen = served.hub.reached(TOPIC);
                Await.until("the topic has grown", LONG, () -> served.hub.reached(TOPIC) > seen + 20);
            }
            writer.shutdown();
            assertThat(writer.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            assertThat(failure).isNotCompletedExceptionally();
            served.awaitHub();
            check(clients);
            assertThat(history.pages()).hasValueGreaterThan(24);
        } finally {
            writer.shutdownNow();
        }
    }

    private static Client join(Served served, int i, long from) throws Exception {
        String project = "p" + i % 3;
        String user = "u" + i % 5;
        Identity.Reach reach = List.of(PROJECT, USER, ALL).get(i % 3);
        List<String> rooms = switch (reach) {
            case PROJECT -> List.of("project:" + project, "user:" + user);
            case USER -> List.of("user:" + user);
            case ALL -> List.of("project:p0", "user:u1");
        };
        Predicate<LogEvent> hears = switch (reach) {
            case PROJECT -> event -> project.equals(event.projectId());
            case USER ->
                event -> user.equals(event.userId())
                        && (event.projectId() == null || event.projectId().equals(project));
            case ALL -> event -> "p0".equals(event.projectId()) || "u1".equals(event.userId());
        };
        String token = served.token(user, project, reach);
        Supplier<List<Long>> got;
        if (i % 2 == 0) {
            got = served.sse(token, "&room=" + String.join("&room=", rooms) + "&position=" + from)::positions;
        } else {
            got = served.socket(token, from, rooms.toArray(String[]::new))::positions;
        }
        return new Client(reach + " " + user + " in " + project + " from " + from, from, hears, got);
    }

    private void check(List<Client> clients) {
        List<LogEvent> all = new ArrayList<>();
        while (all.size() < postrider.log().head(TOPIC)) {
            all.addAll(postrider.log().read(TOPIC, all.size(), 1_000));
        }
        for (Client client : clients) {
            List<Long> expected = all.stream()
                    .filter(event ->
                            event.position() > client.from() && client.hears().test(event))
                    .map(LogEvent::position)
                    .toList();
            Await.until(
                    client.name() + " has all", LONG, () -> client.got().get().size() >= expected.size());
            assertThat(client.got().get()).as(client.name()).isEqualTo(expected);
            assertThat(expected).as(client.name()).hasSizeGreaterThan(10);
        }
    }

    @Test
    void large_events_come_by_pages_no_larger_than_what_a_client_may_have_waiting() throws Exception {
        int size = 200_000;
        GatewayOptions options = GatewayOptions.of(TOPIC).withRecent(2, 1 << 20);
        try (Served served = serve(options)) {
            String payload = "{\"text\":\"" + "x".repeat(size) + "\"}";
            for (int i = 0; i < 10; i++) {
                served.emitAll(List.of(
                        served.event("p1", "ann", payload),
                        served.event("p1", "bob", payload),
                        served.event("p2", "ann", payload)));
            }
            served.awaitHub();
            List<SseClient> clients = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                clients.add(served.sse(served.token("ann", "p1", PROJECT), "&room=project:p1&position=0"));
            }
            for (SseClient client : clients) {
                Await.until("all have come", LONG, () -> client.positions().size() == 20);
                assertThat(client.positions()).isSorted().doesNotHaveDuplicates();
            }
            assertThat(history.largest().get())
                    .as("before, a page of 200 events was 40 MB, for each client")
                    .isLessThan(options.outboxBytes() / 2 + size + 100);
            assertThat(history.pages()).hasValueGreaterThan(6 * 3);
        }
    }

    @Test
    void a_hole_that_a_rebuild_fills_while_a_page_is_read_is_told_of_all_the_same() throws Exception {
        try (Served served = serve(GatewayOptions.of(TOPIC).withRecent(5, 1 << 20))) {
            served.emitNumbered("p1", "ann", 1, 60);
            awaitRecorded(60);
            // what a reset forward leaves
            execute("delete from postrider.event_log where topic = 'chat' and position between 11 and 39");
            execute("insert into postrider.event_log_forgotten (topic, position) values ('chat', 39)");
            history.next().set(() -> {
                postrider.eventLog().rebuild(TOPIC);
                awaitRecorded(60);
            });
            SseClient client = served.sse(served.token("ann", "p1", PROJECT), "&room=project:p1&position=0");
            Seen first = client.await("an answer", frame -> !frame.type().equals("position"));
            assertThat(first.type()).as("%s", client.frames()).isEqualTo("snapshot");
            assertThat(postrider.eventLog().oldest(TOPIC))
                    .as("it is whole again")
                    .isEqualTo(1);
        }
    }

    @Test
    void in_a_topic_that_nobody_records_who_lacks_much_is_told_so_and_goes_on() throws Exception {
        try (Served served = serve(GatewayOptions.of("unrecorded").withRecent(5, 1 << 20))) {
            served.emitNumbered("p1", "ann", 1, 30);
            SseClient client = served.sse(served.token("ann", "p1", PROJECT), "&room=project:p1&position=3");
            Seen first = client.await("an answer", frame -> true);
            assertThat(first.type()).isEqualTo("snapshot");
            assertThat(first.json()).isEqualTo("{\"oldest\":31,\"position\":30}");
            served.emitNumbered("p1", "ann", 31, 32);
            client.awaitEvents(2);
            assertThat(client.positions()).containsExactly(31L, 32L);
        }
    }

    private void awaitRecorded(long position) {
        Await.until("all is recorded", LONG, () -> postrider.eventLog().reached(TOPIC) == position);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    // ── who writes ──────────────────────────────────────────────────────────────────────────────────────────────────

    private static void emitOrFail(Served served, Random random, CompletableFuture<Void> failure) {
        try {
            emit(served, random, 1 + random.nextInt(8));
        } catch (Exception e) {
            failure.completeExceptionally(e);
        }
    }

    private static void emit(Served served, Random random, int count) throws Exception {
        List<Event> events = new ArrayList<>();
        synchronized (random) {
            for (int i = 0; i < count; i++) {
                Event event = Event.of(TOPIC, "said", "{\"n\":" + i + "}");
                int project = random.nextInt(4);
                int user = random.nextInt(6);
                event = project == 3 ? event : event.withProject("p" + project);
                events.add(user == 5 ? event : event.withUser("u" + user));
            }
        }
        served.emitAll(events);
    }
}
