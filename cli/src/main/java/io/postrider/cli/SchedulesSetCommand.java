package io.postrider.cli;

import io.postrider.Schedule;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Make a schedule, or change it. */
@Command(
        name = "set",
        header = "Make a schedule, or change it.",
        footer = {
            "  postrider schedules set nightly '0 3 * * *' reports report.nightly --zone Europe/Berlin",
            "  postrider schedules set ping '*/5 * * * *' health ping '{\"deep\":true}'"
        })
final class SchedulesSetCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "NAME", description = "What it is called.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    @Parameters(index = "1", paramLabel = "CRON", description = "Minute, hour, day of month, month, day of week.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String cron;

    @Parameters(index = "2", paramLabel = "QUEUE", description = "The queue its jobs go to.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String queue;

    @Parameters(index = "3", paramLabel = "TYPE", description = "What is to be done.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String type;

    @Parameters(
            index = "4",
            arity = "0..1",
            paramLabel = "PAYLOAD",
            defaultValue = "{}",
            description = "JSON (default: {}).")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String payload;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            defaultValue = "UTC",
            description = "Whose local time (default: UTC).")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String zone;

    SchedulesSetCommand(Terminal terminal) {
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
        return Exit.OK;
    }
}
