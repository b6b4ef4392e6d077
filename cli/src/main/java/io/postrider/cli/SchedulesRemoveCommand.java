package io.postrider.cli;

import io.postrider.work.Schedules;
import picocli.CommandLine.Command;

/** Forget a schedule; its jobs stay. */
@Command(
        name = "remove",
        header = "Forget a schedule; its jobs stay.",
        footer = {"  postrider schedules remove nightly"})
final class SchedulesRemoveCommand extends SchedulesSteering {
    SchedulesRemoveCommand(Terminal terminal) {
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
