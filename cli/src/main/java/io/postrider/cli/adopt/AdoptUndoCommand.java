package io.postrider.cli.adopt;

import io.postrider.PostriderException;
import io.postrider.admin.Adoptions;
import io.postrider.admin.Adoptions.Step;
import io.postrider.cli.terminal.Terminal;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Undoes a step. */
@Command(
        name = "undo",
        header = "Undo a step: the old system goes on and has lost nothing.",
        description = {
            "bridge: removes the trigger. Rows that were captured but not delivered stay in the old table.",
            "import: captures new rows again until the next import. Jobs that have not ended are cancelled and left to the old"
                    + " workers. Events that were emitted remain in the log.",
            "mirror: stops writing to the old table. finish: adds the trigger again."
        },
        footer = {"  postrider adopt undo bridge outbox", "  postrider adopt undo finish outbox --dry-run"})
public final class AdoptUndoCommand extends AdoptStepCommand {
    @Parameters(index = "0", paramLabel = "STEP", description = "bridge, import, mirror or finish.")
    @SuppressWarnings("NullAway.Init") // required
    private String step;

    @Parameters(index = "1", paramLabel = "TABLE", description = "The adopted table.")
    @SuppressWarnings("NullAway.Init") // required
    private String table;

    public AdoptUndoCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    Adoptions.Result run(Adoptions adoptions) {
        Step wanted = Arrays.stream(Step.values())
                .filter(one -> one.name().toLowerCase(Locale.ROOT).equals(step))
                .findFirst()
                .orElseThrow(() -> PostriderException.refused("STEP must be "
                        + Arrays.stream(Step.values())
                                .map(one -> one.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", "))
                        + ", was '" + step + "'"));
        return adoptions.undo(wanted, table);
    }
}
