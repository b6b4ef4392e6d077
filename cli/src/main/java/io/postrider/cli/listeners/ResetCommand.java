package io.postrider.cli.listeners;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.StartPoint;
import io.postrider.admin.Listeners;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.Confirmation;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Names;
import io.postrider.cli.text.Table;
import io.postrider.support.Suggestion;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Moves a listener to another position. */
@Command(
        name = "reset",
        header = "Move a listener to another position in its topic.",
        description = {
            "After a reset backward, the listener handles the events from there again. After a reset forward, it never handles"
                    + " the events in between, even if one of them is being retried. A detached listener (retention has"
                    + " removed events that it had not handled) runs again.",
            "Events before the old position that wait for a retry, and dead letters, are not affected.",
            "Asks for confirmation; without a terminal, pass --yes."
        },
        footer = {
            "  postrider reset mail --to 1042 --dry-run",
            "  postrider reset mail --to beginning",
            "  postrider reset mail --to 2026-03-01T00:00:00Z --yes"
        })
public final class ResetCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "LISTENER", description = "Name of the listener.")
    @SuppressWarnings("NullAway.Init") // required
    private String listener;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "WHERE",
            description =
                    "Where to continue: beginning, end, the position to handle next, or a time such as 2026-03-01T00:00:00Z.")
    @SuppressWarnings("NullAway.Init") // required
    private String to;

    @Option(names = "--dry-run", description = "Show what would be done, and change nothing.")
    private boolean dryRun;

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask for confirmation.")
    private boolean yes;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public ResetCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() throws IOException {
        Names.listener(listener);
        StartPoint point = point();
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            DatabaseOptions.requireUsable(postrider);
            long from = status(postrider).position();
            long cursor = postrider.cursorAt(listener, point);
            String what =
                    "move the cursor of " + listener + " from " + Table.grouped(from) + " to " + Table.grouped(cursor)
                            + (cursor < from
                                    ? ", to handle " + Table.grouped(from - cursor) + " positions again"
                                    : ", past " + Table.grouped(cursor - from) + " positions that it will never handle")
                            + "; the next position is " + Table.grouped(cursor + 1);
            if (dryRun) {
                terminal.say("would " + what);
                print(from, cursor);
                return ExitCode.OK;
            }
            if (!yes && !Confirmation.isGiven(terminal, what)) {
                terminal.say("nothing was done");
                return ExitCode.FAILURE;
            }
            long reached = postrider.reset(listener, point);
            terminal.say("moved the cursor of " + listener + " from " + Table.grouped(from) + " to "
                    + Table.grouped(reached) + "; the next position is " + Table.grouped(reached + 1));
            print(from, reached);
            return ExitCode.OK;
        }
    }

    private StartPoint point() {
        if (to.equals("beginning")) {
            return StartPoint.beginning();
        }
        if (to.equals("end")) {
            return StartPoint.end();
        }
        if (to.matches("[0-9]{1,18}")) {
            return StartPoint.position(Long.parseLong(to));
        }
        try {
            return StartPoint.time(Instant.parse(to));
        } catch (DateTimeParseException e) {
            throw PostriderException.refused(
                    "--to must be beginning, end, a position from 1 on, or a time such as 2026-03-01T00:00:00Z, was '"
                            + to + "'");
        }
    }

    private Listeners.Status status(Postrider postrider) {
        List<Listeners.Status> all = postrider.listeners().list();
        return all.stream()
                .filter(one -> one.name().equals(listener))
                .findFirst()
                .orElseThrow(() -> new PostriderException(
                        Kind.NOT_FOUND,
                        "no listener " + listener
                                + Suggestion.hint(
                                        listener,
                                        all.stream().map(Listeners.Status::name).toList())));
    }

    private void print(long from, long cursor) {
        if (json) {
            terminal.out()
                    .println(new JsonLine()
                            .text("listener", listener)
                            .number("from", from)
                            .number("to", cursor)
                            .bool("dry_run", dryRun));
        }
    }
}
