package io.postrider.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Let a paused schedule tick again. */
@Command(
        name = "resume",
        header = "Let a paused schedule tick again.",
        footer = {"  postrider schedules resume nightly"})
final class SchedulesResumeCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "NAME", description = "What it is called.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    SchedulesResumeCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        database.with(postrider -> {
            postrider.schedules().pause(name, false);
            return true;
        });
        terminal.say("resumed " + name);
        return Exit.OK;
    }
}
