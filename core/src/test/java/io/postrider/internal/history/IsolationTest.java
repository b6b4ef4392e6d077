package io.postrider.internal.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.Job;
import io.postrider.LogEvent;
import io.postrider.Migrated;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Psql;
import io.postrider.Reach;
import io.postrider.admin.Analytics.Count;
import io.postrider.admin.Analytics.Total;
import io.postrider.admin.CountQuery;
import io.postrider.admin.DeadLetter;
import io.postrider.admin.DeadLetters;
import io.postrider.admin.EventFilter;
import io.postrider.admin.EventLog;
import io.postrider.admin.EventLog.Span;
import io.postrider.admin.EventLogCursor;
import io.postrider.admin.Jobs;
import io.postrider.admin.Rooms;
import io.postrider.internal.access.Scope;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.SchemaName;
import io.postrider.internal.db.Sql;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Nobody sees what is not in reach (G15): each reach, each kind of row, each way to read, and plain SQL as well. The quick run takes
 * one reach and one row of each kind; the slow tests take every combination.
 */
@Migrated(shared = true)
@Tag("security")
class IsolationTest {
    private static final List<String> IDS = List.of("p1", "p2", "u1", "u2", "", "%", "p1' or '1'='1", "p1,p2", "NULL");
    private static final Instant FROM = Instant.parse("2026-01-01T00:00:00Z");

    private final TestDatabase database;
    private final HikariDataSource pool;
    private final EventLog eventLog;

    IsolationTest(TestDatabase database) {
        this.database = database;
        this.pool = pool(database.jdbcUrl());
        this.eventLog = Postrider.on(pool).eventLog();
    }

    /** One row for each pair of a project and a user, none among them. */
    @BeforeEach
    void fill() {
        try (Psql psql = new Psql(database)) {
            if (psql.number("select count(*) from postrider.event_log") == 0) {
                psql.execute(
                        "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers, created_at,"
                                + " project_id, user_id, aggregate_type, aggregate_id)"
                                + " select 'orders', row_number() over (), gen_random_uuid(), 't',"
                                + " jsonb_build_object('p', p, 'u', u), '{}', timestamptz '2026-01-01 00:00+00'"
                                + " + row_number() over () * interval '1 minute', p, u, 'order', row_number() over ()"
                                + " from unnest(" + array() + " || null::text) p, unnest(" + array()
                                + " || null::text) u");
            }
        }
    }

    private static String array() {
        return "array['"
                + String.join(
                        "', '", IDS.stream().map(id -> id.replace("'", "''")).toList()) + "']";
    }

    @AfterEach
    void close() {
        pool.close();
    }

    static Stream<Reach> reaches() {
        List<Reach> reaches =
                new ArrayList<>(List.of(Reach.all(), Reach.project("nobody's"), Reach.user("nobody", null)));
        for (String id : IDS) {
            if (!id.isEmpty()) {
                reaches.add(Reach.project(id));
                reaches.add(Reach.user(id, null));
                reaches.add(Reach.user(id, "p1"));
                reaches.add(Reach.user("u1", id));
            }
        }
        return reaches.stream().distinct();
    }

    /** One reach of each kind: a known id, an unknown one, and one that SQL could take for something else. */
    static Stream<Reach> kindsOfReach() {
        return Stream.of(
                Reach.all(),
                Reach.project("p1"),
                Reach.project("nobody's"),
                Reach.project("p1' or '1'='1"),
                Reach.user("u1", null),
                Reach.user("u1", "p1"));
    }

    /** One row of each kind: of a project and a user, of one of them only, of neither, and of the user in another project. */
    private static boolean isOneOfItsKind(LogEvent event) {
        return Set.of("p1/u1", "p1/null", "null/u1", "null/null", "p2/u1")
                .contains(event.projectId() + "/" + event.userId());
    }

    /** The rule, written down once more. */
    private static boolean mayBeSeen(Reach reach, String project, String user) {
        if (reach.kind() == Reach.Kind.ALL) {
            return true;
        }
        if (reach.kind() == Reach.Kind.PROJECT) {
            return project != null && project.equals(reach.project());
        }
        return user != null
                && user.equals(reach.user())
                && (project == null || Objects.equals(project, reach.project()));
    }

