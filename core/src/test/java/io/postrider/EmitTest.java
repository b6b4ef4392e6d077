package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.postrider.PostriderException.Kind;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestRun;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Migrated(shared = true)
@Tag("hot")
@Tag("security")
class EmitTest {
    private static final int CAP = 262_144;

    private TestDatabase database;
    private Postrider postrider;
    private Psql psql;

    @BeforeEach
    void open(TestDatabase given) {
        database = given;
        postrider = Postrider.on(database.dataSource(), Options.defaults().withAutocommit(true));
        psql = new Psql(database);
    }

    @AfterEach
    void close() {
        psql.close();
        postrider.close();
    }

    // ── what is written ─────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void every_field_of_an_event_is_in_the_row_and_at_the_listener() {
        Event event = Event.of("fields", "order.placed/v2", "{\"n\": 1.50, \"s\": \"ü😀\"}")
                .withKey("k 'quoted' \" \\ ü")
                .withProject("p1")
                .withUser("u1")
                .withAggregate("order", "42")
                .withHeaders(Map.of("trace", "a\"b\\c\u0001\n"));
        List<LogEvent> heard = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database)) {
            node.with(Listener.relay("fields", "fields", heard::add));
            assertThat(postrider.emit(psql.connection(), event)).isEqualTo(event.id());
            Await.until("it arrived", () -> heard.size() == 1);
        }
        LogEvent got = heard.get(0);
        assertThat(got.topic()).isEqualTo("fields");
        assertThat(got.position()).isEqualTo(1);
        assertThat(got.id()).isEqualTo(event.id());
        assertThat(got.type()).isEqualTo("order.placed/v2");
        assertThat(got.payload()).isEqualTo("{\"n\": 1.50, \"s\": \"ü😀\"}");
        assertThat(got.key()).isEqualTo("k 'quoted' \" \\ ü");
        assertThat(got.projectId()).isEqualTo("p1");
        assertThat(got.userId()).isEqualTo("u1");
        assertThat(got.aggregateType()).isEqualTo("order");
        assertThat(got.aggregateId()).isEqualTo("42");
        assertThat(psql.text("select headers->>'trace' from postrider.events where topic = 'fields'"))
                .isEqualTo("a\"b\\c\u0001\n");
        assertThat(got.createdAt().toString())
                .isEqualTo(
                        psql.text("select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
                                        + " from postrider.events where topic = 'fields'")
                                .replaceAll("000Z$", "Z"));
        assertThat(psql.text("select wake from postrider.event where topic = 'fields'"))
                .isIn(null, "");
    }

    @Test
    void a_batch_keeps_its_order_across_slices_with_keys_and_without() {
        List<Event> events = IntStream.range(0, 3_000)
                .mapToObj(i -> {
                    Event event = Event.of("batch", "t" + i, "{\"i\": " + i + "}");
                    return i % 3 == 0 ? event : event.withKey("k" + i % 7).withProject(i % 2 == 0 ? null : "p");
                })
                .toList();
        postrider.emitAll(psql.begin().connection(), events);
        psql.commit().passAll();

        assertThat(psql.log("batch"))
                .containsExactlyElementsOf(events.stream().map(Event::type).toList());
        assertThat(psql.texts("select event_id::text from postrider.events where topic = 'batch' order by position"))
                .containsExactlyElementsOf(
                        events.stream().map(e -> e.id().toString()).toList());
        assertThat(psql.texts("select key from postrider.events where topic = 'batch' order by position"))
                .containsExactlyElementsOf(events.stream().map(Event::key).toList());
        assertThat(psql.texts("select project_id from postrider.events where topic = 'batch' order by position"))
                .containsExactlyElementsOf(events.stream().map(Event::projectId).toList());
        assertThat(psql.texts("select payload->>'i' from postrider.events where topic = 'batch' order by position"))
                .containsExactlyElementsOf(
                        IntStream.range(0, 3_000).mapToObj(Integer::toString).toList());
    }

    @Test
    void an_empty_batch_writes_nothing() {
        postrider.emitAll(psql.connection(), List.of());
        assertThat(psql.text("select pg_current_xact_id_if_assigned()::text")).isNull();
    }

    @Test
    void sql_emits_with_named_arguments() {
        UUID id = UUID.randomUUID();
        String returned =
                psql.text("select postrider.emit(topic => 'named', type => 'a', payload => '{\"x\": 1}', key => 'k',"
                        + " project_id => 'p', user_id => 'u', headers => '{\"h\": \"1\"}', aggregate_type => 'at',"
                        + " aggregate_id => 'ai', event_id => '" + id + "')");
        String fresh = psql.text("select postrider.emit('named', 'b', '[]')");
        psql.passAll();
        assertThat(returned).isEqualTo(id.toString());
        assertThat(psql.row(
                        "select event_id, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, headers"
                                + " from postrider.events where topic = 'named' and position = 1"))
                .isEqualTo(id + "|a|k|p|u|at|ai|{\"x\": 1}|{\"h\": \"1\"}");
        assertThat(psql.row("select event_id, type, key is null, headers"
                        + " from postrider.events where topic = 'named' and position = 2"))
                .isEqualTo(fresh + "|b|true|{}");
    }

    @Test
    void a_plain_insert_is_an_event_like_any_other() {
        psql.execute(
                "insert into postrider.event (topic, type, payload) values ('plain', 'a', '1'), ('plain', 'b', 'null')");
        psql.passAll();
        assertThat(psql.log("plain")).containsExactly("a", "b");
        assertThat(psql.texts("select payload::text from postrider.events where topic = 'plain' order by position"))
                .containsExactly("1", "null");
    }

    @Test
    void copy_is_an_event_like_any_other() throws Exception {
        var copy = psql.connection().unwrap(org.postgresql.PGConnection.class).getCopyAPI();
        copy.copyIn(
                "copy postrider.event (topic, type, payload) from stdin",
                new java.io.StringReader("copied\ta\t{}\ncopied\tb\t{}\n"));
        psql.passAll();
        assertThat(psql.log("copied")).containsExactly("a", "b");
    }

    @Test
    void on_an_autocommit_connection_an_event_is_refused() {
        try (Postrider careful = Postrider.on(database.dataSource())) {
            Event event = Event.of("refused", "a", "{}");
            Job job = Job.of("refused", "a", "{}");
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> careful.emit(psql.connection(), event),
                    () -> careful.emitAll(psql.connection(), List.of(event)),
                    () -> careful.enqueue(psql.connection(), job),
                    () -> careful.enqueueAll(psql.connection(), List.of(job)))) {
                assertRefused(call, "setAutoCommit(false)");
            }
            assertThat(psql.number("select count(*) from postrider.event where topic in ('refused', 'queue:refused')"))
                    .isZero();
            psql.begin();
            careful.emit(psql.connection(), event);
            psql.commit().passAll();
            assertThat(psql.log("refused")).containsExactly("a");
        }
    }

    @Test
    void on_an_autocommit_connection_that_is_allowed_an_event_is_a_transaction_of_its_own() {
        postrider.emit(psql.connection(), Event.of("auto", "a", "{}"));
        psql.passAll();
        assertThat(psql.log("auto")).containsExactly("a");
    }

    @Test
    void a_closed_node_still_emits() {
        postrider.close();
        postrider.emit(psql.connection(), Event.of("closed", "a", "{}"));
        psql.passAll();
        assertThat(psql.log("closed")).containsExactly("a");
    }

    @Test
    void a_closed_connection_is_unreachable() throws SQLException {
        Connection closed = database.dataSource().getConnection();
        closed.close();
        assertThatThrownBy(() -> postrider.emit(closed, Event.of("gone", "a", "{}")))
                .isInstanceOfSatisfying(
                        PostriderException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE));
    }

    // ── G1: if and only if it commits ───────────────────────────────────────────────────────────────────────────────

    @Test
    void an_event_rolled_back_to_a_savepoint_is_not_delivered() throws SQLException {
        Connection connection = psql.begin().connection();
        postrider.emit(connection, Event.of("savepoint", "before", "{}"));
        Savepoint outer = connection.setSavepoint();
        postrider.emit(connection, Event.of("savepoint", "outer", "{}"));
        Savepoint inner = connection.setSavepoint();
        postrider.emit(connection, Event.of("savepoint", "inner", "{}"));
        connection.rollback(inner);
        postrider.emit(connection, Event.of("savepoint", "after-inner", "{}"));
        Savepoint released = connection.setSavepoint();
        postrider.emit(connection, Event.of("savepoint", "released", "{}"));
        connection.releaseSavepoint(released);
        assertThat(outer).isNotNull();
        psql.commit().passAll();
        assertThat(psql.log("savepoint")).containsExactly("before", "outer", "after-inner", "released");
    }

    @Test
    void random_trees_of_savepoints_deliver_exactly_what_a_plain_table_keeps() throws SQLException {
        long seed = TestRun.seed("trees of savepoints");
        Random random = new Random(seed);
        psql.execute("create table kept (n int)");
        Connection connection = psql.connection();
        int[] n = {0};
        for (int i = 0; i < 60; i++) {
            psql.begin();
            grow(connection, random, n, 0);
            if (random.nextInt(4) == 0) {
                psql.rollback();
            } else {
                psql.commit();
            }
        }
        psql.passAll();
        assertThat(psql.log("trees"))
                .as("seed %s", seed)
                .containsExactlyElementsOf(psql.texts("select 't' || n from kept order by n"));
    }

    private void grow(Connection connection, Random random, int[] n, int depth) throws SQLException {
        for (int step = 0; step < 3; step++) {
            if (depth < 4 && random.nextInt(3) == 0) {
                Savepoint savepoint = connection.setSavepoint();
                grow(connection, random, n, depth + 1);
                if (random.nextBoolean()) {
                    connection.rollback(savepoint);
                } else {
                    connection.releaseSavepoint(savepoint);
                }
            } else {
                n[0]++;
                postrider.emit(connection, Event.of("trees", "t" + n[0], "{}"));
                try (PreparedStatement insert = connection.prepareStatement("insert into kept values (?)")) {
                    insert.setInt(1, n[0]);
                    insert.executeUpdate();
                }
            }
        }
    }

    // ── what is refused ─────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_payload_of_exactly_the_cap_is_taken_and_one_byte_more_is_refused() {
        Connection connection = psql.begin().connection();
        postrider.emit(connection, Event.of("cap", "full", text('x', CAP - 2)));
        assertRefused(() -> postrider.emit(connection, Event.of("cap", "over", text('x', CAP - 1))), "262144");
        assertRefused(
                () -> postrider.emitAll(
                        connection,
                        List.of(Event.of("cap", "before", "{}"), Event.of("cap", "over", text('x', CAP - 1)))),
                "262144");
        postrider.emit(connection, Event.of("cap", "alive", "{}"));
        psql.commit().passAll();
        assertThat(psql.log("cap")).containsExactly("full", "alive");
        assertThat(psql.number("select max(octet_length(payload::text)) from postrider.events where topic = 'cap'"))
                .isEqualTo(CAP);
    }

    @Test
    void the_cap_counts_bytes_and_not_characters() {
        Connection connection = psql.begin().connection();
        postrider.emit(connection, Event.of("bytes", "two", text('ü', (CAP - 2) / 2)));
        postrider.emit(connection, Event.of("bytes", "four", "\"" + "😀".repeat((CAP - 2) / 4) + "ab\""));
        assertRefused(() -> postrider.emit(connection, Event.of("bytes", "over", text('ü', CAP / 2))), "262144");
        assertRefused(
                () -> postrider.emit(connection, Event.of("bytes", "over", "\"" + "😀".repeat(CAP / 4) + "\"")),
                "262144");
        assertRefused(() -> postrider.emit(connection, Event.of("bytes", "over", text('€', CAP / 3))), "262144");
        psql.commit().passAll();
        assertThat(psql.log("bytes")).containsExactly("two", "four");
    }

    @Test
    void the_database_itself_has_the_same_cap() {
        psql.execute("select postrider.emit('sqlcap', 'full', to_jsonb(repeat('x', " + (CAP - 2) + ")))");
        assertThat(failure("select postrider.emit('sqlcap', 'over', to_jsonb(repeat('x', " + (CAP - 1) + ")))"))
                .isEqualTo("23514");
        psql.passAll();
        assertThat(psql.log("sqlcap")).containsExactly("full");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\0\"",
                "\"\\u0000\"",
                "\"\\\\\\u0000\"",
                "{\"a\\u0000\": 1}",
                "{\"a\": [\"x\\u0000y\"]}",
                "\"\\\\u0000 and then \\u0000\""
            })
    void a_nul_in_a_payload_is_refused_before_the_transaction_is_aborted(String payload) {
        Connection connection = psql.begin().connection();
        assertRefused(() -> postrider.emit(connection, Event.of("nul", "a", payload)), "NUL");
        assertRefused(
                () -> postrider.emit(connection, Event.of("nul", "a", "{}").withHeaders("{\"a\": " + payload + "}")),
                "NUL");
        assertThat(psql.number("select 1")).isEqualTo(1);
        psql.rollback();
    }

    @Test
    void a_nul_in_any_field_is_refused_before_the_transaction_is_aborted() {
        Connection connection = psql.begin().connection();
        Event event = Event.of("nul", "a", "{}");
        assertRefused(() -> postrider.emit(connection, event.withKey("a\0b")), "key");
        assertRefused(() -> postrider.emit(connection, event.withProject("a\0b")), "project");
        assertRefused(() -> postrider.emit(connection, event.withUser("a\0b")), "user");
        assertRefused(() -> postrider.emit(connection, event.withAggregate("a\0b", "x")), "aggregate");
        assertRefused(() -> postrider.emit(connection, event.withAggregate("x", "a\0b")), "aggregate");
        assertRefused(() -> postrider.emit(connection, event.withHeaders(Map.of("a", "\0"))), "headers");
        assertThat(psql.number("select 1")).isEqualTo(1);
        psql.rollback();
    }

    @Test
    void the_text_backslash_u0000_is_harmless() {
        postrider.emit(psql.connection(), Event.of("harmless", "a", "\"\\\\u0000\""));
        postrider.emit(psql.connection(), Event.of("harmless", "b", "\"\\\\\\\\u0000 \\u0001\""));
        psql.passAll();
        assertThat(psql.texts(
                        "select payload #>> '{}' from postrider.events where topic = 'harmless' order by position"))
                .containsExactly("\\u0000", "\\\\u0000 \u0001");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "{a: 1}",
                "{'a': 1}",
                "nul",
                "[1,]",
                "{} {}",
                "\"\\x\"",
                "NaN",
                "01",
                "\"\\ud800\"",
                "\"\\udc00\\ud800\"",
                "\"a\nb\""
            })
    void malformed_json_is_refused(String payload) {
        assertRefused(() -> Event.of("json", "a", payload), "payload");
        assertRefused(() -> Event.of("json", "a", "{}").withHeaders(payload), "headers");
    }

    @Test
    void null_arguments_are_refused_by_name() {
        assertRefused(() -> Event.of("nulls", "a", null), "payload");
        assertRefused(() -> Event.of(null, "a", "{}"), "topic");
        assertRefused(() -> Event.of("nulls", "a", "{}").withId(null), "id");
        assertRefused(() -> Listener.relay("l", "nulls", (Handler.Relay) null), "handler");
        assertRefused(() -> Postrider.on(null), "data source");
    }

    @Test
    void an_unpaired_surrogate_is_refused_instead_of_replaced() {
        Connection connection = psql.begin().connection();
        assertRefused(() -> postrider.emit(connection, Event.of("half", "a", "\"\ud83d\"")), "payload");
        assertRefused(() -> postrider.emit(connection, Event.of("half", "a", "\"\ude00\ud83d\"")), "payload");
        assertRefused(
                () -> postrider.emit(connection, Event.of("half", "a", "{}").withKey("\ud83d")), "key");
        assertThat(psql.number("select 1")).isEqualTo(1);
        psql.rollback();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "1", "null", "\"a\"", "true"})
    void headers_must_be_an_object(String headers) {
        assertRefused(
                () -> postrider.emit(
                        psql.connection(), Event.of("headers", "a", "{}").withHeaders(headers)),
                "headers");
        assertThat(failure("select postrider.emit('headers', 'a', '{}', headers => '" + headers + "')"))
                .isEqualTo("23514");
    }

    @Test
    void a_key_of_1024_bytes_is_taken_and_one_more_is_refused() {
        postrider.emit(psql.connection(), Event.of("keys", "a", "{}").withKey("ü".repeat(512)));
        assertRefused(
                () -> postrider.emit(
                        psql.connection(), Event.of("keys", "b", "{}").withKey("ü".repeat(512) + "x")),
                "key");
        psql.passAll();
        assertThat(psql.log("keys")).containsExactly("a");
    }

    @Test
    void project_user_and_aggregate_have_at_most_1024_bytes() {
        String longest = "ü".repeat(512);
        Event event = Event.of("references", "a", "{}");
        postrider.emit(
                psql.connection(), event.withProject(longest).withUser(longest).withAggregate(longest, longest));
        String longer = longest + "x";
        assertRefused(() -> event.withProject(longer), "project id");
        assertRefused(() -> event.withUser(longer), "user id");
        assertRefused(() -> event.withAggregate(longer, "1"), "aggregate type");
        assertRefused(() -> event.withAggregate("order", longer), "aggregate id");
        for (String column : List.of("project_id", "user_id", "aggregate_type", "aggregate_id")) {
            assertThat(failure("insert into postrider.event (topic, type, payload, " + column
                            + ") values ('references', 'b', '{}', '" + longer + "')"))
                    .as(column)
                    .isEqualTo("23514");
        }
        psql.passAll();
        assertThat(psql.log("references")).containsExactly("a");
    }

    static Stream<String> nasties() {
        return Stream.of(
                "",
                " ",
                "a b",
                " a",
                "a ",
                "a\n",
                "a\t",
                "-a",
                ".a",
                ":a",
                "_a",
                "ä",
                "aä",
                "ａ",
                "а",
                "😀",
                "a'b",
                "a\"b",
                "a;b",
                "a\\b",
                "a%",
                "a*",
                "a#",
                "a,b",
                "../x",
                "${jndi:x}",
                "a\u202eb",
                "a\u0000b",
                "\u0000",
                "'; drop table postrider.event; --",
                "x".repeat(101));
    }

    @ParameterizedTest
    @MethodSource("nasties")
    void a_bad_topic_is_refused(String topic) {
        assertRefused(() -> Event.of(topic, "a", "{}"), "topic");
        assertRefused(() -> Listener.relay("l", topic, event -> {}), "topic");
        String name = topic.length() == 101 ? "x".repeat(121) : topic;
        assertRefused(() -> Listener.relay(name, "t", event -> {}), "listener");
        if (topic.indexOf('\0') < 0) {
            assertThat(refusedInSql(topic, "a")).isEqualTo("23514");
        }
    }

    @ParameterizedTest
    @MethodSource("nasties")
    void a_bad_type_is_refused(String nasty) {
        String type = nasty.length() == 101 ? "x".repeat(201) : nasty;
        assertRefused(() -> Event.of("t", type, "{}"), "type");
        assertRefused(() -> Listener.relay("l", "t", event -> {}).withTypes(type), "type");
        if (type.indexOf('\0') < 0) {
            assertThat(refusedInSql("t", type)).isEqualTo("23514");
        }
    }

    @Test
    void the_longest_names_and_all_their_signs_are_taken() {
        String topic = "A0._:-" + "z".repeat(94);
        String type = "9._:/-" + "Z".repeat(194);
        postrider.emit(psql.connection(), Event.of(topic, type, "{}"));
        psql.passAll();
        assertThat(psql.log(topic)).containsExactly(type);
    }

    @Test
    void a_refusal_shows_the_value_on_one_short_line() {
        PostriderException refused = catchThrowableOfType(
                PostriderException.class, () -> Event.of("a\nFAKE LOG LINE\r" + "x".repeat(5_000), "a", "{}"));
        assertThat(refused.getMessage()).hasSizeLessThan(400).doesNotContain("\n", "\r");
    }

    // ── another schema ──────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_log_in_another_schema_is_complete_and_separate() {
        List<String> acme = new CopyOnWriteArrayList<>();
        List<String> ours = new CopyOnWriteArrayList<>();
        try (Node other = new Node(database, options -> options.withSchema("acme"));
                Node node = new Node(database)) {
            other.with(
                    Listener.relay("l", "apart", event -> acme.add(event.type())),
                    Listener.transactional("t", "apart", (connection, event) -> {
                                throw new IllegalStateException("no");
                            })
                            .withAttempts(1));
            node.with(Listener.relay("l", "apart", event -> ours.add(event.type())));
            other.emit(Event.of("apart", "java", "{}"));
            psql.text("select acme.emit('apart', 'sql', '{}')::text");
            node.emit(Event.of("apart", "ours", "{}"));
            Await.until("theirs arrived", () -> acme.size() == 2);
            Await.until("ours arrived", () -> ours.size() == 1);
            Await.until(
                    "their dead letters",
                    () -> other.postrider
                                    .deadLetters()
                                    .find(io.postrider.admin.DeadLetters.Filter.all(), 0, 10)
                                    .size()
                            == 2);
            other.postrider.pause("l");
            assertThat(psql.text("select paused::text from acme.listeners where name = 'l'"))
                    .isEqualTo("true");
            assertThat(psql.text("select paused::text from postrider.listeners where name = 'l'"))
                    .isEqualTo("false");
        }
        assertThat(acme).containsExactly("java", "sql");
        assertThat(ours).containsExactly("ours");
        assertThat(psql.texts("select type from acme.events order by position")).containsExactly("java", "sql");
        assertThat(psql.number("select count(*) from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
                        + " where n.nspname = 'acme' and p.prosrc ~ '\\mpostrider\\M'"))
                .as("functions of acme that reach into postrider")
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"user", "table", "select", "order", "authorization"})
    void a_reserved_word_is_refused_as_schema_name(String word) {
        try (Postrider reserved =
                Postrider.on(database.dataSource(), Options.defaults().withSchema(word))) {
            assertRefused(reserved::migrate, word);
            assertRefused(reserved::start, word);
        }
        assertThat(psql.texts("select nspname from pg_namespace where nspname = ?", word))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Acme",
                "1a",
                "_a",
                "a-b",
                "a.b",
                "a b",
                "a\"b",
                "a'b",
                "a\n",
                "pg_acme",
                "ä",
                "a;drop schema public",
                "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop"
            })
    void a_bad_schema_name_is_refused(String name) {
        assertRefused(() -> Options.defaults().withSchema(name), "schema");
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    /** A JSON string: two bytes of quotes around so many characters. */
    private static String text(char c, int count) {
        return "\"" + String.valueOf(c).repeat(count) + "\"";
    }

    private static void assertRefused(ThrowingCallable call, String says) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PostriderException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .message()
                .containsIgnoringCase(says)
                .doesNotContain("\n");
    }

    private String failure(String sql) {
        return catchThrowableOfType(Psql.SqlFailure.class, () -> psql.execute(sql))
                .state();
    }

    private String refusedInSql(String topic, String type) {
        return catchThrowableOfType(
                        Psql.SqlFailure.class,
                        () -> psql.texts(
                                "select postrider.emit(topic => ?, type => ?, payload => '{}')::text", topic, type))
                .state();
    }
}
