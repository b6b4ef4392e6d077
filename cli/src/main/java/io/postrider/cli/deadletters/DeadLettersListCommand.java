package io.postrider.cli.deadletters;

import io.postrider.PostriderException;
import io.postrider.admin.DeadLetter;
import io.postrider.admin.DeadLetters;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.events.EventJson;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.ListOutput;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.AnsiColours;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.PrintableText;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists one page of dead letters. */
@Command(
        name = "list",
        header = "List dead letters, oldest first.",
        footer = {
            "  postrider dead-letters list",
            "  postrider dead-letters list --listener mail --error timeout",
            "  postrider dead-letters list --json --limit 1000 | jq -r .error | sort | uniq -c"
        })
public final class DeadLettersListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Mixin
    private final DeadLetterFilter filter = new DeadLetterFilter();

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            description = "Show at most N, 1..10000 (default: 50).")
    private int limit = 50;

    @Option(names = "--after", paramLabel = "ID", description = "Start after this id, for the next page.")
    private long after;

    @Mixin
    private final ListOutput output;

    public DeadLettersListCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
        this.output = new ListOutput(terminal);
    }

    @Override
    public Integer call() {
        if (limit < 1 || limit > 10_000) {
            throw PostriderException.refused("--limit must be 1..10000, was " + limit);
        }
        DeadLetters.Filter wanted = filter.filter();
        List<DeadLetter> page =
                database.with(postrider -> postrider.deadLetters().find(wanted, after, limit));
        output.print(page, "no dead letters", DeadLettersListCommand::json, this::table);
        if (page.size() == limit) {
            terminal.say(
                    "there may be more: --after " + page.get(page.size() - 1).id());
        }
        return ExitCode.OK;
    }

    private List<String> table(List<DeadLetter> page) {
        AnsiColours colours = terminal.colours();
        Table table = new Table(
                Column.right("ID"),
                Column.left("LISTENER"),
                Column.left("TOPIC"),
                Column.right("POSITION"),
                Column.left("TYPE"),
                Column.left("KEY"),
                Column.right("ATTEMPTS"),
                Column.left("DIED AT"),
                Column.left("ERROR"));
        page.forEach(letter -> table.row(
                Cell.of(Long.toString(letter.id()), colours::bold),
                Cell.of(letter.listener()),
                Cell.of(letter.event().topic()),
                Cell.of(Long.toString(letter.event().position()), colours::cyan),
                Cell.of(PrintableText.line(letter.event().type())),
                Cell.of(
                        letter.event().key() == null
                                ? ""
                                : PrintableText.shorten(
                                        PrintableText.line(letter.event().key()), 30)),
                Cell.of(letter.attempts()),
                Cell.of(JsonLine.time(letter.diedAt()).substring(0, 19) + "Z"),
                Cell.of(PrintableText.shorten(PrintableText.line(letter.error()), 80), colours::red)));
        return table.lines(colours);
    }

    static JsonLine json(DeadLetter letter) {
        return EventJson.put(
                new JsonLine()
                        .number("id", letter.id())
                        .text("listener", letter.listener())
                        .number("attempts", letter.attempts())
                        .text("error", letter.error())
                        .text("last_error_code", letter.errorCode())
                        .text("stack", letter.stack())
                        .time("died_at", letter.diedAt()),
                letter.event());
    }
}
