package io.postrider.cli;

import io.postrider.cli.text.Ink;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import io.postrider.work.Queues;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Show every queue: what waits, what runs, how fast. */
@Command(
        name = "list",
        header = "Show every queue: what waits, what runs, how fast.",
        footer = {"  postrider queues list", "  postrider queues list --json | jq 'select(.depth > 1000) | .name'"})
final class QueuesListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Option(names = "--json", description = "An object a line.")
    private boolean json;

    QueuesListCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        List<Queues.Status> all =
                database.withJobs(postrider -> postrider.queues().list());
        if (json) {
            all.forEach(one -> terminal.out().println(json(one)));
        } else if (all.isEmpty()) {
            terminal.say("no queues yet");
        } else {
            table(all).forEach(terminal.out()::println);
        }
        return Exit.OK;
    }

    private List<String> table(List<Queues.Status> all) {
        Ink ink = terminal.ink();
        Table table = new Table(
                Column.left("QUEUE"),
                Column.right("DEPTH"),
                Column.right("SCHEDULED"),
                Column.right("RUNNING"),
                Column.right("PER SECOND"),
                Column.left("OLDEST"),
                Column.right("DEAD"),
                Column.left("STATE"));
        all.forEach(one -> table.row(
                Cell.of(one.name(), ink::bold),
                Cell.of(Table.grouped(one.depth()), one.depth() == 0 ? ink::green : ink::yellow),
                Cell.of(Table.grouped(one.scheduled())),
                Cell.of(Table.grouped(one.running())),
                Cell.of(String.format(Locale.ROOT, "%.1f", one.throughput())),
                Cell.of(one.oldestAt() == null ? "" : Ago.text(one.oldestAt())),
                Cell.of(Table.grouped(one.deadLetters()), one.deadLetters() == 0 ? ink::dim : ink::red),
                Cell.of(state(one), one.paused() ? ink::yellow : ink::dim)));
        return table.lines(ink);
    }

    private static String state(Queues.Status one) {
        List<String> words = new ArrayList<>();
        if (one.paused()) {
            words.add("paused");
        }
        if (one.runningLimit() != null) {
            words.add("at most " + one.runningLimit() + " at once");
        }
        if (one.keyLimit() != null) {
            words.add(one.keyLimit() + " of a key");
        }
        if (one.rate() != null) {
            words.add("rate " + one.rate());
        }
        return String.join(", ", words);
    }

    private static JsonLine json(Queues.Status one) {
        return new JsonLine()
                .text("name", one.name())
                .number("depth", one.depth())
                .number("scheduled", one.scheduled())
                .number("running", one.running())
                .time("oldest_at", one.oldestAt())
                .raw("throughput", Double.toString(one.throughput()))
                .number("dead_letters", one.deadLetters())
                .bool("paused", one.paused())
                .raw("running_limit", String.valueOf(one.runningLimit()))
                .raw("key_limit", String.valueOf(one.keyLimit()))
                .raw("rate", String.valueOf(one.rate()));
    }
}
