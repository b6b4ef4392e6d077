package io.postrider.cli.demo;

import io.postrider.admin.Queues;
import io.postrider.cli.text.AnsiColours;
import io.postrider.cli.text.StyledLine;
import io.postrider.cli.text.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The dashboard's block of queues. Its numbers are aligned with the corresponding numbers of the listeners. */
final class QueueRows {
    private final AnsiColours colours;
    private final DemoCounters counters;

    QueueRows(AnsiColours colours, DemoCounters counters) {
        this.colours = colours;
        this.counters = counters;
    }

    List<String> lines(ReadingHistory history, int width) {
        List<String> lines = new ArrayList<>();
        lines.add(heading(width));
        DemoWorkers.QUEUES.forEach(name -> lines.add(queue(history, name, width)));
        return lines;
    }

    private String heading(int width) {
        StyledLine line = new StyledLine()
                .add(" QUEUE", colours::dim)
                .add(Dashboard.right("DEPTH", 12), colours::dim)
                .add(Dashboard.right("RUNNING", 8), colours::dim)
                .add(Dashboard.right("SCHEDULED", 10), colours::dim)
                .add(Dashboard.right("DONE/S", 8), colours::dim)
                .add(Dashboard.right("RETRIES", 9), colours::dim)
                .add(Dashboard.right("DEAD", 6), colours::dim)
                .to(Dashboard.CURVES);
        return (Dashboard.isWide(width)
                        ? line.add("DEPTH, LAST HALF MINUTE", colours::dim).to(Dashboard.CURVES + Dashboard.CURVE)
                        : line)
                .add(Dashboard.right("OLDEST", 8), colours::dim)
                .add("  STATE", colours::dim)
                .cut(width);
    }

    private String queue(ReadingHistory history, String name, int width) {
        @Nullable QueueReading load = history.last().queue(name).orElse(null);
        if (load == null) {
            return " " + name;
        }
        Queues.Status status = load.status();
        long retries = counters.retries(name);
        UnaryOperator<String> depthColour = status.depth() < Dashboard.MANY ? colours::green : colours::yellow;
        StyledLine line = new StyledLine()
                .add(" ● ", status.paused() ? colours::yellow : colours::green)
                .add(String.format("%-8s", name), colours::bold)
                .add(Dashboard.right(Table.grouped(status.depth()), 7), depthColour)
                .add(Dashboard.right(Table.grouped(status.running()), 8))
                .add(Dashboard.right(Table.grouped(status.scheduled()), 10))
                .add(Dashboard.right(Table.grouped(history.rate(reading -> reading.done(name))), 8))
                .add(Dashboard.right(Table.grouped(retries), 9), retries == 0 ? colours::dim : colours::yellow)
                .add(
                        Dashboard.right(Table.grouped(status.deadLetters()), 6),
                        status.deadLetters() == 0 ? colours::dim : colours::red)
                .to(Dashboard.CURVES);
        if (Dashboard.isWide(width)) {
            line.add(history.curve(Dashboard.CURVE, Dashboard.MANY, reading -> reading.depth(name)), depthColour);
        }
        return line.add(Dashboard.right(oldest(status.oldestAt()), 8))
                .add(status.paused() ? "  paused" : "  working")
                .cut(width);
    }

    /** For display only, so the local clock suffices. */
    private static String oldest(@Nullable Instant since) {
        if (since == null) {
            return "–";
        }
        long millis = Math.max(0, Duration.between(since, Instant.now()).toMillis());
        return millis < 100_000
                ? String.format(Locale.ROOT, "%.1f s", millis / 1_000.0)
                : Table.grouped(millis / 60_000) + " min";
    }

    /** The same in a few words, for one line of output. */
    String plain(QueueReading load) {
        Queues.Status status = load.status();
        StringBuilder line = new StringBuilder(status.name()).append(' ').append(load.done());
        line.append(status.depth() == 0 ? "" : " (-" + status.depth() + ")");
        line.append(status.scheduled() == 0 ? "" : " scheduled " + status.scheduled());
        line.append(counters.retries(status.name()) == 0 ? "" : " retries " + counters.retries(status.name()));
        return line.append(status.deadLetters() == 0 ? "" : " dead " + status.deadLetters())
                .toString();
    }
}
