package io.postrider.cli.terminal;

import io.postrider.cli.text.PrintableText;
import org.jspecify.annotations.Nullable;

/** Prints a stack trace below the fields of a failed job or event. */
public final class StackTraceLines {
    private StackTraceLines() {}

    public static void print(Terminal terminal, @Nullable String stack) {
        if (stack == null) {
            return;
        }
        terminal.out().println(terminal.colours().dim("stack trace"));
        stack.lines()
                .map(line -> line.startsWith("\t")
                        ? "      " + PrintableText.line(line.strip())
                        : "  " + PrintableText.line(line))
                .forEach(terminal.out()::println);
    }
}
