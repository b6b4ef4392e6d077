package io.postrider.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What is sent outside the database, and steering it. */
@Command(
        name = "relays",
        header = "Relays to sinks outside the database: list, test, pause, resume, reset.",
        footer = {
            "  postrider relays list",
            "  postrider relays test to-kafka",
            "  postrider relays pause to-kafka",
            "  postrider relays reset to-kafka --to 1042 --dry-run"
        })
final class RelaysCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    RelaysCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.err());
        return Exit.USAGE;
    }
}
