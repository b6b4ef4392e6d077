package io.postrider.cli.deadletters;

import io.postrider.Postrider;
import io.postrider.admin.DeadLetters;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.deadletters.DeadLetterSelection.Chosen;
import io.postrider.cli.terminal.Confirmation;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.JsonLine;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Deletes dead letters. */
@Command(
        name = "discard",
        header = "Delete dead letters permanently.",
        description = "Asks for confirmation; without a terminal, pass --yes.",
        footer = {
            "  postrider dead-letters discard 17",
            "  postrider dead-letters discard --listener mail --dry-run",
            "  postrider dead-letters discard --listener mail --yes"
        })
public final class DeadLettersDiscardCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Mixin
    private final DeadLetterSelection choice = new DeadLetterSelection();

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask for confirmation.")
    private boolean yes;

    @Option(names = "--json", description = "Print one JSON object with the count.")
    private boolean json;

    public DeadLettersDiscardCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() throws IOException {
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            DatabaseOptions.requireUsable(postrider);
            return discard(postrider.deadLetters());
        }
    }

    private int discard(DeadLetters deadLetters) throws IOException {
        Chosen chosen = choice.choose(deadLetters);
        if (choice.isDryRun()) {
            if (json) {
                chosen.tell(terminal);
            } else {
                chosen.print(terminal);
            }
            terminal.say("would discard " + chosen.count());
            print(chosen.ids().size());
            return ExitCode.OK;
        }
        boolean agreed = chosen.ids().isEmpty() || yes || isAgreed(chosen);
        int discarded = agreed && !chosen.ids().isEmpty() ? deadLetters.discard(chosen.ids()) : 0;
        terminal.say(agreed ? "discarded " + discarded + " of " + chosen.count() : "nothing was discarded");
        print(discarded);
        return agreed ? ExitCode.OK : ExitCode.FAILURE;
    }

    private boolean isAgreed(Chosen chosen) throws IOException {
        if (terminal.ttys().in()) {
            chosen.tell(terminal);
        }
        return Confirmation.isGiven(terminal, "permanently delete " + chosen.count());
    }

    private void print(int count) {
        if (json) {
            terminal.out().println(new JsonLine().number("discarded", count).bool("dry_run", choice.isDryRun()));
        }
    }
}
