package io.postrider.cli;

import io.postrider.cli.DeadLetterChoice.Chosen;
import io.postrider.cli.text.JsonLine;
import io.postrider.db.Database;
import io.postrider.listen.DeadLetters;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Gives dead letters back to their listener. */
@Command(
        name = "replay",
        header = "Give dead letters back to their listener, with all attempts before them.",
        description = "To that listener only, in the order of each key. All of them in one transaction.",
        footer = {
            "  postrider dead-letters replay 17 18",
            "  postrider dead-letters replay --listener mail --error 'connection refused' --dry-run",
            "  postrider dead-letters replay --listener mail --error 'connection refused'"
        })
final class DeadLettersReplayCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Mixin
    private final DeadLetterChoice choice = new DeadLetterChoice();

    @Option(names = "--json", description = "One object with the count.")
    private boolean json;

    DeadLettersReplayCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
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
            terminal.say("would replay " + chosen.count());
            print(chosen.ids().size());
            return Exit.OK;
        }
        int replayed = chosen.ids().isEmpty() ? 0 : deadLetters.replay(chosen.ids());
        terminal.say("replayed " + replayed + " of " + chosen.count());
        print(replayed);
        return Exit.OK;
    }

    private void print(int count) {
        if (json) {
            terminal.out().println(new JsonLine().number("replayed", count).bool("dry_run", choice.isDryRun()));
        }
    }
}
