package io.postrider.cli.terminal;

import io.postrider.cli.text.JsonLine;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Prints what a command lists: one JSON object per line with {@code --json}, otherwise a table. */
@Command
public final class ListOutput {
    private final Terminal terminal;

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    public ListOutput(Terminal terminal) {
        this.terminal = terminal;
    }

    /** @param none the message if there is nothing to list; it goes to standard error, so that a script reads nothing */
    public <T> void print(List<T> all, String none, Function<T, JsonLine> line, Function<List<T>, List<String>> table) {
        if (json) {
            all.forEach(one -> terminal.out().println(line.apply(one)));
        } else if (all.isEmpty()) {
            terminal.say(none);
        } else {
            table.apply(all).forEach(terminal.out()::println);
        }
    }
}
