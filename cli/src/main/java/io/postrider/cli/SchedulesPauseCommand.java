package io.postrider.cli;

import io.postrider.work.Schedules;
import picocli.CommandLine.Command;

/** Let a schedule tick no more, until it is resumed. */
@Command(
        name = "pause",
        header = "Let a schedule tick no more, until it is resumed.",
        footer = {"  postrider schedules pause nightly"})
final class SchedulesPauseCommand extends SchedulesSteering {
    SchedulesPauseCommand(Terminal terminal) {
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
