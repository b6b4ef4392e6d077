package io.postrider.cli.listeners;

import io.postrider.admin.Listeners;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.ListOutput;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.AnsiColours;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.PrintableText;
import io.postrider.cli.text.RelativeTime;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists listeners. */
@Command(
        name = "listeners",
        header = "List listeners with their position, lag and state.",
        footer = {"  postrider listeners", "  postrider listeners --json | jq 'select(.lag > 1000) | .name'"})
public final class ListenersCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Mixin
    private final ListOutput output;

    public ListenersCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
        this.output = new ListOutput(terminal);
    }

    @Override
    public Integer call() {
        List<Listeners.Status> all =
                database.with(postrider -> postrider.listeners().list());
        output.print(all, "no listeners yet", ListenersCommand::json, this::table);
        return ExitCode.OK;
    }

    private List<String> table(List<Listeners.Status> all) {
        AnsiColours colours = terminal.colours();
        Table table = new Table(
                Column.left("LISTENER"),
                Column.left("TOPIC"),
                Column.left("KIND"),
                Column.right("POSITION"),
                Column.right("LAG"),
                Column.left("PROGRESS"),
                Column.right("RETRYING"),
                Column.right("DEAD"),
                Column.left("STATE"));
        all.forEach(one -> table.row(
                Cell.of(one.name(), colours::bold),
                Cell.of(one.topic()),
                Cell.of(one.kind() + ", " + one.policy()),
                Cell.of(one.position()),
                Cell.of(Table.grouped(one.lag()), one.lag() == 0 ? colours::green : colours::yellow),
                Cell.of(one.lastProgressAt() == null ? "never" : RelativeTime.text(one.lastProgressAt())),
                Cell.of(Table.grouped(one.setbacks()), one.setbacks() == 0 ? colours::dim : colours::yellow),
                Cell.of(Table.grouped(one.deadLetters()), one.deadLetters() == 0 ? colours::dim : colours::red),
                state(one, colours)));
        return table.lines(colours);
    }

    private static Cell state(Listeners.Status one, AnsiColours colours) {
        if (one.detachedAt() != null) {
            return Cell.of("detached: retention deleted events it had not handled", colours::red);
        }
        if (one.paused()) {
            return Cell.of("paused", colours::yellow);
        }
        if (one.owner() == null) {
            return Cell.of("no node runs it", colours::yellow);
        }
        String error =
                one.lastError() == null ? "" : ": " + PrintableText.shorten(PrintableText.line(one.lastError()), 80);
        return one.attempts() > 0
                ? Cell.of("attempt " + one.attempts() + " failed" + error, colours::yellow)
                : Cell.of(
                        (one.mode().equals("shadow") ? "shadow, run by " : "run by ") + PrintableText.line(one.owner()),
                        one.mode().equals("shadow") ? colours::yellow : colours::green);
    }

    private static JsonLine json(Listeners.Status one) {
        return new JsonLine()
                .text("name", one.name())
                .text("topic", one.topic())
                .text("kind", one.kind())
                .text("policy", one.policy())
                .number("position", one.position())
                .number("head", one.head())
                .number("lag", one.lag())
                .time("last_progress_at", one.lastProgressAt())
                .number("attempts", one.attempts())
                .time("retry_after", one.retryAfter())
                .text("last_error", one.lastError())
                .number("setbacks", one.setbacks())
                .number("dead_letters", one.deadLetters())
                .bool("paused", one.paused())
                .time("detached_at", one.detachedAt())
                .text("owner", one.owner())
                .text("mode", one.mode())
                .raw("shadow_from", String.valueOf(one.shadowFrom()))
                .raw("live_from", String.valueOf(one.liveFrom()));
    }
}
