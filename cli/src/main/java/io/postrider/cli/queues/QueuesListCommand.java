package io.postrider.cli.queues;

import io.postrider.admin.Queues;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.ListOutput;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.AnsiColours;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.RelativeTime;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists queues with their waiting and running jobs and their throughput. */
@Command(
        name = "list",
        header = "List queues with their depth, running jobs and throughput.",
        footer = {"  postrider queues list", "  postrider queues list --json | jq 'select(.depth > 1000) | .name'"})
public final class QueuesListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Mixin
    private final ListOutput output;

    public QueuesListCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
        this.output = new ListOutput(terminal);
    }

    @Override
    public Integer call() {
        List<Queues.Status> all =
                database.withJobs(postrider -> postrider.queues().list());
        output.print(all, "no queues yet", QueuesListCommand::json, this::table);
        return ExitCode.OK;
    }

    private List<String> table(List<Queues.Status> all) {
        AnsiColours colours = terminal.colours();
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
                Cell.of(one.name(), colours::bold),
                Cell.of(Table.grouped(one.depth()), one.depth() == 0 ? colours::green : colours::yellow),
                Cell.of(Table.grouped(one.scheduled())),
                Cell.of(Table.grouped(one.running())),
                Cell.of(String.format(Locale.ROOT, "%.1f", one.throughput())),
                Cell.of(one.oldestAt() == null ? "" : RelativeTime.text(one.oldestAt())),
                Cell.of(Table.grouped(one.deadLetters()), one.deadLetters() == 0 ? colours::dim : colours::red),
                Cell.of(state(one), one.paused() ? colours::yellow : colours::dim)));
        return table.lines(colours);
    }

    private static String state(Queues.Status one) {
        List<String> words = new ArrayList<>();
        if (one.paused()) {
            words.add("paused");
        }
        if (one.runningLimit() != null) {
            words.add("at most " + one.runningLimit() + " running");
        }
        if (one.keyLimit() != null) {
            words.add("at most " + one.keyLimit() + " running per key");
        }
        if (one.rate() != null) {
            words.add("rate " + one.rate());
        }
        if (one.lease() != null) {
            words.add("lease " + one.lease().toMillis() / 1000.0 + " s");
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
                .raw("rate", String.valueOf(one.rate()))
                .text("lease", one.lease() == null ? null : one.lease().toString());
    }
}
