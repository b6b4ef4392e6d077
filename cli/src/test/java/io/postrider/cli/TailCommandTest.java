package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.cli.terminal.Terminal;
import io.postrider.testkit.Await;
import io.postrider.testkit.TcpProxy;
import io.postrider.testkit.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Migrated
@Tag("slow")
@Tag("security")
class TailCommandTest {
    private TestDatabase database;
    private Shell shell;

    @BeforeEach
    void open(TestDatabase given) {
        database = given;
        shell = new Shell(database);
    }

    private void emit(int from, int to) {
        String lines = IntStream.rangeClosed(from, to)
                .mapToObj(i -> "{\"payload\":{\"n\":" + i + "}}")
                .collect(Collectors.joining("\n"));
        shell.withInput(lines).ok("emit", "orders", "order.placed", "--from-file", "-");
        shell.withInput("");
    }

    @Test
    void tail_prints_every_field_and_sequences_if_no_node_runs() {
        shell.ok(("emit orders order.placed [1] --key k --project p --user u --aggregate-type order --aggregate-id 7"
                        + " --header a=b --id 00000000-0000-0000-0000-000000000007")
                .split(" "));
        assertThat(shell.ok("tail", "orders", "--from", "beginning", "--json").line())
                .matches("\\{\"topic\":\"orders\",\"position\":1,\"event_id\":\"00000000-0000-0000-0000-000000000007\","
                        + "\"type\":\"order.placed\",\"key\":\"k\",\"project_id\":\"p\",\"user_id\":\"u\","
                        + "\"aggregate_type\":\"order\",\"aggregate_id\":\"7\","
                        + "\"created_at\":\"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{6}Z\","
                        + "\"headers\":\\{\"a\": \"b\"},\"payload\":\\[1]}");
    }

    @Test
    void fields_that_are_not_set_are_null() {
        shell.ok("emit", "orders", "order.placed");
        assertThat(shell.ok("tail", "orders", "--json").line())
                .contains("\"key\":null,\"project_id\":null,\"user_id\":null,\"aggregate_type\":null");
    }

    @Test
    void tail_starts_at_the_given_position() {
        emit(1, 30);
        assertThat(shell.ok("tail", "orders").lines())
                .hasSize(10)
                .first()
                .asString()
                .contains("#21 ");
        assertThat(shell.ok("tail", "orders", "--from", "-3").lines()).hasSize(3);
        assertThat(shell.ok("tail", "orders", "--from", "beginning").lines()).hasSize(30);
        assertThat(shell.ok("tail", "orders", "--from", "28").lines())
                .hasSize(3)
                .first()
                .asString()
                .contains("#28 order.placed {\"n\": 28}");
        assertThat(shell.ok("tail", "orders", "--from", "end").lines()).isEmpty();
        assertThat(shell.ok("tail", "orders", "--from", "31").lines()).isEmpty();
        assertThat(shell.ok("tail", "orders", "--from", "5", "--limit", "2").lines())
                .hasSize(2);
    }

    @Test
    void a_long_log_is_printed_whole_and_in_order() {
        emit(1, 2_345);
        String expected = IntStream.rangeClosed(1, 2_345)
                .mapToObj(i -> "\"payload\":{\"n\": " + i + "}}")
                .collect(Collectors.joining());
        String printed = shell.ok("tail", "orders", "--from", "beginning", "--json").lines().stream()
                .map(line -> line.substring(line.indexOf("\"payload\"")))
                .collect(Collectors.joining());
        assertThat(printed).isEqualTo(expected);
    }

    @Test
    void it_follows_and_sequences_without_a_node() {
        emit(1, 2);
        Shell.Running tail = shell.start("tail", "orders", "--from", "beginning", "--follow", "--json", "--limit", "5");
        Await.until(
                "the first two are printed",
                Duration.ofSeconds(60),
                () -> tail.out().lines().count() == 2);
        emit(3, 4);
        Await.until(
                "the next two are printed",
                Duration.ofSeconds(60),
                () -> tail.out().lines().count() == 4);
        emit(5, 9);
        Ran ran = tail.await();
        assertThat(ran.code()).isZero();
        assertThat(ran.lines()).hasSize(5).last().asString().contains("\"n\": 5");
    }

    @Test
    void tail_follows_a_topic_that_does_not_exist_yet() {
        Shell.Running tail = shell.start("tail", "later", "--follow", "--limit", "1");
        Await.until(
                "it sequences",
                Duration.ofSeconds(60),
                () -> Shell.ask(
                                        database,
                                        "select count(*) from pg_locks where locktype = 'advisory'"
                                                + " and classid = 'postrider.event'::regclass::oid")
                                .compareTo("0")
                        > 0);
        shell.ok("emit", "later", "order.placed");
        assertThat(tail.await().lines()).hasSize(1);
    }

