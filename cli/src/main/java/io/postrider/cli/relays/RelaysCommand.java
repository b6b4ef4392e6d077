package io.postrider.cli.relays;

import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The parent of the relay commands. */
@Command(
        name = "relays",
        header =
                "List, test, pause, resume and reset relays to other systems, and switch them to shadow mode and back.",
        footer = {
            "  postrider relays list",
            "  postrider relays test to-kafka",
            "  postrider relays pause to-kafka",
            "  postrider relays reset to-kafka --to 1042 --dry-run",
            "  postrider relays shadow to-kafka",
            "  postrider relays compare to-kafka --table outbox --published processed_at",
            "  postrider relays go-live to-kafka"
        })
public final class RelaysCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    public RelaysCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.err());
        return ExitCode.USAGE;
    }
}
