package io.postrider.cli.jobs;

import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The parent of the job commands. */
@Command(
        name = "jobs",
        header = "List, show, enqueue, retry and cancel jobs.",
        footer = {
            "  postrider jobs list mail --state failed",
            "  postrider jobs show 6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e",
            "  postrider jobs enqueue mail welcome '{\"to\":\"anne\"}' --in 10m",
            "  postrider jobs retry 6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e",
            "  postrider jobs cancel 6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e"
        })
public final class JobsCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    public JobsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.err());
        return ExitCode.USAGE;
    }
}
