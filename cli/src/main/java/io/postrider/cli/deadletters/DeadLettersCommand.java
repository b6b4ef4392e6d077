package io.postrider.cli.deadletters;

import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The parent of the dead-letter commands. */
@Command(
        name = "dead-letters",
        header = "List, show, replay and discard dead letters.",
        footer = {
            "  postrider dead-letters list --listener mail",
            "  postrider dead-letters show 17",
            "  postrider dead-letters replay 17",
            "  postrider dead-letters replay --listener mail --error 'connection refused' --dry-run",
            "  postrider dead-letters discard 17 --yes"
        })
public final class DeadLettersCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    public DeadLettersCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.err());
        return ExitCode.USAGE;
    }
}
