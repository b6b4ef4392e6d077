package io.postrider.cli.events;

import io.postrider.LogEvent;
import io.postrider.cli.text.AnsiColours;
import io.postrider.cli.text.PrintableText;
import java.io.PrintStream;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Prints an event as one line: for people, or as JSON. */
public final class LinePrinter {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneId.systemDefault());

    private final PrintStream out;
    private final Function<LogEvent, String> line;

    public LinePrinter(PrintStream out, Function<LogEvent, String> line) {
        this.out = out;
        this.line = line;
    }

    /** Lines for people, cut to the width of the screen. */
    public static Function<LogEvent, String> readable(AnsiColours colours, int width) {
        return event -> readable(event, colours, width);
    }

    void print(LogEvent event) {
        out.println(line.apply(event));
    }

    /** Whether the output is still read: the program at the other end of the pipe may have ended. */
    boolean flush() {
        return !out.checkError();
    }

    private static String readable(LogEvent event, AnsiColours colours, int width) {
        String time = TIME.format(event.createdAt());
        String position = "#" + event.position();
        String type = PrintableText.line(event.type());
        String marks = mark("key", event.key()) + mark("project", event.projectId()) + mark("user", event.userId());
        int used = time.length() + position.length() + type.length() + marks.length() + 4;
        String payload = PrintableText.shorten(PrintableText.line(event.payload()), Math.max(20, width - used));
        return colours.dim(time) + " " + colours.cyan(position) + " " + colours.bold(type) + colours.blue(marks) + " "
                + payload;
    }

    private static String mark(String name, @Nullable String value) {
        return value == null ? "" : " " + name + "=" + PrintableText.shorten(PrintableText.line(value), 40);
    }
}
