package io.postrider.cli.schedules;

import io.postrider.admin.Schedules;
import io.postrider.cli.terminal.Terminal;
import picocli.CommandLine.Command;

/** Pauses a schedule. */
@Command(
        name = "pause",
        header = "Pause a schedule until it is resumed.",
        footer = {"  postrider schedules pause nightly"})
public final class SchedulesPauseCommand extends SchedulesActionCommand {
    public SchedulesPauseCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    void steer(Schedules schedules, String schedule) {
        schedules.pause(schedule, true);
    }

    @Override
    String done() {
        return "paused";
    }
}
