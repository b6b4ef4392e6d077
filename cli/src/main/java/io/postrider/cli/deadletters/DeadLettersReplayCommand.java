package io.postrider.cli.deadletters;

import io.postrider.Postrider;
import io.postrider.admin.DeadLetters;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.deadletters.DeadLetterSelection.Chosen;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.JsonLine;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Hands dead letters back to their listener. */
@Command(
        name = "replay",
        header = "Deliver dead letters again to their listener or queue, with all attempts available again.",
        description =
                "No other listener handles them again. Events with the same key are replayed in order. All are replayed in one"
                        + " transaction.",
        footer = {
            "  postrider dead-letters replay 17 18",
            "  postrider dead-letters replay --listener mail --error 'connection refused' --dry-run",
            "  postrider dead-letters replay --listener mail --error 'connection refused'"
        })
public final class DeadLettersReplayCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Mixin
    private final DeadLetterSelection choice = new DeadLetterSelection();

    @Option(names = "--json", description = "Print one JSON object with the count.")
    private boolean json;

    public DeadLettersReplayCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            DatabaseOptions.requireUsable(postrider);
            return replay(postrider.deadLetters());
        }
    }

    private int replay(DeadLetters deadLetters) {
        Chosen chosen = choice.choose(deadLetters);
        if (choice.isDryRun()) {
            if (json) {
                chosen.tell(terminal);
            } else {
                chosen.print(terminal);
            }
            terminal.say("would replay " + chosen.count());
            print(chosen.ids().size());
            return ExitCode.OK;
        }
        int replayed = chosen.ids().isEmpty() ? 0 : deadLetters.replay(chosen.ids());
        terminal.say("replayed " + replayed + " of " + chosen.count());
        print(replayed);
        return ExitCode.OK;
    }

    private void print(int count) {
        if (json) {
            terminal.out().println(new JsonLine().number("replayed", count).bool("dry_run", choice.isDryRun()));
        }
    }
}
