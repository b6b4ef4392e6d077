package io.postrider.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Jobs that are made by the clock. */
@Command(
        name = "schedules",
        header = "Jobs made by the clock: list, set, remove, pause, resume.",
        footer = {
            "  postrider schedules list",
            "  postrider schedules set nightly '0 3 * * *' reports report.nightly --zone Europe/Berlin",
            "  postrider schedules pause nightly",
            "  postrider schedules remove nightly"
        })
final class SchedulesCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    SchedulesCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.err());
        return Exit.USAGE;
    }
}
