package io.postrider.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Forget a schedule; its jobs stay. */
@Command(
        name = "remove",
        header = "Forget a schedule; its jobs stay.",
        footer = {"  postrider schedules remove nightly"})
final class SchedulesRemoveCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "NAME", description = "What it is called.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    SchedulesRemoveCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        database.with(postrider -> {
            postrider.schedules().remove(name);
            return true;
        });
        terminal.say("removed " + name);
        return Exit.OK;
    }
}
