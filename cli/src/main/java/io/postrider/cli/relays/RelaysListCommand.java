package io.postrider.cli.relays;

import io.postrider.admin.Relays;
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

/** Lists relays with their target, their position, and whether the sink is available. */
@Command(
        name = "list",
        header = "List relays with their sink, position, lag and state.",
        footer = {
            "  postrider relays list",
            "  postrider relays list --json | jq 'select(.state == \"unavailable\") | .name'"
        })
public final class RelaysListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Mixin
    private final ListOutput output;

    public RelaysListCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
        this.output = new ListOutput(terminal);
    }

    @Override
    public Integer call() {
        List<Relays.Status> all = database.with(postrider -> postrider.relays().list());
        output.print(all, "no relays yet", RelaysListCommand::json, this::table);
        return ExitCode.OK;
    }

    private List<String> table(List<Relays.Status> all) {
        AnsiColours colours = terminal.colours();
        Table table = new Table(
                Column.left("RELAY"),
                Column.left("TOPIC"),
                Column.left("SINK"),
                Column.right("POSITION"),
                Column.right("LAG"),
                Column.right("DEAD"),
                Column.left("STATE"));
        all.forEach(one -> table.row(
                Cell.of(one.name(), colours::bold),
                Cell.of(one.topic()),
                Cell.of(PrintableText.shorten(PrintableText.line(one.sink()), 50)),
                Cell.of(one.position()),
                Cell.of(Table.grouped(one.lag()), one.lag() == 0 ? colours::green : colours::yellow),
                Cell.of(Table.grouped(one.deadLetters()), one.deadLetters() == 0 ? colours::dim : colours::red),
                state(one, colours)));
        return table.lines(colours);
    }

    private static Cell state(Relays.Status one, AnsiColours colours) {
        String error =
                one.lastError() == null ? "" : ": " + PrintableText.shorten(PrintableText.line(one.lastError()), 80);
        return switch (one.state()) {
            case "running" ->
                one.mode().equals("shadow")
                        ? Cell.of(
                                one.liveFrom() == null ? "shadow" : "shadow, live from " + one.liveFrom(),
                                colours::yellow)
                        : Cell.of("running", colours::green);
            case "unavailable" ->
                Cell.of(
                        "unavailable since "
                                + (one.unavailableSince() == null ? "now" : RelativeTime.text(one.unavailableSince()))
                                + error,
                        colours::red);
            case "failing" -> Cell.of("attempt " + one.attempts() + " failed" + error, colours::yellow);
            case "waiting" -> Cell.of("no node runs it", colours::yellow);
            case "detached" -> Cell.of("detached: retention deleted events it had not sent", colours::red);
            default -> Cell.of(one.state(), colours::yellow);
        };
    }

    private static JsonLine json(Relays.Status one) {
        return new JsonLine()
                .text("name", one.name())
                .text("topic", one.topic())
                .text("sink", one.sink())
                .text("state", one.state())
                .number("position", one.position())
                .number("head", one.head())
                .number("lag", one.lag())
                .time("last_progress_at", one.lastProgressAt())
                .time("unavailable_since", one.unavailableSince())
                .number("attempts", one.attempts())
                .time("retry_after", one.retryAfter())
                .text("last_error", one.lastError())
                .number("setbacks", one.setbacks())
                .number("dead_letters", one.deadLetters())
                .bool("paused", one.paused())
                .text("owner", one.owner())
                .time("tested_at", one.testedAt())
                .text("test_found", one.testFound())
                .text("test_error", one.testError())
                .text("mode", one.mode())
                .raw("shadow_from", String.valueOf(one.shadowFrom()))
                .raw("live_from", String.valueOf(one.liveFrom()));
    }
}
