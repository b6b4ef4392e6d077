package io.postrider.cli.adopt;

import io.postrider.admin.Adoptions;
import io.postrider.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Begins to mirror. */
@Command(
        name = "mirror",
        header = "Keep processed_at, status, attempts and error of the old table up to date.",
        description = {
            "Writes back once what listeners or workers have finished. From then on every running node does so each second,"
                    + " until `adopt finish` or `adopt undo mirror`.",
            "A row counts as finished when every listener of the topic has finished it, or the one that --listener names."
        },
        footer = {"  postrider adopt mirror outbox", "  postrider adopt mirror outbox --listener mail"})
public final class AdoptMirrorCommand extends AdoptStepCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The adopted table.")
    @SuppressWarnings("NullAway.Init") // required
    private String table;

    @Option(names = "--listener", paramLabel = "NAME", description = "The listener that replaces the old consumer.")
    private @Nullable String listener;

    public AdoptMirrorCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    Adoptions.Result run(Adoptions adoptions) {
        return adoptions.mirror(table, listener);
    }
}
