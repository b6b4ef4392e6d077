package io.postrider.cli.tail;

import io.postrider.LogEvent;
import io.postrider.cli.text.Clean;
import io.postrider.cli.text.Ink;
import java.io.PrintStream;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An event on a line: for a person, or as JSON. */
public final class LinePrinter {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneId.systemDefault());

    private final PrintStream out;
    private final Function<LogEvent, String> line;

    public LinePrinter(PrintStream out, Function<LogEvent, String> line) {
        this.out = out;
        this.line = line;
    }

    /** Lines for a person, no longer than the screen is wide. */
    public static Function<LogEvent, String> readable(Ink ink, int width) {
        return event -> readable(event, ink, width);
    }

    void print(LogEvent event) {
        out.println(line.apply(event));
    }

    /** Whether somebody still reads: the program behind the pipe may have ended. */
    boolean flush() {
        return !out.checkError();
    }

    private static String readable(LogEvent event, Ink ink, int width) {
        String time = TIME.format(event.createdAt());
        String position = "#" + event.position();
        String type = Clean.line(event.type());
        String marks = mark("key", event.key()) + mark("project", event.projectId()) + mark("user", event.userId());
        int used = time.length() + position.length() + type.length() + marks.length() + 4;
        String payload = Clean.shorten(Clean.line(event.payload()), Math.max(20, width - used));
        return ink.dim(time) + " " + ink.cyan(position) + " " + ink.bold(type) + ink.blue(marks) + " " + payload;
    }

    private static String mark(String name, @Nullable String value) {
        return value == null ? "" : " " + name + "=" + Clean.shorten(Clean.line(value), 40);
    }
}
