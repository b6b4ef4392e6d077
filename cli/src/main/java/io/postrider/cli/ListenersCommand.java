package io.postrider.cli;

import io.postrider.Postrider;
import io.postrider.cli.text.Clean;
import io.postrider.cli.text.Ink;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import io.postrider.db.Database;
import io.postrider.listen.Listeners;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Every listener: where it is, how far behind, what holds it up. */
@Command(
        name = "listeners",
        header = "Show every listener: where it is, how far behind, what holds it up.",
        footer = {"  postrider listeners", "  postrider listeners --json | jq 'select(.lag > 1000) | .name'"})
final class ListenersCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Option(names = "--json", description = "An object a line.")
    private boolean json;

    ListenersCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        database.requireUsable(new Database(database.dataSource(), database.schema()));
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            List<Listeners.Status> all = postrider.listeners();
            if (json) {
                all.forEach(one -> terminal.out().println(json(one)));
            } else if (all.isEmpty()) {
                terminal.say("no listeners yet");
            } else {
                table(all).forEach(terminal.out()::println);
            }
            return Exit.OK;
        }
    }

    private List<String> table(List<Listeners.Status> all) {
        Ink ink = terminal.ink();
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
                Cell.of(one.name(), ink::bold),
                Cell.of(one.topic()),
                Cell.of(one.kind() + ", " + one.policy()),
                Cell.of(one.position()),
                Cell.of(Table.grouped(one.lag()), one.lag() == 0 ? ink::green : ink::yellow),
                Cell.of(one.lastProgressAt() == null ? "never" : Ago.text(one.lastProgressAt())),
                Cell.of(Table.grouped(one.setbacks()), one.setbacks() == 0 ? ink::dim : ink::yellow),
                Cell.of(Table.grouped(one.deadLetters()), one.deadLetters() == 0 ? ink::dim : ink::red),
                state(one, ink)));
        return table.lines(ink);
    }

    private static Cell state(Listeners.Status one, Ink ink) {
        if (one.detachedAt() != null) {
            return Cell.of("detached: retention took events it had not handled", ink::red);
        }
        if (one.paused()) {
            return Cell.of("paused", ink::yellow);
        }
        if (one.owner() == null) {
            return Cell.of("nobody runs it", ink::yellow);
        }
        String error = one.lastError() == null ? "" : ": " + Clean.shorten(Clean.line(one.lastError()), 80);
        return one.attempts() > 0
                ? Cell.of("attempt " + one.attempts() + " failed" + error, ink::yellow)
                : Cell.of("run by " + Clean.line(one.owner()), ink::green);
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
                .text("owner", one.owner());
    }
}
