package io.postrider.cli.adopt;

import io.postrider.admin.Adoptions;
import io.postrider.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Removes the trigger. */
@Command(
        name = "finish",
        header = "Remove the trigger and the mirror, and show what may be dropped.",
        description = "Rows that are inserted into the old table from then on are not taken over.",
        footer = {"  postrider adopt finish outbox --dry-run", "  postrider adopt finish outbox"})
public final class AdoptFinishCommand extends AdoptStepCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The adopted table.")
    @SuppressWarnings("NullAway.Init") // required
    private String table;

    @Option(names = "--force", description = "Finish even if unfinished rows of the old table were not taken over.")
    private boolean force;

    public AdoptFinishCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    Adoptions.Result run(Adoptions adoptions) {
        return adoptions.finish(table, force);
    }
}
