package io.postrider.cli.schedules;

import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The parent of the schedule commands. */
@Command(
        name = "schedules",
        header = "List, set, remove, pause and resume schedules of recurring jobs.",
        footer = {
            "  postrider schedules list",
            "  postrider schedules set nightly '0 3 * * *' reports report.nightly --zone Europe/Berlin",
            "  postrider schedules pause nightly",
            "  postrider schedules remove nightly"
        })
public final class SchedulesCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    public SchedulesCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.err());
        return ExitCode.USAGE;
    }
}
