package io.postrider.cli;

import io.postrider.work.Schedules;
import picocli.CommandLine.Command;

/** Let a paused schedule tick again. */
@Command(
        name = "resume",
        header = "Let a paused schedule tick again.",
        footer = {"  postrider schedules resume nightly"})
final class SchedulesResumeCommand extends SchedulesSteering {
    SchedulesResumeCommand(Terminal terminal) {
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
