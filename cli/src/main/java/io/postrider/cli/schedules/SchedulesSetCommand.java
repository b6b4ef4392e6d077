package io.postrider.cli.schedules;

import io.postrider.Schedule;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Creates or changes a schedule. */
@Command(
        name = "set",
        header = "Create or change a schedule.",
        footer = {
            "  postrider schedules set nightly '0 3 * * *' reports report.nightly --zone Europe/Berlin",
            "  postrider schedules set ping '*/5 * * * *' health ping '{\"deep\":true}'"
        })
public final class SchedulesSetCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the schedule.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    @Parameters(
            index = "1",
            paramLabel = "CRON",
            description = "Cron expression: minute, hour, day of month, month, day of week.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String cron;

    @Parameters(index = "2", paramLabel = "QUEUE", description = "Queue of its jobs.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String queue;

    @Parameters(index = "3", paramLabel = "TYPE", description = "Type of its jobs.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String type;

    @Parameters(
            index = "4",
            arity = "0..1",
            paramLabel = "PAYLOAD",
            defaultValue = "{}",
            description = "Payload of its jobs as JSON (default: {}).")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String payload;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            defaultValue = "UTC",
            description = "Time zone of the cron expression (default: UTC).")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String zone;

    public SchedulesSetCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Schedule schedule = new Schedule(name, queue, type, payload, cron, zone);
        database.with(postrider -> {
            postrider.schedules().set(schedule);
            return true;
        });
        terminal.say("set " + name);
        return ExitCode.OK;
    }
}