    @ParameterizedTest
    @MethodSource("kindsOfReach")
    void each_way_to_read_gives_what_is_in_reach_and_nothing_else(Reach reach) {
        assertReads(reach, IsolationTest::isOneOfItsKind, List.of("p1", "u1"));
    }

    @ParameterizedTest
    @MethodSource("reaches")
    @Tag("slow")
    void every_reach_and_every_row_is_separated_in_each_way_to_read(Reach reach) {
        assertReads(reach, event -> true, IDS);
    }

    /**
     * @param tried the rows that are also looked for one by one
     * @param filters the projects and users by which the log is also filtered
     */
    private void assertReads(Reach reach, Predicate<LogEvent> tried, List<String> filters) {
        List<LogEvent> all = eventLog.read(Reach.all(), EventFilter.topic("orders"), 0, 1_000);
        assertThat(all).hasSize((IDS.size() + 1) * (IDS.size() + 1));
        List<LogEvent> expected = all.stream()
                .filter(event -> mayBeSeen(reach, event.projectId(), event.userId()))
                .toList();
        assertThat(all.stream().filter(reach::covers)).as("in Java").isEqualTo(expected);
        EventFilter orders = EventFilter.topic("orders");
        assertThat(eventLog.read(reach, orders, 0, 1_000)).isEqualTo(expected);
        EventLogCursor end = EventLogCursor.before(FROM.plus(Duration.ofDays(1)));
        assertThat(eventLog.read(reach, EventFilter.all(), end, 1_000)).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(eventLog.read(reach, orders.withType("t"), end, 1_000))
                .containsExactlyInAnyOrderElementsOf(expected);
        Rooms everywhere = new Rooms(Set.copyOf(IDS), Set.copyOf(IDS));
        assertThat(eventLog.page(reach, everywhere, new Span("orders", 0, 1_000), 1_000, 8 << 20)
                        .events())
                .isEqualTo(expected.stream()
                        .filter(event -> event.projectId() != null || event.userId() != null)
                        .toList());
        for (LogEvent event : all.stream().filter(tried).toList()) {
            boolean seen = expected.contains(event);
            assertThat(eventLog.find(reach, event.id()).isPresent()).isEqualTo(seen);
            assertThat(eventLog.latest(reach, "orders", "order", event.aggregateId())
                            .isPresent())
                    .isEqualTo(seen);
            assertThat(eventLog.read(reach, orders.withAggregate("order", event.aggregateId()), 0, 10))
                    .hasSize(seen ? 1 : 0);
        }
        for (String id : filters) {
            assertThat(eventLog.read(reach, orders.withProject(id), 0, 1_000))
                    .isEqualTo(expected.stream()
                            .filter(event -> id.equals(event.projectId()))
                            .toList());
            assertThat(eventLog.read(reach, orders.withUser(id), end, 1_000))
                    .containsExactlyInAnyOrderElementsOf(expected.stream()
                            .filter(event -> id.equals(event.userId()))
                            .toList());
        }
        assertCounts(reach, expected);
    }

    private void assertCounts(Reach reach, List<LogEvent> expected) {
        CountQuery day = CountQuery.between(FROM, FROM.plus(Duration.ofDays(1)));
        for (CountQuery.By by : CountQuery.By.values()) {
            assertThat(eventLog.analytics().counts(reach, day.withBy(by)).stream()
                            .mapToLong(Count::events)
                            .sum())
                    .isEqualTo(expected.size());
            assertThat(eventLog.analytics().totals(reach, day.withBy(by)).stream()
                            .mapToLong(Total::events)
                            .sum())
                    .isEqualTo(expected.size());
        }
        assertThat(eventLog.analytics().totals(reach, day.withBy(CountQuery.By.PROJECT)).stream()
                        .map(total -> String.valueOf(total.name())))
                .as("not even a name")
                .containsExactlyInAnyOrderElementsOf(new TreeSet<>(expected.stream()
                        .map(event -> String.valueOf(event.projectId()))
                        .toList()));
    }

