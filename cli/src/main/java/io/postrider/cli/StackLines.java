package io.postrider.cli;

import io.postrider.cli.text.Clean;
import org.jspecify.annotations.Nullable;

/** Prints a stack trace below the fields of a failed job or event. */
final class StackLines {
    private StackLines() {}

    static void print(Terminal terminal, @Nullable String stack) {
        if (stack == null) {
            return;
        }
        terminal.out().println(terminal.ink().dim("stack trace"));
        stack.lines()
                .map(line -> line.startsWith("\t") ? "      " + Clean.line(line.strip()) : "  " + Clean.line(line))
                .forEach(terminal.out()::println);
    }
}