    @Test
    void tail_resumes_at_its_position_after_a_database_outage() throws Exception {
        emit(1, 3);
        try (TcpProxy proxy = TcpProxy.to(database.server().port())) {
            Shell away = new Shell().with("POSTRIDER_DATABASE_URL", database.jdbcUrl(proxy.port()));
            Shell.Running tail = away.start("tail", "orders", "--from", "beginning", "--follow", "--limit", "6");
            Await.until(
                    "three are printed",
                    Duration.ofSeconds(60),
                    () -> tail.out().lines().count() == 3);
            proxy.refuse();
            proxy.cutAll();
            emit(4, 6);
            Await.until(
                    "it has noticed", Duration.ofSeconds(30), () -> tail.err().contains("cannot be reached"));
            proxy.accept();
            Ran ran = tail.await();
            assertThat(ran.code()).isZero();
            assertThat(ran.lines()).hasSize(6).last().asString().contains("#6 ");
        }
    }

    @Test
    void a_missing_topic_exits_with_not_found() {
        emit(1, 1);
        Ran ran = shell.run("tail", "ordres");
        assertThat(ran.code()).isEqualTo(3);
        assertThat(ran.complaint()).isEqualTo("postrider: no topic ordres; did you mean 'orders'?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "now", "1.5", "", "-", "99999999999999999999"})
    void a_bad_start_is_refused_by_name(String from) {
        Ran ran = shell.run("tail", "orders", "--from", from);
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).contains("--from");
    }

    @Test
    void a_bad_topic_or_limit_is_refused_by_name() {
        assertThat(shell.run("tail", "a b").complaint()).contains("topic must match");
        assertThat(shell.run("tail", "a b").code()).isEqualTo(2);
        assertThat(shell.run("tail", "orders", "--limit", "0").code()).isEqualTo(2);
    }

    @Test
    void a_position_that_retention_deleted_is_not_found() {
        emit(1, 5);
        shell.ok("tail", "orders");
        Shell.execute(database, "delete from postrider.log where position <= 3");
        Ran ran = shell.run("tail", "orders", "--from", "2");
        assertThat(ran.code()).isEqualTo(3);
        assertThat(ran.complaint())
                .contains("position 2")
                .contains("the oldest is 4")
                .contains("--from beginning");
        assertThat(shell.ok("tail", "orders", "--from", "beginning").lines()).hasSize(2);
    }

    @Test
    void a_gap_is_reported_and_never_skipped() {
        emit(1, 5);
        shell.ok("tail", "orders");
        Shell.execute(database, "delete from postrider.log where position = 3");
        Ran ran = shell.run("tail", "orders", "--from", "beginning");
        assertThat(ran.code()).isEqualTo(4);
        assertThat(ran.complaint()).contains("only 4 of the 5");
    }

    @Test
    void a_role_that_may_not_sequence_reads_the_events_with_positions() {
        emit(1, 2);
        shell.ok("tail", "orders");
        emit(3, 3);
        try (Role role = new Role(database)
                .granted("usage on schema postrider")
                .granted("select on all tables in schema postrider")) {
            Ran ran = new Shell().ok("tail", "orders", "--database-url", role.url());
            assertThat(ran.lines()).hasSize(2);
            assertThat(ran.err()).contains("may not assign positions");
        }
    }

    @Test
    void a_role_without_rights_gets_an_error() {
        emit(1, 1);
        try (Role role = new Role(database)) {
            Ran ran = new Shell().run("tail", "orders", "--database-url", role.url());
            assertThat(ran.code()).isEqualTo(1);
            assertThat(ran.complaint()).contains("permission denied");
        }
    }

    @Test
    void tail_ends_when_its_output_is_closed() {
        emit(1, 2_000);
        PrintStream closed = new PrintStream(
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("Broken pipe");
                    }
                },
                false,
                StandardCharsets.UTF_8);
        Terminal terminal = new Terminal(
                new ByteArrayInputStream(new byte[0]),
                closed,
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                Map.of("POSTRIDER_DATABASE_URL", database.jdbcUrl()),
                Terminal.Ttys.NONE);
        assertThat(Main.run(terminal, "tail", "orders", "--from", "beginning", "--follow"))
                .isZero();
    }

    @Test
    void control_characters_in_events_do_not_reach_the_terminal() {
        shell.ok("emit", "orders", "order.placed", "{\"a\":\"\u009b31m\"}", "--key", "\u001b[2Jboo");
        assertThat(shell.ok("tail", "orders").out())
                .doesNotContain("\u001b", "\u009b")
                .contains("key=[2Jboo");
        assertThat(shell.ok("tail", "orders", "--json").out())
                .doesNotContain("\u001b", "\u009b")
                .contains("\"key\":\"\\u001b[2Jboo\"", "\\u009b31m");
    }

    @Test
    void output_on_a_terminal_is_coloured() {
        emit(1, 1);
        shell.withTtys(new Terminal.Ttys(true, true, true));
        assertThat(shell.ok("tail", "orders").out()).contains("\u001b[36m#1\u001b[0m");
    }
}
