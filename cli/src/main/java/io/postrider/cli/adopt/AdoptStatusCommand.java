package io.postrider.cli.adopt;

import io.postrider.admin.Adoptions.Status;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares both sides of an adoption. */
@Command(
        name = "status",
        header = "Compare the old table with what Postrider has of it.",
        description = "Reads the whole table. Changes nothing.",
        footer = {"  postrider adopt status outbox", "  postrider adopt status outbox --json | jq .agrees"})
public final class AdoptStatusCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "TABLE", description = "The adopted table.")
    @SuppressWarnings("NullAway.Init") // required
    private String table;

    @Option(names = "--dry-run", description = "As without: a status changes nothing.")
    @SuppressWarnings("UnusedVariable") // read by picocli
    private boolean dryRun;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public AdoptStatusCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Status status = database.with(postrider -> postrider.adoptions().status(table));
        if (json) {
            terminal.out().println(json(status));
        } else {
            print(status);
        }
        return ExitCode.OK;
    }

    private void print(Status status) {
        terminal.out()
                .println(status.source() + " to " + status.target() + ", "
                        + status.state().name().toLowerCase(Locale.ROOT) + ", mirror "
                        + (status.mirror() ? "on" : "off"));
        Table rows = new Table(Column.left("WHAT"), Column.right("ROWS"), Column.left("EXAMPLES"));
        row(rows, "in the old table", status.rows(), List.of());
        row(rows, "unfinished there", status.unfinished(), List.of());
        row(rows, "bridged", status.bridged(), List.of());
        row(rows, "imported", status.imported(), List.of());
        row(rows, "skipped", status.skipped(), List.of());
        row(rows, "held for the import", status.held(), List.of());
        row(rows, "not taken over", status.notAdopted(), examples(status, "not_adopted"));
        row(rows, "rejected", status.rejected(), examples(status, "rejected"));
        row(rows, "done there, not here", status.doneOnlyThere(), examples(status, "only_there"));
        row(rows, "done here, not there", status.doneOnlyHere(), examples(status, "only_here"));
        rows.lines(terminal.colours()).forEach(terminal.out()::println);
    }

    private static void row(Table rows, String what, long number, List<String> examples) {
        rows.row(Cell.of(what), Cell.of(number), Cell.of(String.join(", ", examples)));
    }

    private static List<String> examples(Status status, String difference) {
        return status.examples().getOrDefault(difference, List.of());
    }

    private static JsonLine json(Status status) {
        JsonLine examples = new JsonLine();
        status.examples().forEach(examples::texts);
        return new JsonLine()
                .text("table", status.source())
                .text("state", status.state().name().toLowerCase(Locale.ROOT))
                .text("target", status.target())
                .bool("mirror", status.mirror())
                .bool("agrees", status.agrees())
                .time("bridged_at", status.bridgedAt())
                .time("imported_at", status.importedAt())
                .time("last_row_at", status.lastRowAt())
                .number("rows", status.rows())
                .number("unfinished", status.unfinished())
                .number("bridged", status.bridged())
                .number("imported", status.imported())
                .number("skipped", status.skipped())
                .number("held", status.held())
                .number("not_adopted", status.notAdopted())
                .number("rejected", status.rejected())
                .number("done_only_there", status.doneOnlyThere())
                .number("done_only_here", status.doneOnlyHere())
                .raw("examples", examples.toString());
    }
}
