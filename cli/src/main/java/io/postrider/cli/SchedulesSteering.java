package io.postrider.cli;

import io.postrider.work.Schedules;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** What commands have in common that do something to one schedule. */
abstract class SchedulesSteering implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "NAME", description = "What it is called.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    SchedulesSteering(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    /** Does it. */
    abstract void steer(Schedules schedules, String schedule);

    /** What is said afterwards, before the name. */
    abstract String done();

    @Override
    public Integer call() {
        database.with(postrider -> {
            steer(postrider.schedules(), name);
            return true;
        });
        terminal.say(done() + " " + name);
        return Exit.OK;
    }
}
