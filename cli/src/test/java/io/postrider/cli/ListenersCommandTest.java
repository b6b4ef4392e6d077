package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.cli.terminal.Terminal;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Listeners, pause, resume and reset, with a node that runs them. */
@Migrated
class ListenersCommandTest {
    private final List<LogEvent> mails = new CopyOnWriteArrayList<>();
    private TestDatabase database;
    private Shell shell;
    private Postrider node;

    @BeforeEach
    void start(TestDatabase given) {
        database = given;
        shell = new Shell(database);
        node = Postrider.on(database.dataSource())
                .add(Listener.relay("mail", "orders", mails::add).withStart(StartPoint.beginning()))
                .add(Listener.transactional("ledger", "orders", (connection, event) -> {})
                        .withStart(StartPoint.beginning()))
                .start();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private void emitAndAwait(int mailsThen) {
        shell.ok("emit", "orders", "order.placed");
        Await.until(mailsThen + " mails", Duration.ofSeconds(60), () -> mails.size() == mailsThen);
    }

    private boolean shows(String... parts) {
        return shell.ok("listeners").lines().stream()
                .map(line -> line.replaceAll(" +", " "))
                .anyMatch(line -> List.of(parts).stream().allMatch(line::contains));
    }

    @Test
    void listeners_are_listed_with_their_position(TestDatabase given) {
        emitAndAwait(1);
        Await.until(
                "both are at 1",
                () -> shows("mail orders relay, block 1 0", "run by ")
                        && shows("ledger orders transactional, block 1 0", "run by "));
        assertThat(shell.ok("listeners").lines().get(0)).startsWith("LISTENER");
    }

    @Test
    void json_output_has_every_field() {
        emitAndAwait(1);
        Await.until("mail is at 1", () -> shows("mail orders relay, block 1 0"));
        String mail = shell.ok("listeners", "--json").lines().stream()
                .filter(line -> line.contains("\"name\":\"mail\""))
                .findFirst()
                .orElseThrow();
        assertThat(mail)
                .contains(
                        "\"topic\":\"orders\",\"kind\":\"relay\",\"policy\":\"block\",\"position\":1,\"head\":1,\"lag\":0")
                .contains("\"attempts\":0,\"retry_after\":null,\"last_error\":null,\"setbacks\":0,\"dead_letters\":0")
                .contains("\"paused\":false,\"detached_at\":null,\"owner\":\"");
    }

    @Test
    void a_paused_listener_stops_and_a_resumed_one_continues() {
        emitAndAwait(1);
        assertThat(shell.ok("pause", "mail").err()).contains("paused mail");
        Await.until("it is paused", () -> shows("mail ", " paused"));
        shell.ok("pause", "mail"); // once more is no mistake
        shell.ok("emit", "orders", "order.placed");
        Await.until(
                "ledger is at 2 and mail one behind",
                Duration.ofSeconds(60),
                () -> shows("ledger orders transactional, block 2 0")
                        && shows("mail orders relay, block 1 1", "paused"));
        assertThat(mails).hasSize(1);
        shell.ok("resume", "mail");
        Await.until("two mails", Duration.ofSeconds(60), () -> mails.size() == 2);
    }

    @Test
    void one_unknown_name_prevents_every_pause() {
        Ran ran = shell.run("pause", "ledger", "mial");
        assertThat(ran.code()).isEqualTo(3);
        assertThat(ran.complaint()).isEqualTo("postrider: no listener mial; did you mean 'mail'?");
        assertThat(Shell.ask(database, "select count(*) from postrider.listener where paused"))
                .isEqualTo("0");
        assertThat(shell.run("resume", "nobody").code()).isEqualTo(3);
    }

    @Test
    void a_malformed_name_is_a_usage_error() {
        Ran ran = shell.run("pause", "no such listener");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).contains("listener must match");
    }

    @Test
    void a_listener_is_reset_to_handle_events_again() {
        emitAndAwait(1);
        emitAndAwait(2);
        Await.until("mail is at 2", () -> shows("mail orders relay, block 2 0"));
        Ran dry = shell.ok("reset", "mail", "--to", "1", "--dry-run");
        assertThat(dry.err())
                .contains(
                        "would move the cursor of mail from 2 to 0, to handle 2 positions again; the next position is 1");
        assertThat(mails).hasSize(2);
        assertThat(shell.ok("reset", "mail", "--to", "beginning", "--yes", "--json")
                        .line())
                .isEqualTo("{\"listener\":\"mail\",\"from\":2,\"to\":0,\"dry_run\":false}");
        Await.until("both mails went out again", Duration.ofSeconds(60), () -> mails.size() == 4);
        assertThat(shell.ok("verify").code()).isZero();
    }

    @Test
    void a_reset_is_confirmed() {
        Ran alone = shell.run("reset", "mail", "--to", "end");
        assertThat(alone.code()).isEqualTo(2);
        assertThat(alone.complaint()).contains("--yes");
        shell.withTtys(new Terminal.Ttys(true, false, false));
        assertThat(shell.withInput("n\n").run("reset", "mail", "--to", "end").code())
                .isEqualTo(1);
        assertThat(shell.withInput("y\n").run("reset", "mail", "--to", "end").code())
                .isZero();
    }

    @Test
    void a_bad_reset_is_refused() {
        assertThat(shell.run("reset", "mail", "--to", "noon", "--yes").code()).isEqualTo(2);
        assertThat(shell.run("reset", "mail", "--to", "0", "--yes").code()).isEqualTo(2);
        assertThat(shell.run("reset", "mial", "--to", "end", "--yes").code()).isEqualTo(3);
        assertThat(shell.run("reset", "mail", "--yes").code()).isEqualTo(2);
    }
}
