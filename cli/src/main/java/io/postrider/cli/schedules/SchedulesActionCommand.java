package io.postrider.cli.schedules;

import io.postrider.admin.Schedules;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Base of the commands that change one schedule. */
abstract class SchedulesActionCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the schedule.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    SchedulesActionCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    /** Changes the schedule. */
    abstract void steer(Schedules schedules, String schedule);

    /** The past participle for the message, such as "paused". */
    abstract String done();

    @Override
    public Integer call() {
        database.with(postrider -> {
            steer(postrider.schedules(), name);
            return true;
        });
        terminal.say(done() + " " + name);
        return ExitCode.OK;
    }
}
