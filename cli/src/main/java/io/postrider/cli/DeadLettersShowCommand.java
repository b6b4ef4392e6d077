package io.postrider.cli;

import io.postrider.LogEvent;
import io.postrider.cli.text.Clean;
import io.postrider.cli.text.Ink;
import io.postrider.cli.text.JsonLine;
import io.postrider.db.Database;
import io.postrider.listen.DeadLetter;
import io.postrider.listen.DeadLetters;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** One dead letter, whole. */
@Command(
        name = "show",
        header = "Show one dead letter, whole: the event and why it failed.",
        footer = {"  postrider dead-letters show 17", "  postrider dead-letters show 17 --json | jq .payload"})
final class DeadLettersShowCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "ID", description = "Its id, as `dead-letters list` shows it.")
    private long id;

    @Option(names = "--json", description = "One object.")
    private boolean json;

    DeadLettersShowCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Database db = database.database();
        database.requireUsable(db);
        DeadLetter letter = DeadLetterChoice.one(new DeadLetters(db), id);
        if (json) {
            terminal.out().println(DeadLettersListCommand.json(letter));
        } else {
            show(letter);
        }
        return Exit.OK;
    }

    private void show(DeadLetter letter) {
        LogEvent event = letter.event();
        field("dead letter", Long.toString(letter.id()));
        field("listener", letter.listener());
        field("died at", JsonLine.time(letter.diedAt()) + ", after attempt " + letter.attempts());
        field("error", terminal.ink().red(Clean.line(letter.error())));
        field("topic", event.topic() + " position " + event.position());
        field("event", event.id() + " of " + JsonLine.time(event.createdAt()));
        field("type", Clean.line(event.type()));
        field("key", event.key());
        field("project", event.projectId());
        field("user", event.userId());
        field("aggregate", event.aggregateType() == null ? null : event.aggregateType() + " " + event.aggregateId());
        field("headers", Clean.line(event.headers()));
        field("payload", Clean.line(event.payload()));
        StackLines.print(terminal, letter.stack());
    }

    private void field(String name, @Nullable String value) {
        if (value != null) {
            Ink ink = terminal.ink();
            boolean coloured = ink.hasColours() && value.startsWith("\u001b");
            terminal.out().println(ink.dim(String.format("%-12s", name)) + (coloured ? value : Clean.line(value)));
        }
    }
}
