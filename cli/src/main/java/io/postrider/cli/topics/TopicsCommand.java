package io.postrider.cli.topics;

import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The parent of the topic commands. */
@Command(
        name = "topics",
        header = "Set which fields the events of a topic must have.",
        footer = {"  postrider topics requirements", "  postrider topics require chat --project-id --user-id"})
public final class TopicsCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    public TopicsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.err());
        return ExitCode.USAGE;
    }
}
