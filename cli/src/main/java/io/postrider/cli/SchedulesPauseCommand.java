package io.postrider.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Let a schedule tick no more, until it is resumed. */
@Command(
        name = "pause",
        header = "Let a schedule tick no more, until it is resumed.",
        footer = {"  postrider schedules pause nightly"})
final class SchedulesPauseCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "NAME", description = "What it is called.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    SchedulesPauseCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        database.with(postrider -> {
            postrider.schedules().pause(name, true);
            return true;
        });
        terminal.say("paused " + name);
        return Exit.OK;
    }
}
