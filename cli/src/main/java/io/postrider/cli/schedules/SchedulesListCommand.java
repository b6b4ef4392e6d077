package io.postrider.cli.schedules;

import io.postrider.admin.Schedules;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.ListOutput;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.AnsiColours;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists schedules. */
@Command(
        name = "list",
        header = "List schedules with their last and next run.",
        footer = {"  postrider schedules list", "  postrider schedules list --json"})
public final class SchedulesListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Mixin
    private final ListOutput output;

    public SchedulesListCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
        this.output = new ListOutput(terminal);
    }

    @Override
    public Integer call() {
        List<Schedules.Status> all =
                database.with(postrider -> postrider.schedules().list());
        output.print(all, "no schedules yet", SchedulesListCommand::json, this::table);
        return ExitCode.OK;
    }

    private List<String> table(List<Schedules.Status> all) {
        AnsiColours colours = terminal.colours();
        Table table = new Table(
                Column.left("SCHEDULE"),
                Column.left("CRON"),
                Column.left("ZONE"),
                Column.left("QUEUE"),
                Column.left("TYPE"),
                Column.left("LAST"),
                Column.left("NEXT"));
        all.forEach(one -> table.row(
                Cell.of(one.schedule().name(), colours::bold),
                Cell.of(one.schedule().cron()),
                Cell.of(one.schedule().zone()),
                Cell.of(one.schedule().queue()),
                Cell.of(one.schedule().type()),
                Cell.of(one.lastAt() == null ? "never" : JsonLine.time(one.lastAt())),
                one.paused() ? Cell.of("paused", colours::yellow) : Cell.of(JsonLine.time(one.nextAt()))));
        return table.lines(colours);
    }

    private static JsonLine json(Schedules.Status one) {
        return new JsonLine()
                .text("name", one.schedule().name())
                .text("cron", one.schedule().cron())
                .text("zone", one.schedule().zone())
                .text("queue", one.schedule().queue())
                .text("type", one.schedule().type())
                .raw("payload", one.schedule().payload())
                .bool("paused", one.paused())
                .time("next_at", one.nextAt())
                .time("last_at", one.lastAt())
                .text("last_job", one.lastJob());
    }
}
