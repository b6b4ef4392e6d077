package io.postrider.cli;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.StartPoint;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Nearest;
import io.postrider.cli.text.Table;
import io.postrider.db.Database;
import io.postrider.listen.Listeners;
import io.postrider.listen.Posts;
import io.postrider.log.Heads;
import io.postrider.watch.Watch;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Moves a listener to another place in its topic. */
@Command(
        name = "reset",
        header = "Move a listener to another place in its topic, wherever it runs.",
        description = {
            "Back: it handles the events from there once more. Forward: it never handles those in between. A detached"
                    + " listener runs again. Setbacks and dead letters stay as they are.",
            "Asks before it does; where nobody can be asked it needs --yes."
        },
        footer = {
            "  postrider reset mail --to 1042 --dry-run",
            "  postrider reset mail --to beginning",
            "  postrider reset mail --to 2026-03-01T00:00:00Z --yes"
        })
final class ResetCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "LISTENER", description = "Its name.")
    @SuppressWarnings("NullAway.Init") // required
    private String listener;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "WHERE",
            description = "beginning, end, the position to handle next, or a time such as 2026-03-01T00:00:00Z.")
    @SuppressWarnings("NullAway.Init") // required
    private String to;

    @Option(names = "--dry-run", description = "Only say what would be done.")
    private boolean dryRun;

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.")
    private boolean yes;

    @Option(names = "--json", description = "One object.")
    private boolean json;

    ResetCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() throws IOException {
        Names.listener(listener);
        StartPoint point = point();
        Database db = database.database();
        database.requireUsable(db);
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            long from = status(postrider).position();
            long cursor = cursorAt(db, point);
            String what = "move " + listener + " from " + Table.grouped(from) + " to " + Table.grouped(cursor)
                    + (cursor < from
                            ? ", to handle " + Table.grouped(from - cursor) + " positions again"
                            : ", past " + Table.grouped(cursor - from) + " positions that it will never handle");
            if (dryRun) {
                terminal.say("would " + what);
                print(from, cursor);
                return Exit.OK;
            }
            if (!yes && !Confirmation.isGiven(terminal, what)) {
                terminal.say("nothing was done");
                return Exit.FAILURE;
            }
            long reached = postrider.reset(listener, point);
            terminal.say("moved " + listener + " from " + Table.grouped(from) + " to " + Table.grouped(reached));
            print(from, reached);
            return Exit.OK;
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
        List<Listeners.Status> all = postrider.listeners();
        return all.stream()
                .filter(one -> one.name().equals(listener))
                .findFirst()
                .orElseThrow(() -> new PostriderException(
                        Kind.NOT_FOUND,
                        "no listener " + listener
                                + Nearest.hint(
                                        listener,
                                        all.stream().map(Listeners.Status::name).toList())));
    }

    private static final String NOBODY = "cli";

    private long cursorAt(Database db, StartPoint point) {
        Heads heads = new Heads(Watch.NOTHING);
        try (Listeners listeners = new Listeners(db, heads, new Posts(heads), NOBODY, Watch.NOTHING)) {
            return listeners.cursorAt(listener, point);
        }
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
