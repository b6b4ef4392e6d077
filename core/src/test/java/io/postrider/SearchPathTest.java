package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.CountQuery;
import io.postrider.admin.DeadLetter;
import io.postrider.admin.DeadLetters;
import io.postrider.admin.EventFilter;
import io.postrider.admin.EventLogCursor;
import io.postrider.admin.Jobs;
import io.postrider.admin.Queues;
import io.postrider.internal.db.Sql;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A role that may create objects in a schema on the search path cannot make us run them. Here the role of the nodes searches
 * public before pg_catalog, and public has a function of the same name and arguments for everything in pg_catalog.
 */
@PostgresTest
@Tag("security")
class SearchPathTest {
    private static final String PINNED = "search_path=pg_catalog, pg_temp";

    /** Their bodies are parsed at creation, and the planner can inline them only without settings. */
    private static final Set<String> PARSED_WHEN_MADE = Set.of("fresh", "lanes", "new_job_id", "queue_names");

    @Test
    void every_function_pins_its_path_and_turns_jit_off(TestDatabase database) {
        Postrider.on(database.dataSource()).migrate();
        try (Psql psql = new Psql(database)) {
            String ours = "from pg_proc p where p.pronamespace = 'postrider'::regnamespace and ";
            assertThat(psql.texts("select p.proname " + ours + "p.prosqlbody is not null and p.proconfig is null"))
                    .containsExactlyInAnyOrderElementsOf(PARSED_WHEN_MADE);
            assertThat(psql.texts("select p.proname " + ours + "(p.proconfig is not null or p.prosqlbody is null)"
                            + " and not coalesce(p.proconfig @> array['" + PINNED + "', 'jit=off'], false)"))
                    .isEmpty();
            assertThat(psql.texts("select p.proname " + ours + "p.prosecdef"))
                    .containsExactlyInAnyOrder("adopt_bridge", "enqueue", "lease_until", "unpositioned");
            assertThat(psql.texts("select p.proname " + ours
                            + "p.prosecdef and has_function_privilege('public', p.oid, 'execute')"))
                    .as("functions that any role may call with the owner's rights: both only read, and show no event")
                    .containsExactlyInAnyOrder("lease_until", "unpositioned");
        }
    }

    /** A statement that runs under any path has no operator, and qualifies each function and type with its schema. */
    @Test
    void a_statement_for_any_search_path_qualifies_every_name() throws IOException {
        Map<String, String> statements = statementsForAnyPath();
        assertThat(statements)
                .hasSizeGreaterThan(30)
                .allSatisfy((name, text) -> assertThat(
                                text.replaceFirst("/\\*.*?\\*/", "").replace("=>", ""))
                        .as(name)
                        .doesNotContainPattern("(?<![\\w.])(?!unnest|event|values|as e|e )\\w+\\(")
                        .doesNotContainPattern("[-+*/<>=~|%](?!\\s*from)")
                        .doesNotContainPattern("::(?!pg_catalog\\.)")
                        .doesNotContainPattern("(?i)\\b(in|between|like|case(?! when)|distinct)\\b"));
    }

