package io.postrider.cli.queues;

import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The parent of the queue commands. */
@Command(
        name = "queues",
        header = "List, pause, resume, drain and limit queues, and set their leases.",
        footer = {
            "  postrider queues list",
            "  postrider queues pause mail",
            "  postrider queues limit mail --running 5 --per-key 1",
            "  postrider queues lease mail 30s"
        })
public final class QueuesCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    public QueuesCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.err());
        return ExitCode.USAGE;
    }
}
