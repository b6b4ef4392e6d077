package io.postrider.cli.adopt;

import io.postrider.admin.Adoptions;
import io.postrider.admin.Adoptions.Rows;
import io.postrider.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Imports the old rows. */
@Command(
        name = "import",
        header = "Import the old rows in order, each exactly once, then deliver the new ones.",
        description = {
            "Works in batches while writers and the old consumer go on. After a crash, run it again: it goes on where it was.",
            "Of a job table only unfinished rows are imported."
        },
        footer = {"  postrider adopt import outbox", "  postrider adopt import outbox --unfinished"})
public final class AdoptImportCommand extends AdoptStepCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The adopted table.")
    @SuppressWarnings("NullAway.Init") // required
    private String table;

    @Option(
            names = "--unfinished",
            description = "Import only rows that the old consumer has not finished (default: all).")
    private boolean unfinished;

    @Option(
            names = "--skip-bad",
            description =
                    "Leave rows to the old system that cannot become an event, such as a payload that is not JSON.")
    private boolean skipBad;

    public AdoptImportCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    Adoptions.Result run(Adoptions adoptions) {
        return adoptions.importRows(table, unfinished ? Rows.UNFINISHED : Rows.ALL, skipBad, this::show);
    }
}