    /** By name: files that say so, and calls beside their use. */
    private static Map<String, String> statementsForAnyPath() throws IOException {
        Map<String, String> statements = new TreeMap<>();
        Path root = Path.of("src/main/resources/postrider/sql");
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".sql")).toList()) {
                Sql sql = Sql.file(root.relativize(file).toString().replace(".sql", ""));
                if (sql.isForAnyPath()) {
                    statements.put(sql.name(), sql.text());
                }
            }
        }
        Pattern call = Pattern.compile("Sql\\.call\\(\\s*\"([^\"]+)\",([^;]*)\\);");
        Pattern literal = Pattern.compile("\"([^\"]*)\"");
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                Matcher calls = call.matcher(Files.readString(file));
                while (calls.find()) {
                    String text = literal.matcher(calls.group(2))
                            .results()
                            .map(part -> part.group(1))
                            .collect(Collectors.joining());
                    statements.put(calls.group(1), text);
                }
            }
        }
        return statements;
    }

    @Test
    void with_a_hostile_search_path_everything_works_and_no_foreign_function_is_called(TestDatabase database)
            throws Exception {
        String role = "node_of_" + database.name();
        try (Psql admin = new Psql(database)) {
            admin.execute(shadows())
                    .execute("create role " + role + " superuser login password 'x'")
                    .execute("alter role " + role + " set search_path = public, pg_catalog")
                    .execute("create table public.done (what text)");
            assertThat(admin.number("select count(*) from pg_operator where oprnamespace = 'public'::regnamespace"))
                    .as("operators that are shadowed")
                    .isGreaterThan(2_000);
            assertThat(admin.number("select count(*) from pg_proc where pronamespace = 'public'::regnamespace"))
                    .as("functions that are shadowed")
                    .isGreaterThan(4_000);
            String url = database.jdbcUrl().replaceAll("\\?.*", "?user=" + role + "&password=x");
            assertThat(isShadowed(url))
                    .as("an operator of an unpinned statement is theirs")
                    .isTrue();
            admin.execute("alter sequence public.shadow_calls restart");
            try (Node node =
                    new Node(url, options -> options.withKeep(Duration.ZERO).withSegmentSize(1_000))) {
                listeners(node, admin);
                jobs(node, admin);
                operators(node);
                adoption(node, admin);
            }
            assertThat(admin.text("select is_called::text from public.shadow_calls"))
                    .as("whether anything of theirs was called; what, is in the errors above")
                    .isEqualTo("false");
            admin.execute("drop owned by " + role + " cascade").execute("drop role " + role);
        }
    }

    private static void listeners(Node node, Psql admin) {
        Set<Object> failed = ConcurrentHashMap.newKeySet();
        node.with(
                Listener.transactional("once", "orders", (connection, event) -> {
                            insert(connection, event.type());
                            failAtFirst(failed, "once" + event.position());
                        })
                        .withPolicy(FailurePolicy.PARK)
                        .withBackoff(Duration.ofMillis(10), Duration.ofMillis(10)),
                Listener.relay("parked", "orders", event -> failAtFirst(failed, "parked" + event.position()))
                        .withPolicy(FailurePolicy.PARK)
                        .withBackoff(Duration.ofMillis(10), Duration.ofMillis(10)),
                Listener.relay("dead", "orders", event -> failAtFirst(failed, "dead" + event.position()))
                        .withPolicy(FailurePolicy.SKIP)
                        .withAttempts(1),
                node.postrider.eventLog().listener("orders"));
        node.emit(
                Event.of("orders", "a", "{}").withKey("k").withProject("p"),
                Event.of("orders", "b", "{}").withKey("k").withUser("u"));
        node.inTransaction(connection -> node.postrider.emit(connection, Event.of("orders", "c", "{}")));
        for (String listener : List.of("once", "parked", "dead", "event_log:orders")) {
            node.awaitCursor(listener, 3);
        }
        for (String parked : List.of("once", "parked")) {
            Await.until("parked events are retried", () -> node.status(parked).setbacks() == 0);
        }
        assertThat(admin.texts("select what from public.done order by what")).containsExactly("a", "b", "c");
        List<Long> letters = Await.value("dead letters", Duration.ofSeconds(60), () -> {
                    List<DeadLetter> found = node.deadLetters("dead");
                    return found.size() < 3 ? java.util.Optional.empty() : java.util.Optional.of(found);
                })
                .stream()
                .map(DeadLetter::id)
                .toList();
        assertThat(node.postrider.deadLetters().replay(letters.subList(0, 2))).isEqualTo(2);
        assertThat(node.postrider.deadLetters().discard(letters.subList(2, 3))).isEqualTo(1);
        node.postrider.pause("once");
        node.postrider.resume("once");
        node.postrider.reset("once", StartPoint.beginning());
        node.awaitCursor("once", 3);
        Await.until("done a second time", () -> admin.number("select count(*) from public.done") == 6);
    }

    private static void jobs(Node node, Psql admin) throws InterruptedException {
        Set<Object> failed = ConcurrentHashMap.newKeySet();
        RetryPolicy soon = RetryPolicy.exponential(3, Duration.ofMillis(10), Duration.ofMillis(10));
        node.postrider.add(Worker.on("q")
                .handling("plain", job -> {
                    node.postrider.report(job, 50, "half");
                    failAtFirst(failed, job.id());
                    return Fate.done("1");
                })
                .withRetry("plain", soon)
                .handlingInTransaction("effect", (connection, job) -> {
                    insert(connection, "job");
                    failAtFirst(failed, job.id());
                    return Fate.done();
                })
                .withRetry("effect", soon)
                .handling("dies", job -> Fate.dead("no")));
        node.postrider.queues().limit("q", Queues.Limits.none().withPerKey(1).withRunning(4));
        UUID plain =
                JobDesk.enqueue(node, Job.of("q", "plain", "{}").withKey("k").withUnique("u"));
        UUID effect = JobDesk.enqueue(node, Job.of("q", "effect", "{}").withUnique("v", Duration.ofMinutes(1)));
        UUID later = JobDesk.enqueue(
                node, Job.of("q", "plain", "{}").withRunAt(Instant.now().plusMillis(50)));
        UUID dead = JobDesk.enqueue(node, Job.of("q", "dies", "{}").withProject("p"));
        UUID far = JobDesk.enqueue(
                node, Job.of("q", "plain", "{}").withRunAt(Instant.now().plusSeconds(9_999)));
        node.inTransaction(connection -> node.postrider.enqueueAll(
                connection,
                List.of(
                        Job.of("q", "plain", "{}").withUnique("x"),
                        Job.of("q", "plain", "{}").withUnique("y"),
                        Job.of("q", "plain", "{}"))));
        for (UUID done : List.of(plain, effect, later)) {
            JobDesk.awaitState(node, done, Jobs.State.DONE);
        }
        JobDesk.awaitState(node, dead, Jobs.State.FAILED);
        assertThat(admin.number("select count(*) from public.done where what = 'job'"))
                .isEqualTo(1);
        node.postrider.jobs().cancel(far, "not needed");
        JobDesk.awaitState(node, far, Jobs.State.CANCELLED);
        assertThat(node.postrider.jobs().retry(dead)).isTrue();
        assertThat(node.postrider.jobs().list("q", null, 100)).hasSize(8);
        node.postrider.schedules().set(Schedule.of("s", "* * * * *", "q", "plain"));
        assertThat(node.postrider.schedules().list()).hasSize(1);
        admin.execute("update postrider.schedule set next_at = now() - interval '1 minute'");
        Await.until(
                "the schedule ticks",
                Duration.ofSeconds(60),
                () -> node.postrider.jobs().list("q", null, 100).size() == 9);
        node.postrider.schedules().remove("s");
        assertThat(node.postrider.queues().drain("q", Duration.ofSeconds(60))).isTrue();
        node.postrider.queues().resume("q");
    }

    private static void operators(Node node) {
        Instant now = Instant.now();
        var eventLog = node.postrider.eventLog();
        assertThat(eventLog.read(Reach.all(), EventFilter.topic("orders"), 0, 10))
                .hasSize(3);
        assertThat(eventLog.read(
                        Reach.project("p"), EventFilter.topic("orders"), EventLogCursor.before(now.plusSeconds(9)), 10))
                .hasSize(1);
        assertThat(eventLog.analytics()
                        .totals(Reach.all(), CountQuery.between(now.minusSeconds(600), now.plusSeconds(9))))
                .isNotEmpty();
        eventLog.rebuild("orders");
        Await.until("recorded again", Duration.ofSeconds(60), () -> eventLog.reached("orders") == 3);
        assertThat(eventLog.oldest("orders")).isEqualTo(1);
        node.postrider.revocations().revoke("token", now.plusSeconds(60), "lost");
        assertThat(node.postrider.revocations().isRevoked("token")).isTrue();
        assertThat(node.postrider.queues().list()).hasSize(1);
        assertThat(node.postrider.listeners().list()).hasSize(4);
        assertThat(node.postrider.relays().list()).isEmpty();
        assertThat(node.postrider
                        .deadLetters()
                        .find(Reach.all(), DeadLetters.Filter.all(), 0, 10)
                        .letters())
                .isNotNull();
        assertThat(node.postrider.verifier().verify(progress -> {})).allMatch(proof -> proof.holds());
        node.postrider
                .doctor()
                .examine(
                        (check, finding) -> assertThat(finding.text()).as(check).doesNotContain("the check failed"));
    }

    private static void adoption(Node node, Psql admin) {
        admin.execute(
                "create table public.outbox (id bigserial primary key, event_type text, payload text, status text,"
                        + " created_at timestamp default now(), published_at timestamp, retry_count int, last_error text)");
        node.execute("insert into public.outbox (event_type, payload) values ('old', '{}')");
        var adoptions = node.postrider.adoptions();
        var adoption = io.postrider.admin.Adoption.of("outbox").withTopic("adopted");
        adoptions.plan(adoption);
        adoptions.bridge(adoption);
        node.execute("insert into public.outbox (event_type, payload) values ('held', '{}')");
        adoptions.importRows("outbox", io.postrider.admin.Adoptions.Rows.ALL, false, progress -> {});
        node.execute("insert into public.outbox (event_type, payload) values ('new', '{}')");
        node.add(Listener.relay("adopter", "adopted", event -> {}));
        node.awaitCursor("adopter", 3);
        adoptions.mirror("outbox", null);
        Await.until(
                "mirrored",
                () -> admin.number("select count(*) from public.outbox where published_at is not null") == 3);
        assertThat(adoptions.status("outbox").agrees()).isTrue();
        assertThat(adoptions.afterFinished("outbox").position()).isEqualTo(4);
        adoptions.finish("outbox", false);
        adoptions.undo(io.postrider.admin.Adoptions.Step.FINISH, "outbox");
        adoptions.undo(io.postrider.admin.Adoptions.Step.BRIDGE, "outbox");
    }

    private static boolean isShadowed(String url) throws SQLException {
        try (Connection connection = java.sql.DriverManager.getConnection(url);
                var statement = connection.createStatement()) {
            statement.executeQuery("select 7::int8 % 2::int4");
            return false;
        } catch (SQLException e) {
            return Objects.requireNonNull(e.getMessage()).contains("shadowed");
        }
    }

    private static void insert(Connection connection, String what) throws SQLException {
        try (var statement = connection.prepareStatement("insert into public.done values (?)")) {
            statement.setString(1, what);
            statement.executeUpdate();
        }
    }

    private static void failAtFirst(Set<Object> failed, Object what) {
        if (failed.add(what)) {
            throw new IllegalStateException("fails at first");
        }
    }

    private static String shadows() throws IOException {
        try (var in = Objects.requireNonNull(SearchPathTest.class.getResourceAsStream("/shadows.sql"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
