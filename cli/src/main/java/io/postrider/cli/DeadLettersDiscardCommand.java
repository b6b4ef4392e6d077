package io.postrider.cli;

import io.postrider.cli.DeadLetterChoice.Chosen;
import io.postrider.cli.text.JsonLine;
import io.postrider.db.Database;
import io.postrider.listen.DeadLetters;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Forgets dead letters. */
@Command(
        name = "discard",
        header = "Forget dead letters, for good.",
        description = "Asks before it does; where nobody can be asked it needs --yes.",
        footer = {
            "  postrider dead-letters discard 17",
            "  postrider dead-letters discard --listener mail --dry-run",
            "  postrider dead-letters discard --listener mail --yes"
        })
final class DeadLettersDiscardCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Mixin
    private final DeadLetterChoice choice = new DeadLetterChoice();

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.")
    private boolean yes;

    @Option(names = "--json", description = "One object with the count.")
    private boolean json;

    DeadLettersDiscardCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() throws IOException {
        Database db = database.database();
        database.requireUsable(db);
        DeadLetters deadLetters = new DeadLetters(db);
        Chosen chosen = choice.choose(deadLetters);
        if (choice.isDryRun()) {
            if (json) {
                chosen.tell(terminal);
            } else {
                chosen.print(terminal);
            }
            terminal.say("would discard " + chosen.count());
            print(chosen.ids().size());
            return Exit.OK;
        }
        boolean agreed = chosen.ids().isEmpty() || yes || isAgreed(chosen);
        int discarded = agreed && !chosen.ids().isEmpty() ? deadLetters.discard(chosen.ids()) : 0;
        terminal.say(agreed ? "discarded " + discarded + " of " + chosen.count() : "nothing was discarded");
        print(discarded);
        return agreed ? Exit.OK : Exit.FAILURE;
    }

    private boolean isAgreed(Chosen chosen) throws IOException {
        if (terminal.ttys().in()) {
            chosen.tell(terminal);
        }
        return Confirmation.isGiven(terminal, "forget " + chosen.count() + " for good");
    }

    private void print(int count) {
        if (json) {
            terminal.out().println(new JsonLine().number("discarded", count).bool("dry_run", choice.isDryRun()));
        }
    }
}
