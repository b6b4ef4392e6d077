package io.postrider.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What failed for good, and what to do with it. */
@Command(
        name = "dead-letters",
        header = "What listeners gave up: list, show, replay, discard.",
        footer = {
            "  postrider dead-letters list --listener mail",
            "  postrider dead-letters show 17",
            "  postrider dead-letters replay 17",
            "  postrider dead-letters replay --listener mail --error 'connection refused' --dry-run",
            "  postrider dead-letters discard 17 --yes"
        })
final class DeadLettersCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    DeadLettersCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.err());
        return Exit.USAGE;
    }
}
