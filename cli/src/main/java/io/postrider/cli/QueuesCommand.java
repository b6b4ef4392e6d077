package io.postrider.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What waits and runs in queues, and steering them. */
@Command(
        name = "queues",
        header = "Queues: list, pause, resume, limit.",
        footer = {
            "  postrider queues list",
            "  postrider queues pause mail",
            "  postrider queues limit mail --running 5 --per-key 1"
        })
final class QueuesCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    QueuesCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.err());
        return Exit.USAGE;
    }
}
