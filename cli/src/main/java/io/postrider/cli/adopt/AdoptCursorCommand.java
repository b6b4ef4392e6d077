package io.postrider.cli.adopt;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.StartPoint;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Names;
import io.postrider.cli.text.Table;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets where a listener starts. */
@Command(
        name = "cursor",
        header = "Move a listener to after what the old consumer has finished, or to everything.",
        description = {
            "finished: to before the first event whose row the old consumer has not finished. Rows that it finished out of order"
                    + " after that are handled again.",
            "everything: to the beginning of the topic."
        },
        footer = {
            "  postrider adopt cursor outbox mail --start finished",
            "  postrider adopt cursor outbox search --start everything"
        })
public final class AdoptCursorCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "TABLE", description = "The adopted table.")
    @SuppressWarnings("NullAway.Init") // required
    private String table;

    @Parameters(index = "1", paramLabel = "LISTENER", description = "Name of the listener.")
    @SuppressWarnings("NullAway.Init") // required
    private String listener;

    @Option(names = "--start", paramLabel = "WHERE", required = true, description = "finished or everything.")
    @SuppressWarnings("NullAway.Init") // required
    private String start;

    @Option(names = "--dry-run", description = "Show what would be done, and change nothing.")
    private boolean dryRun;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public AdoptCursorCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Names.listener(listener);
        long cursor = database.with(this::move);
        terminal.say((dryRun ? "would move " : "moved ") + listener + " to " + Table.grouped(cursor)
                + (start.equals("finished")
                        ? ", after what the old consumer of " + table + " has finished"
                        : ", before everything that was adopted from " + table));
        if (json) {
            terminal.out()
                    .println(new JsonLine()
                            .text("table", table)
                            .text("listener", listener)
                            .number("to", cursor)
                            .bool("dry_run", dryRun));
        }
        return ExitCode.OK;
    }

    private long move(Postrider postrider) {
        StartPoint to = switch (start) {
            case "finished" -> postrider.adoptions().afterFinished(table);
            case "everything" -> StartPoint.beginning();
            default -> throw PostriderException.refused("--start must be finished or everything, was '" + start + "'");
        };
        return dryRun ? postrider.cursorAt(listener, to) : postrider.reset(listener, to);
    }
}
