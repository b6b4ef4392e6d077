package io.postrider.cli;

import io.postrider.cli.text.Ink;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import io.postrider.work.Schedules;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Show every schedule and its next tick. */
@Command(
        name = "list",
        header = "Show every schedule and its next tick.",
        footer = {"  postrider schedules list", "  postrider schedules list --json"})
final class SchedulesListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Option(names = "--json", description = "An object a line.")
    private boolean json;

    SchedulesListCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        List<Schedules.Status> all =
                database.with(postrider -> postrider.schedules().list());
        if (json) {
            all.forEach(one -> terminal.out().println(json(one)));
        } else if (all.isEmpty()) {
            terminal.say("no schedules yet");
        } else {
            table(all).forEach(terminal.out()::println);
        }
        return Exit.OK;
    }

    private List<String> table(List<Schedules.Status> all) {
        Ink ink = terminal.ink();
        Table table = new Table(
                Column.left("SCHEDULE"),
                Column.left("CRON"),
                Column.left("ZONE"),
                Column.left("QUEUE"),
                Column.left("TYPE"),
                Column.left("LAST"),
                Column.left("NEXT"));
        all.forEach(one -> table.row(
                Cell.of(one.schedule().name(), ink::bold),
                Cell.of(one.schedule().cron()),
                Cell.of(one.schedule().zone()),
                Cell.of(one.schedule().queue()),
                Cell.of(one.schedule().type()),
                Cell.of(one.lastAt() == null ? "never" : JsonLine.time(one.lastAt())),
                one.paused() ? Cell.of("paused", ink::yellow) : Cell.of(JsonLine.time(one.nextAt()))));
        return table.lines(ink);
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
