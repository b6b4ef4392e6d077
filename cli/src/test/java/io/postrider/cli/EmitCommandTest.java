package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.cli.terminal.ExitCode;
import io.postrider.testkit.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Migrated
class EmitCommandTest {
    private TestDatabase database;
    private Shell shell;

    @BeforeEach
    void open(TestDatabase given) {
        database = given;
        shell = new Shell(database);
    }

    private String events() {
        return Shell.ask(database, "select count(*) from postrider.event");
    }

    // ── one ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void emit_prints_the_id_of_the_event() {
        String id = shell.ok("emit", "orders", "order.placed", "{\"order\": 1}").line();
        assertThat(Shell.ask(
                        database,
                        "select topic || ' ' || type || ' ' || payload from postrider.event where event_id = '"
                                + UUID.fromString(id) + "'"))
                .isEqualTo("orders order.placed {\"order\": 1}");
    }

    @Test
    void every_field_can_be_given() {
        String id = UUID.randomUUID().toString();
        shell.ok(("emit orders order.placed [] --key k --project p --user u --aggregate-type order --aggregate-id 7"
                        + " --header a=b --header c=d=e --id " + id)
                .split(" "));
        assertThat(Shell.ask(
                        database,
                        "select concat_ws(' ', event_id, key, project_id, user_id, aggregate_type, aggregate_id, headers)"
                                + " from postrider.event"))
                .isEqualTo(id + " k p u order 7 {\"a\": \"b\", \"c\": \"d=e\"}");
    }

    @Test
    void a_payload_comes_from_standard_input_or_is_empty() {
        shell.withInput("{\"from\":\"stdin ü\"}\n").ok("emit", "orders", "order.placed", "-");
        shell.ok("emit", "orders", "order.paid");
        assertThat(Shell.ask(database, "select string_agg(payload::text, ' ' order by id) from postrider.event"))
                .isEqualTo("{\"from\": \"stdin ü\"} {}");
    }

    @Test
    void json_output_describes_the_written_event() {
        assertThat(shell.ok("emit", "orders", "order.placed", "--json").line())
                .matches("\\{\"event_id\":\"[0-9a-f-]{36}\",\"topic\":\"orders\",\"type\":\"order.placed\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{order:1} | not valid JSON",
                "{\"order\": | not valid JSON",
                "{\"a\":\"\\u0000\"} | NUL",
            })
    void a_malformed_payload_is_refused_with_the_reason(String payload, String why) {
        Ran ran = shell.run("emit", "orders", "order.placed", payload);
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).contains("payload").contains(why);
        assertThat(ran.out()).isEmpty();
        assertThat(events()).isEqualTo("0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "-x", "ä", "a\u0000b", "a'b"})
    void a_bad_topic_is_refused_by_name(String topic) {
        Ran ran = shell.run("emit", "--", topic, "order.placed", "{}");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).contains("topic must match");
        assertThat(events()).isEqualTo("0");
    }

    @Test
    void a_bad_type_or_key_or_id_is_refused_by_name() {
        assertThat(shell.run("emit", "orders", "order placed").complaint()).contains("type must match");
        Ran key = shell.run("emit", "orders", "order.placed", "--key", "k".repeat(1_025));
        assertThat(key.code()).isEqualTo(2);
        assertThat(key.complaint()).contains("key must have at most 1024 bytes");
        Ran id = shell.run("emit", "orders", "order.placed", "--id", "seven");
        assertThat(id.code()).isEqualTo(2);
        assertThat(id.complaint()).contains("--id").contains("seven");
        Ran header = shell.run("emit", "orders", "order.placed", "--header", "novalue");
        assertThat(header.code()).isEqualTo(2);
        assertThat(events()).isEqualTo("0");
    }

    @Test
    void a_payload_over_the_cap_is_refused_with_the_cap() {
        shell.ok("emit", "orders", "fits", "\"" + "x".repeat(262_142) + "\"");
        Ran ran = shell.withInput("\"" + "x".repeat(262_143) + "\"").run("emit", "orders", "does.not", "-");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).contains("payload cap of 262144 bytes");
        assertThat(events()).isEqualTo("1");
    }

    @Test
    void a_payload_that_grows_over_the_cap_in_the_database_is_refused_with_the_cap_and_without_the_payload() {
        String ones = "[" + "1,".repeat(100_000) + "1]";
        Ran ran = shell.withInput(ones).run("emit", "orders", "does.not", "-");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint())
                .contains("payload cap of 262144 bytes")
                .contains("--payload-cap")
                .doesNotContain("1, 1");
        Ran line = shell.withInput("{\"payload\":" + ones + "}").run("emit", "orders", "does.not", "--from-file", "-");
        assertThat(line.code()).isEqualTo(2);
        assertThat(line.complaint())
                .contains("line 1")
                .contains("payload cap of 262144 bytes")
                .doesNotContain("1, 1");
        assertThat(events()).isEqualTo("0");
    }

    @Test
    void headers_that_are_too_long_are_refused_by_name() {
        Ran ran = shell.run("emit", "orders", "order.placed", "--header", "h=" + "x".repeat(20_000));
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint())
                .contains("headers must have at most 16384 bytes")
                .doesNotContain("xxx");
    }

    @Test
    void a_topic_without_a_type_is_a_usage_error() {
        Ran ran = shell.run("emit", "orders");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).contains("a topic and a type");
    }

    // ── many ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void lines_of_json_become_events_of_one_transaction_in_their_order(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("events.ndjson");
        Files.writeString(
                file,
                IntStream.rangeClosed(1, 2_500)
                        .mapToObj(i -> "{\"topic\":\"orders\",\"type\":\"order.placed\",\"payload\":{\"n\":" + i + "}}")
                        .collect(Collectors.joining("\n")));
        Ran ran = shell.ok("emit", "--from-file", file.toString());
        assertThat(ran.lines()).hasSize(2_500).allMatch(line -> line.length() == 36);
        assertThat(ran.err()).contains("2500 events in one transaction");
        assertThat(Shell.ask(database, "select count(distinct tx) from postrider.event"))
                .isEqualTo("1");
        assertThat(Shell.ask(
                        database,
                        "select bool_and((payload ->> 'n')::int = r) from (select payload, row_number() over (order by id) r"
                                + " from postrider.event) e"))
                .isEqualTo("t");
        assertThat(Shell.ask(database, "select event_id from postrider.event order by id limit 1"))
                .isEqualTo(ran.lines().get(0));
    }

    @Test
    void lines_are_read_from_standard_input_and_blank_ones_are_skipped() {
        String lines = "{\"topic\":\"a\",\"type\":\"x\",\"key\":\"k\",\"project_id\":\"p\",\"user_id\":null,"
                + "\"headers\":{\"h\":\"1\"},\"event_id\":\"00000000-0000-0000-0000-000000000007\"}\n\n"
                + "{\"topic\":\"b\",\"type\":\"y\"}\n";
        assertThat(shell.withInput(lines).ok("emit", "-").lines())
                .hasSize(2)
                .first()
                .isEqualTo("00000000-0000-0000-0000-000000000007");
        assertThat(Shell.ask(
                        database,
                        "select string_agg(topic || coalesce(key, '') || headers, ' ' order by id)"
                                + " from postrider.event"))
                .isEqualTo("ak{\"h\": \"1\"} b{}");
    }

    @Test
    void the_json_output_of_tail_can_be_emitted_again() {
        shell.ok("emit", "orders", "order.placed", "{\"n\":1e400}", "--key", "k", "--header", "a=b");
        String line = shell.ok("tail", "orders", "--json").line();
        shell.withInput(line).ok("emit", "copies", "--from-file", "-");
        String copy = shell.ok("tail", "copies", "--json").line();
        assertThat(copy.replace("\"topic\":\"copies\"", "\"topic\":\"orders\"")
                        .replaceAll("\"created_at\":\"[^\"]*\"", ""))
                .isEqualTo(line.replaceAll("\"created_at\":\"[^\"]*\"", ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nonsense | line 2: not a JSON object",
                "{\"type\":\"x\"} | line 2: no \"topic\"",
                "{\"topic\":\"a b\",\"type\":\"x\"} | line 2: topic must match",
                "{\"topic\":\"a\",\"type\":\"x\",\"payload\":{\"z\":\"\\u0000\"}} | line 2: payload contains a NUL",
                "{\"topic\":\"a\",\"type\":\"x\",\"kee\":\"k\"} | line 2: unknown field \"kee\"; did you mean 'key'?",
                "{\"topic\":\"a\",\"type\":\"x\",\"key\":7} | line 2: \"key\" must be a string",
                "{\"topic\":\"a\",\"type\":\"x\",\"event_id\":\"7\"} | line 2: \"event_id\" must be a UUID",
                "{\"topic\":\"a\",\"type\":\"x\",\"headers\":[]} | headers",
            })
    void one_invalid_line_prevents_all_writes(String line, String why) {
        String good = "{\"topic\":\"a\",\"type\":\"x\"}";
        Ran ran = shell.withInput(good + "\n" + line + "\n" + good).run("emit", "-");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).contains("standard input").contains(why);
        assertThat(ran.out()).isEmpty();
        assertThat(events()).isEqualTo("0");
    }

    @Test
    void a_missing_file_exits_with_not_found() {
        Ran ran = shell.run("emit", "--from-file", "/nowhere/events.ndjson");
        assertThat(ran.code()).isEqualTo(3);
        assertThat(ran.complaint()).contains("/nowhere/events.ndjson");
    }

    @Test
    void options_for_one_event_are_refused_together_with_lines() {
        assertThat(shell.withInput("").run("emit", "-", "--key", "k").code()).isEqualTo(2);
    }

    // ── rights ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_producer_needs_no_more_than_its_rights() {
        try (Role role = new Role(database).mayEmit()) {
            new Shell().ok("emit", "orders", "order.placed", "{}", "--database-url", role.url());
            assertThat(events()).isEqualTo("1");
        }
    }

    @Test
    void the_error_for_a_missing_right_says_what_to_grant() {
        try (Role role = new Role(database).granted("usage on schema postrider")) {
            Ran ran = new Shell().run("emit", "orders", "order.placed", "{}", "--database-url", role.url());
            assertThat(ran.code()).isEqualTo(ExitCode.FAILURE);
            assertThat(ran.complaint()).contains("permission denied").contains("grant the right");
            assertThat(events()).isEqualTo("0");
        }
    }
}