    // ── plain SQL ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void plain_sql_of_the_reader_role_sees_only_events_in_reach() {
        try (Psql psql = new Psql(database)) {
            kindsOfReach().forEach(reach -> assertPlainSql(psql, reach));
        }
    }

    @ParameterizedTest
    @MethodSource("reaches")
    @Tag("slow")
    void plain_sql_of_the_reader_sees_what_is_in_every_reach(Reach reach) {
        try (Psql psql = new Psql(database)) {
            assertPlainSql(psql, reach);
        }
    }

    private void assertPlainSql(Psql psql, Reach reach) {
        List<String> all = psql.texts("select coalesce(project_id, 'none') || '/' || coalesce(user_id, 'none')"
                + " from postrider.event_log where " + condition(reach) + " order by 1");
        psql.begin().execute("set local role " + database.reader());
        psql.texts(
                "select set_config('postrider.reach', ?, true) || set_config('postrider.project', ?, true)"
                        + " || set_config('postrider.user', ?, true)",
                reach.kind().name().toLowerCase(java.util.Locale.ROOT),
                reach.project() == null ? "" : reach.project(),
                reach.user() == null ? "" : reach.user());
        assertThat(psql.texts("select coalesce(project_id, 'none') || '/' || coalesce(user_id, 'none')"
                        + " from postrider.event_log order by 1"))
                .as(reach.toString())
                .isEqualTo(all);
        psql.rollback();
    }

    private static String condition(Reach reach) {
        String project =
                reach.project() == null ? "null" : "'" + reach.project().replace("'", "''") + "'";
        String user = reach.user() == null ? "null" : "'" + reach.user().replace("'", "''") + "'";
        return switch (reach.kind()) {
            case ALL -> "true";
            case PROJECT -> "project_id = " + project;
            case USER -> "user_id = " + user + " and coalesce(project_id = " + project + ", project_id is null)";
        };
    }

    @Test
    void without_a_valid_reach_nothing_is_visible() {
        try (Psql psql = new Psql(database)) {
            for (String set : List.of(
                    "select 1",
                    "set local postrider.reach = 'ALL'",
                    "set local postrider.reach = ''",
                    "set local postrider.reach = 'project'",
                    "set local postrider.reach = 'user'",
                    "set local postrider.reach = 'project'; set local postrider.project = ''",
                    "set local postrider.reach = 'user'; set local postrider.project = 'p1'",
                    "set local postrider.reach = 'project'; set local postrider.\"user\" = 'u1'")) {
                psql.begin().execute("set local role " + database.reader()).execute(set);
                assertThat(psql.number("select count(*) from postrider.event_log"))
                        .as(set)
                        .isZero();
                psql.rollback();
            }
        }
    }

    @Test
    void the_reader_role_can_only_read_the_views_that_check_its_reach() {
        try (Psql psql = new Psql(database)) {
            String partition = psql.text("select inhrelid::regclass::text from pg_inherits"
                    + " where inhparent = 'postrider.event_log'::regclass limit 1");
            List<String> tables =
                    psql.texts("select oid::regclass::text from pg_class where relkind in ('r', 'p', 'v', 'S')"
                            + " and relnamespace = 'postrider'::regnamespace and oid <> 'postrider.event_log'::regclass"
                            + " and relname not in ('jobs_in_reach', 'dead_letters_in_reach')");
            assertThat(tables).contains(partition, "postrider.event", "postrider.jobs", "postrider.revoked_token");
            tables.forEach(table -> assertDenied(psql, "select * from " + table));
            for (String write : List.of(
                    "insert into postrider.event_log select * from postrider.event_log limit 1",
                    "update postrider.event_log set payload = '{}'",
                    "delete from postrider.event_log",
                    "update postrider.dead_letters_in_reach set error = 'mine'",
                    "delete from postrider.dead_letters_in_reach",
                    "truncate postrider.event_log",
                    "select postrider.emit('orders', 't', '{}')",
                    "select postrider.make_event_log()",
                    "select postrider.forget_event_log()",
                    "drop table " + partition,
                    "alter table postrider.event_log disable row level security")) {
                assertDenied(psql, write);
            }
        }
    }

    private void assertDenied(Psql psql, String sql) {
        psql.begin().execute("set local role " + database.reader() + "; set local postrider.reach = 'all'");
        assertThatThrownBy(() -> psql.execute(sql))
                .as(sql)
                .isInstanceOfSatisfying(
                        Psql.SqlFailure.class, e -> assertThat(e.state()).isEqualTo("42501"));
        psql.rollback();
    }

    @Test
    void a_read_transaction_cannot_write() {
        try (Psql psql = new Psql(database)) {
            psql.begin();
            assertThat(psql.text("select postrider.enter('all', null, null)::text"))
                    .isEqualTo("true");
            assertThat(psql.text("select current_user")).isEqualTo(database.reader());
            assertThat(psql.text("show transaction_read_only")).isEqualTo("on");
            psql.rollback();
            assertThat(psql.text("select current_user")).isNotEqualTo(database.reader());
            assertThat(psql.text("select current_setting('postrider.reach', true)"))
                    .isIn(null, "");
            assertThatThrownBy(() -> psql.text("select postrider.enter('everything', null, null)::text"))
                    .isInstanceOf(Psql.SqlFailure.class);
        }
    }

    // ── roles ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    @Tag("slow")
    void a_superuser_without_the_reader_role_reads_nothing(TestDatabase here) {
        try (Psql psql = new Psql(here)) {
            String schema = "bare_" + here.name();
            Postrider postrider = Postrider.on(
                            pool, Options.defaults().withSchema(schema).withAutocommit(true))
                    .migrate();
            EventLog bare = postrider.eventLog();
            assertThat(bare.read(Reach.all(), EventFilter.topic("orders"), 0, 10))
                    .isEmpty();
            String reader = psql.text("select quote_ident(" + schema + ".reader_role())");
            psql.execute("drop owned by " + reader).execute("drop role " + reader);
            assertThatThrownBy(() -> bare.read(Reach.all(), EventFilter.topic("orders"), 0, 10))
                    .isInstanceOfSatisfying(
                            PostriderException.class, e -> assertThat(e.kind()).isEqualTo(Kind.FAILED))
                    .hasMessageContainingAll("row-level security", "postrider migrate");
            assertThatThrownBy(() -> bare.analytics().totals(Reach.all(), CountQuery.between(FROM, Instant.now())))
                    .hasMessageContaining("row-level security");
            postrider.migrate();
            assertThat(bare.read(Reach.all(), EventFilter.topic("orders"), 0, 10))
                    .isEmpty();
            psql.execute("drop schema " + schema + " cascade").execute("drop role " + reader);
        }
    }

    /** With and without the right to create the reader's role, the policies hold for the owner; and it records under them. */
    @ParameterizedTest
    @Tag("slow")
    @org.junit.jupiter.params.provider.ValueSource(strings = {"createrole", "nocreaterole"})
    void an_owner_without_superuser_is_subject_to_the_policies(String right) throws Exception {
        String owner = "owner_" + database.name() + "_" + right;
        String schema = "own_" + right;
        try (Psql admin = new Psql(database)) {
            admin.execute("create role " + owner + " login password 'x' " + right)
                    .execute("grant create on database " + database.name() + " to " + owner)
                    .execute("grant pg_read_all_stats to " + owner)
                    .execute("grant execute on function pg_control_system() to " + owner);
            try (HikariDataSource mine =
                            pool(database.jdbcUrl().replaceAll("\\?.*", "?user=" + owner + "&password=x"));
                    Postrider postrider = Postrider.on(
                            mine, Options.defaults().withSchema(schema).withAutocommit(true))) {
                postrider.migrate().migrate();
                EventLog mineLog = postrider.eventLog();
                postrider.add(mineLog.listener("orders")).start();
                try (Connection connection = mine.getConnection()) {
                    postrider.emitAll(
                            connection,
                            List.of(
                                    Event.of("orders", "a", "{}")
                                            .withProject("p1")
                                            .withUser("u1"),
                                    Event.of("orders", "b", "{}").withProject("p2")));
                }
                io.postrider.testkit.Await.until(
                        "they are recorded", Duration.ofSeconds(60), () -> mineLog.reached("orders") == 2);
                assertThat(mineLog.read(Reach.project("p1"), EventFilter.topic("orders"), 0, 10))
                        .hasSize(1);
                assertThat(mineLog.read(Reach.all(), EventFilter.topic("orders"), 0, 10))
                        .hasSize(2);
                assertThat(mineLog.oldest("orders")).isEqualTo(1);
                mineLog.rebuild("orders");
                io.postrider.testkit.Await.until(
                        "they are recorded again", Duration.ofSeconds(60), () -> mineLog.reached("orders") == 2);
                try (Psql psql = new Psql(mine)) {
                    assertThat(psql.number("select count(*) from " + schema + ".event_log"))
                            .isZero();
                    assertThat(psql.number("select count(*) from " + schema + ".event_log_beyond"))
                            .isZero();
                    assertThatThrownBy(() ->
                                    psql.execute("insert into " + schema + ".event_log (topic, position, event_id,"
                                            + " event_type, payload, headers, created_at)"
                                            + " values ('orders', 9, gen_random_uuid(), 't', '{}', '{}', now())"))
                            .hasMessageContaining("row-level security");
                    psql.begin();
                    psql.text("select " + schema + ".enter('all', null, null)::text");
                    assertThat(psql.text("select current_user"))
                            .isEqualTo(right.equals("createrole") ? schema + "_reader_" + database.name() : owner);
                    psql.rollback();
                }
            } finally {
                admin.execute("drop schema if exists " + schema + " cascade")
                        .execute("drop role if exists " + schema + "_reader_" + database.name())
                        .execute("drop owned by " + owner)
                        .execute("drop role " + owner);
            }
        }
    }

    // ── jobs ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_job_is_found_only_within_reach() throws Exception {
        try (Postrider postrider = Postrider.on(pool, Options.defaults().withAutocommit(true));
                Connection connection = pool.getConnection()) {
            UUID job = postrider.enqueue(
                    connection,
                    Job.of("mail", "receipt", "{}").withProject("p1").withUser("u1"));
            postrider.jobs().sequence();
            assertThat(postrider.jobs().find(job).orElseThrow().projectId()).isEqualTo("p1");
            for (Reach reach : reaches().toList()) {
                assertThat(postrider.jobs().find(reach, job).isPresent())
                        .as(reach.toString())
                        .isEqualTo(mayBeSeen(reach, "p1", "u1"));
            }
        }
    }

    /** A job, one that is put aside and a dead letter for each pair of a project and a user, none among them. */
    @Test
    @Tag("slow")
    void jobs_and_dead_letters_are_listed_only_within_reach_also_by_plain_sql() throws Exception {
        try (Postrider postrider = Postrider.on(pool, Options.defaults().withAutocommit(true));
                Connection connection = pool.getConnection();
                Psql psql = new Psql(database)) {
            for (int i = 0; i <= IDS.size(); i++) {
                for (int k = 0; k <= IDS.size(); k++) {
                    postrider.enqueue(
                            connection,
                            Job.of("post", "letter", "{}")
                                    .withProject(i == IDS.size() ? null : IDS.get(i))
                                    .withUser(k == IDS.size() ? null : IDS.get(k)));
                }
            }
            postrider.jobs().sequence();
            psql.execute(
                            "insert into postrider.delayed (topic, position, event_id, created_at, type, project_id, user_id,"
                                    + " payload, headers, why, due_at) select 'queue:post', 500 + e.position, gen_random_uuid(),"
                                    + " e.created_at, 'aside', e.project_id, e.user_id, '{}', '{}', 'due', now() from postrider.jobs e"
                                    + " where e.queue = 'post'")
                    .execute("insert into postrider.dead_letter (listener, position, topic, event_id, created_at, type,"
                            + " project_id, user_id, payload, headers, attempts, error) select 'reads', e.position, 'orders',"
                            + " gen_random_uuid(), e.created_at, 't', e.project_id, e.user_id, '{}', '{}', 1, 'no'"
                            + " from postrider.jobs e where e.queue = 'post' and e.position < 500");
            int pairs = (IDS.size() + 1) * (IDS.size() + 1);
            assertThat(postrider.jobs().list("post", null, 1_000)).hasSize(2 * pairs);
            for (Reach reach : reaches().toList()) {
                assertOnlyInReach(postrider, psql, reach);
            }
            psql.begin().execute("set local role " + database.reader());
            for (String view : List.of("jobs_in_reach", "dead_letters_in_reach")) {
                assertThat(psql.number("select count(*) from postrider." + view))
                        .as("who has said nothing, in " + view)
                        .isZero();
            }
            psql.rollback();
        }
    }

    private void assertOnlyInReach(Postrider postrider, Psql psql, Reach reach) {
        List<Jobs.Status> jobs = postrider.jobs().list("post", null, 1_000).stream()
                .filter(job -> mayBeSeen(reach, job.projectId(), job.userId()))
                .toList();
        List<DeadLetter> letters = postrider.deadLetters().find(DeadLetters.Filter.all(), 0, 1_000).stream()
                .filter(letter -> mayBeSeen(
                        reach, letter.event().projectId(), letter.event().userId()))
                .toList();
        assertThat(postrider
                        .jobs()
                        .list(reach, new Jobs.Wanted("post", null, null, 1_000))
                        .jobs())
                .as(reach.toString())
                .isEqualTo(jobs);
        assertThat(postrider
                        .deadLetters()
                        .find(reach, DeadLetters.Filter.all(), 0, 1_000)
                        .letters())
                .as(reach.toString())
                .isEqualTo(letters);
        psql.begin().execute("set local role " + database.reader());
        psql.texts(
                "select set_config('postrider.reach', ?, true) || set_config('postrider.project', ?, true)"
                        + " || set_config('postrider.user', ?, true)",
                reach.kind().name().toLowerCase(java.util.Locale.ROOT),
                reach.project() == null ? "" : reach.project(),
                reach.user() == null ? "" : reach.user());
        assertThat(psql.number("select count(*) from postrider.jobs_in_reach where queue = 'post'"))
                .isEqualTo(jobs.size());
        assertThat(psql.number("select count(*) from postrider.dead_letters_in_reach"))
                .isEqualTo(letters.size());
        psql.rollback();
    }

    // ── bounds ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    @Tag("slow")
    void a_page_of_jobs_or_dead_letters_is_limited_in_bytes_and_the_next_continues() throws Exception {
        try (Postrider postrider = Postrider.on(pool, Options.defaults().withAutocommit(true));
                Connection connection = pool.getConnection();
                Psql psql = new Psql(database)) {
            String large = "\"" + "x".repeat(200_000) + "\"";
            for (int i = 0; i < 90; i++) {
                postrider.enqueue(connection, Job.of("heavy", "parcel", large).withProject("scale"));
            }
            postrider.jobs().sequence();
            psql.execute(
                    "insert into postrider.dead_letter (listener, position, topic, event_id, created_at, type, project_id,"
                            + " payload, headers, attempts, error) select 'scales', e.position, 'orders', e.id, e.created_at, 't',"
                            + " 'scale', e.payload, '{}', 1, 'no' from postrider.jobs e where e.queue = 'heavy'");
            Reach reach = Reach.project("scale");
            Set<UUID> jobs = new java.util.HashSet<>();
            Jobs.Page page = postrider.jobs().list(reach, new Jobs.Wanted("heavy", null, null, 60));
            assertThat(page.jobs().size()).isLessThan(60);
            while (true) {
                page.jobs().forEach(job -> assertThat(jobs.add(job.id())).isTrue());
                if (page.next() == null) {
                    break;
                }
                page = postrider.jobs().list(reach, new Jobs.Wanted("heavy", null, page.next(), 60));
            }
            assertThat(jobs).hasSize(90);
            DeadLetters.Filter filter = new DeadLetters.Filter(null, "scales", null, null, null, null);
            List<Long> letters = new ArrayList<>();
            DeadLetters.Page some;
            do {
                some = postrider
                        .deadLetters()
                        .find(reach, filter, letters.isEmpty() ? 0 : letters.get(letters.size() - 1), 60);
                assertThat(some.letters().size()).isBetween(1, 43);
                some.letters().forEach(letter -> letters.add(letter.id()));
            } while (some.more());
            assertThat(letters).hasSize(90).doesNotHaveDuplicates();
            psql.execute("delete from postrider.dead_letter where listener = 'scales'");
        }
    }

    @Test
    void statements_are_limited_in_time_and_the_connection_is_returned_unchanged() {
        Database impatient = new Database(pool, SchemaName.of("postrider")).withPatience(Duration.ofMillis(200));
        Sql nap = Sql.text("nap", "select pg_sleep(30)::text as nothing");
        assertThatThrownBy(() -> impatient.autocommit(session -> session.query(nap, Bind::nothing, row -> true)))
                .hasMessageContaining("statement timeout");
        assertThatThrownBy(() ->
                        Scope.read(impatient, Reach.all(), session -> session.query(nap, Bind::nothing, row -> true)))
                .isInstanceOfSatisfying(
                        PostriderException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining("narrow");
        Sql timeout = Sql.text("timeout", "select current_setting('statement_timeout') as it");
        String after = new Database(pool, SchemaName.of("postrider"))
                .autocommit(session -> session.one(timeout, Bind::nothing, row -> row.text("it")))
                .orElseThrow();
        assertThat(after).isEqualTo("0");
    }

    private static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(10);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }
}
