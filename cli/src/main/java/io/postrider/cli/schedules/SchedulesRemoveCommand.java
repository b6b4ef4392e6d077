package io.postrider.cli.schedules;

import io.postrider.admin.Schedules;
import io.postrider.cli.terminal.Terminal;
import picocli.CommandLine.Command;

/** Removes a schedule. */
@Command(
        name = "remove",
        header = "Remove a schedule; jobs that it has already enqueued stay.",
        footer = {"  postrider schedules remove nightly"})
public final class SchedulesRemoveCommand extends SchedulesActionCommand {
    public SchedulesRemoveCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    void steer(Schedules schedules, String schedule) {
        schedules.remove(schedule);
    }

    @Override
    String done() {
        return "removed";
    }
}
