package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three dead letters of a listener that fails until it is repaired. */
@Migrated
@Tag("slow")
class DeadLettersCommandTest {
    private final List<LogEvent> delivered = new CopyOnWriteArrayList<>();
    private volatile boolean broken = true;
    private TestDatabase database;
    private Shell shell;
    private Postrider node;

    @BeforeEach
    void start(TestDatabase given) {
        database = given;
        shell = new Shell(database);
        node = Postrider.on(database.dataSource())
                .add(Listener.relay("mail", "orders", this::deliver)
                        .withAttempts(1)
                        .withStart(StartPoint.beginning()))
                .start();
        shell.ok("emit", "orders", "order.placed", "{\"n\":1}", "--key", "a");
        shell.ok("emit", "orders", "order.placed", "{\"n\":2}", "--key", "b");
        shell.ok("emit", "orders", "order.paid", "{\"n\":3}", "--key", "a");
        Await.until("three dead letters", Duration.ofSeconds(60), () -> count().equals("3"));
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private void deliver(LogEvent event) {
        if (broken) {
            throw new IllegalStateException(event.type().equals("order.paid") ? "no stamps" : "connection refused");
        }
        delivered.add(event);
    }

    private String count() {
        return Shell.ask(database, "select count(*) from postrider.dead_letter");
    }

    private String firstId() {
        return Shell.ask(database, "select min(id) from postrider.dead_letter");
    }

    // ── list and show ───────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void dead_letters_are_listed_with_their_error() {
        List<String> lines = shell.ok("dead-letters", "list").lines();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(1)).contains("mail", "orders", "order.placed", "connection refused");
        assertThat(shell.ok("dead-letters", "list", "--json").lines())
                .hasSize(3)
                .first()
                .asString()
                .contains(
                        "\"listener\":\"mail\",\"attempts\":1,\"error\":\"java.lang.IllegalStateException: connection refused\"")
                .contains("\"topic\":\"orders\",\"position\":1", "\"payload\":{\"n\": 1}");
    }

    @Test
    void dead_letters_are_filtered_by_listener_topic_type_key_and_error() {
        assertThat(json("--error", "no stamps")).hasSize(1);
        assertThat(json("--type", "order.placed")).hasSize(2);
        assertThat(json("--key", "a")).hasSize(2);
        assertThat(json("--listener", "mail", "--topic", "orders")).hasSize(3);
        assertThat(json("--listener", "nobody")).isEmpty();
        Ran page = shell.ok("dead-letters", "list", "--limit", "2", "--json");
        assertThat(page.lines()).hasSize(2);
        assertThat(page.err()).contains("--after ");
        assertThat(json("--after", firstId())).hasSize(2);
    }

    private List<String> json(String... filter) {
        String[] args = new String[filter.length + 3];
        args[0] = "dead-letters";
        args[1] = "list";
        args[2] = "--json";
        System.arraycopy(filter, 0, args, 3, filter.length);
        return shell.ok(args).lines();
    }

    @Test
    void show_prints_every_field_of_a_dead_letter() {
        assertThat(shell.ok("dead-letters", "show", firstId()).out())
                .contains("listener    mail")
                .contains("connection refused")
                .contains("payload     {\"n\": 1}");
        assertThat(shell.ok("dead-letters", "show", firstId(), "--json").line()).contains("\"payload\":{\"n\": 1}");
    }

    @Test
    void show_of_a_missing_dead_letter_exits_with_not_found() {
        for (String verb : List.of("show 999", "replay 999", "discard 999 --yes")) {
            Ran ran = shell.run(("dead-letters " + verb).split(" "));
            assertThat(ran.code()).as(verb).isEqualTo(3);
            assertThat(ran.complaint()).as(verb).contains("no dead letter 999");
        }
        assertThat(shell.run("dead-letters", "replay", firstId(), "999").code()).isEqualTo(3);
        assertThat(count()).isEqualTo("3");
    }

    @Test
    void bad_filters_are_usage_errors() {
        assertThat(shell.run("dead-letters", "list", "--listener", "a b").code())
                .isEqualTo(2);
        assertThat(shell.run("dead-letters", "list", "--topic", "a b").code()).isEqualTo(2);
        assertThat(shell.run("dead-letters", "list", "--limit", "0").code()).isEqualTo(2);
        assertThat(shell.run("dead-letters", "show", "seven").code()).isEqualTo(2);
    }

    // ── replay ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void one_is_replayed_to_its_listener() {
        broken = false;
        assertThat(shell.ok("dead-letters", "replay", firstId()).err()).contains("replayed 1 of 1 dead letter");
        Await.until("it is delivered", Duration.ofSeconds(60), () -> delivered.size() == 1);
        assertThat(delivered.get(0).position()).isEqualTo(1);
        assertThat(count()).isEqualTo("2");
    }

    @Test
    void replay_by_error_replays_the_matches_and_a_dry_run_lists_them() {
        broken = false;
        Ran dry = shell.ok("dead-letters", "replay", "--error", "connection refused", "--dry-run", "--json");
        assertThat(dry.err()).contains("would replay 2 dead letters").contains("2  mail");
        assertThat(dry.line()).isEqualTo("{\"replayed\":2,\"dry_run\":true}");
        assertThat(count()).isEqualTo("3");
        assertThat(shell.ok("dead-letters", "replay", "--error", "connection refused", "--json")
                        .line())
                .isEqualTo("{\"replayed\":2,\"dry_run\":false}");
        Await.until("both are delivered", Duration.ofSeconds(60), () -> delivered.size() == 2);
        assertThat(count()).isEqualTo("1");
    }

    @Test
    void replay_all_replays_every_dead_letter() {
        broken = false;
        shell.ok("dead-letters", "replay", "--all");
        Await.until("all are delivered", Duration.ofSeconds(60), () -> delivered.size() == 3);
    }

    @Test
    void a_filter_without_matches_changes_nothing() {
        assertThat(shell.ok("dead-letters", "replay", "--error", "never happened")
                        .err())
                .contains("0 dead letters");
    }

    @Test
    void a_listener_that_does_not_exist_is_not_found() {
        Ran ran = shell.run("dead-letters", "replay", "--listener", "mial");
        assertThat(ran.code()).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(ran.complaint()).contains("no listener mial; did you mean 'mail'?");
        assertThat(shell.run("dead-letters", "discard", "--listener", "nobody", "--yes")
                        .code())
                .isEqualTo(ExitCode.NOT_FOUND);
        assertThat(count()).isEqualTo("3");
    }

    @Test
    void the_table_of_a_dry_run_goes_to_standard_output() {
        Ran dry = shell.ok("dead-letters", "replay", "--listener", "mail", "--dry-run");
        assertThat(dry.lines().get(0)).contains("COUNT", "LISTENER", "ERROR");
        assertThat(dry.out()).contains("mail", "connection refused");
        assertThat(dry.err()).contains("would replay").doesNotContain("COUNT");
        assertThat(shell.ok("dead-letters", "discard", "--listener", "mail", "--dry-run")
                        .out())
                .contains("COUNT");
    }

    @Test
    void replay_needs_exactly_one_of_ids_filter_and_all() {
        assertThat(shell.run("dead-letters", "replay").code()).isEqualTo(2);
        assertThat(shell.run("dead-letters", "replay", "--all", "--listener", "mail")
                        .code())
                .isEqualTo(2);
        assertThat(shell.run("dead-letters", "replay", firstId(), "--all").code())
                .isEqualTo(2);
        assertThat(count()).isEqualTo("3");
    }

    // ── discard ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_discard_without_a_terminal_needs_yes() {
        Ran ran = shell.run("dead-letters", "discard", firstId());
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).contains("permanently delete 1 dead letter").contains("--yes");
        assertThat(count()).isEqualTo("3");
        assertThat(shell.ok("dead-letters", "discard", firstId(), "--yes").err())
                .contains("discarded 1 of 1");
        assertThat(count()).isEqualTo("2");
    }

    @Test
    void a_dry_run_of_a_discard_deletes_nothing() {
        assertThat(shell.ok("dead-letters", "discard", "--all", "--dry-run").err())
                .contains("would discard 3 dead letters");
        assertThat(count()).isEqualTo("3");
    }

    @Test
    void a_discard_on_a_terminal_asks_for_confirmation_and_no_cancels_it() {
        shell.withTtys(new Terminal.Ttys(true, false, false));
        Ran no = shell.withInput("\n").run("dead-letters", "discard", "--all");
        assertThat(no.code()).isEqualTo(1);
        assertThat(no.err()).contains("[y/N]").contains("nothing was discarded");
        assertThat(count()).isEqualTo("3");
        shell.withInput("yes\n").ok("dead-letters", "discard", "--all");
        assertThat(count()).isEqualTo("0");
    }
}
