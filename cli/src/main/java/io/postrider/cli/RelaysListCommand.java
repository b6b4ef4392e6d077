package io.postrider.cli;

import io.postrider.Postrider;
import io.postrider.cli.text.Clean;
import io.postrider.cli.text.Ink;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import io.postrider.db.Database;
import io.postrider.listen.Relays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Every relay: what it sends to, how far it is, and whether its sink is there. */
@Command(
        name = "list",
        header = "Show every relay: what it sends to, how far it is, and whether its sink is there.",
        footer = {
            "  postrider relays list",
            "  postrider relays list --json | jq 'select(.state == \"unavailable\") | .name'"
        })
final class RelaysListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Option(names = "--json", description = "An object a line.")
    private boolean json;

    RelaysListCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        database.requireUsable(new Database(database.dataSource(), database.schema()));
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            List<Relays.Status> all = postrider.relays().list();
            if (json) {
                all.forEach(one -> terminal.out().println(json(one)));
            } else if (all.isEmpty()) {
                terminal.say("no relays yet");
            } else {
                table(all).forEach(terminal.out()::println);
            }
            return Exit.OK;
        }
    }

    private List<String> table(List<Relays.Status> all) {
        Ink ink = terminal.ink();
        Table table = new Table(
                Column.left("RELAY"),
                Column.left("TOPIC"),
                Column.left("SINK"),
                Column.right("POSITION"),
                Column.right("LAG"),
                Column.right("DEAD"),
                Column.left("STATE"));
        all.forEach(one -> table.row(
                Cell.of(one.name(), ink::bold),
                Cell.of(one.topic()),
                Cell.of(Clean.shorten(Clean.line(one.sink()), 50)),
                Cell.of(one.position()),
                Cell.of(Table.grouped(one.lag()), one.lag() == 0 ? ink::green : ink::yellow),
                Cell.of(Table.grouped(one.deadLetters()), one.deadLetters() == 0 ? ink::dim : ink::red),
                state(one, ink)));
        return table.lines(ink);
    }

    private static Cell state(Relays.Status one, Ink ink) {
        String error = one.lastError() == null ? "" : ": " + Clean.shorten(Clean.line(one.lastError()), 80);
        return switch (one.state()) {
            case "running" -> Cell.of("running", ink::green);
            case "unavailable" ->
                Cell.of(
                        "unavailable since "
                                + (one.unavailableSince() == null ? "now" : Ago.text(one.unavailableSince())) + error,
                        ink::red);
            case "failing" -> Cell.of("attempt " + one.attempts() + " failed" + error, ink::yellow);
            case "waiting" -> Cell.of("nobody runs it", ink::yellow);
            case "detached" -> Cell.of("detached: retention took events it had not sent", ink::red);
            default -> Cell.of(one.state(), ink::yellow);
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
                .text("test_error", one.testError());
    }
}
