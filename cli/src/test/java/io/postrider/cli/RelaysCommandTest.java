package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.Sink;
import io.postrider.StartPoint;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Relays, with a node that runs one. */
@Migrated
class RelaysCommandTest {
    private final List<Long> arrived = new CopyOnWriteArrayList<>();
    private volatile boolean away;
    private Shell shell;
    private Postrider node;

    private final class Shelf implements Sink {
        @Override
        public String describe() {
            return "a shelf in memory";
        }

        @Override
        public SendResult send(RelayEpoch epoch, List<LogEvent> events) {
            if (away) {
                return SendResult.unavailable(0, new IOException("the shelf\nis away"));
            }
            events.forEach(event -> arrived.add(event.position()));
            return SendResult.whole();
        }

        @Override
        public String test() throws IOException {
            if (away) {
                throw new IOException("the shelf is away");
            }
            return "three boards, none broken";
        }
    }

    @BeforeEach
    void start(TestDatabase database) {
        shell = new Shell(database);
        node = Postrider.on(database.dataSource())
                .add(Listener.relay("to-shelf", "orders", new Shelf()).withStart(StartPoint.beginning()))
                .start();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void relays_are_listed_with_their_sinks_and_states(TestDatabase given) {
        shell.ok("emit", "orders", "order.placed");
        Await.until("it arrived", () -> arrived.size() == 1);
        Await.until("it runs", () -> shell.ok("relays", "list").out().contains("running"));
        assertThat(shell.ok("relays", "list").lines().get(1)).contains("to-shelf", "orders", "a shelf in memory");
        away = true;
        shell.ok("emit", "orders", "order.placed");
        Await.until("it is away", () -> shell.ok("relays", "list").out().contains("unavailable since"));
        assertThat(shell.ok("relays", "list").out())
                .contains("the shelf is away")
                .doesNotContain("shelf\nis");
        assertThat(shell.ok("relays", "list", "--json").out())
                .contains("\"state\":\"unavailable\"", "\"sink\":\"a shelf in memory\"");
        away = false;
        Await.until("it is back", () -> arrived.size() == 2);
    }

    @Test
    void the_sink_of_a_relay_is_tested_by_the_node_that_runs_it(TestDatabase given) {
        assertThat(shell.ok("relays", "test", "to-shelf").out()).isEqualTo("three boards, none broken\n");
        shell.ok("relays", "pause", "to-shelf");
        away = true;
        Ran failed = shell.run("relays", "test", "to-shelf", "--json");
        assertThat(failed.code()).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(failed.out()).contains("\"reached\":false", "the shelf is away");
        assertThat(failed.err()).contains("could not be reached");
    }

    @Test
    void a_relay_is_paused_reset_and_resumed(TestDatabase given) {
        shell.ok("emit", "orders", "order.placed");
        Await.until("it arrived", () -> arrived.size() == 1);
        shell.ok("relays", "pause", "to-shelf");
        assertThat(shell.ok("relays", "list").out()).contains("paused");
        assertThat(shell.ok("relays", "reset", "to-shelf", "--to", "beginning", "--yes")
                        .err())
                .contains("moved the cursor of to-shelf from 1 to 0; the next position is 1");
        shell.ok("relays", "resume", "to-shelf");
        Await.until("it arrived again", () -> arrived.equals(List.of(1L, 1L)));
    }

    @Test
    void nonsense_is_refused_with_the_right_code(TestDatabase given) {
        Ran unknown = shell.run("relays", "test", "to-shelv");
        assertThat(unknown.code()).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(unknown.err()).contains("no relay to-shelv", "to-shelf");
        Ran never = shell.run("relays", "test", "to-shelf", "--wait", "soon");
        assertThat(never.code()).isEqualTo(ExitCode.USAGE);
        assertThat(never.err()).contains("--wait must be a time");
        assertThat(shell.run("relays").code()).isEqualTo(ExitCode.USAGE);
        node.close();
        Ran nobody = shell.run("relays", "test", "to-shelf", "--wait", "200ms");
        assertThat(nobody.code()).isEqualTo(ExitCode.CONFLICT);
        assertThat(nobody.err()).contains("is a node running");
    }
}
