package io.postrider.cli.schedules;

import io.postrider.admin.Schedules;
import io.postrider.cli.terminal.Terminal;
import picocli.CommandLine.Command;

/** Resumes a paused schedule. */
@Command(
        name = "resume",
        header = "Resume a paused schedule.",
        footer = {"  postrider schedules resume nightly"})
public final class SchedulesResumeCommand extends SchedulesActionCommand {
    public SchedulesResumeCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    void steer(Schedules schedules, String schedule) {
        schedules.pause(schedule, false);
    }

    @Override
    String done() {
        return "resumed";
    }
}
