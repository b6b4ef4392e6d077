package io.postrider.cli.deadletters;

import io.postrider.LogEvent;
import io.postrider.admin.DeadLetter;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.StackTraceLines;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.AnsiColours;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.PrintableText;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows one dead letter in full. */
@Command(
        name = "show",
        header = "Show a dead letter: the event and its error.",
        footer = {"  postrider dead-letters show 17", "  postrider dead-letters show 17 --json | jq .payload"})
public final class DeadLettersShowCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "ID", description = "Id of the dead letter, as shown by `dead-letters list`.")
    private long id;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public DeadLettersShowCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        DeadLetter letter = database.with(postrider -> DeadLetterSelection.one(postrider.deadLetters(), id));
        if (json) {
            terminal.out().println(DeadLettersListCommand.json(letter));
        } else {
            show(letter);
        }
        return ExitCode.OK;
    }

    private void show(DeadLetter letter) {
        LogEvent event = letter.event();
        field("dead letter", Long.toString(letter.id()));
        field("listener", letter.listener());
        field("died at", JsonLine.time(letter.diedAt()) + ", after attempt " + letter.attempts());
        field("error code", letter.errorCode());
        field("error", terminal.colours().red(PrintableText.line(letter.error())));
        field("topic", event.topic() + " position " + event.position());
        field("event", event.id() + " of " + JsonLine.time(event.createdAt()));
        field("type", PrintableText.line(event.type()));
        field("key", event.key());
        field("project", event.projectId());
        field("user", event.userId());
        field("aggregate", event.aggregateType() == null ? null : event.aggregateType() + " " + event.aggregateId());
        field("headers", PrintableText.line(event.headers()));
        field("payload", PrintableText.line(event.payload()));
        StackTraceLines.print(terminal, letter.stack());
    }

    private void field(String name, @Nullable String value) {
        if (value != null) {
            AnsiColours colours = terminal.colours();
            boolean coloured = colours.hasColours() && value.startsWith("\u001b");
            terminal.out()
                    .println(
                            colours.dim(String.format("%-12s", name)) + (coloured ? value : PrintableText.line(value)));
        }
    }
}
