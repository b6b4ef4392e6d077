package io.postrider.cli.demo;

import io.postrider.cli.text.Ink;
import io.postrider.cli.text.Rich;
import io.postrider.cli.text.Table;
import io.postrider.work.Queues;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The board's block of queues. Its numbers stand below those of the listeners that mean the same. */
final class QueueRows {
    private final Ink ink;
    private final Tally tally;

    QueueRows(Ink ink, Tally tally) {
        this.ink = ink;
        this.tally = tally;
    }

    List<String> lines(History history, int width) {
        List<String> lines = new ArrayList<>();
        lines.add(heading(width));
        Depot.QUEUES.forEach(name -> lines.add(queue(history, name, width)));
        return lines;
    }

    private String heading(int width) {
        Rich line = new Rich()
                .add(" QUEUE", ink::dim)
                .add(Board.right("DEPTH", 12), ink::dim)
                .add(Board.right("RUNNING", 8), ink::dim)
                .add(Board.right("SCHEDULED", 10), ink::dim)
                .add(Board.right("DONE/S", 8), ink::dim)
                .add(Board.right("RETRIES", 9), ink::dim)
                .add(Board.right("DEAD", 6), ink::dim)
                .to(Board.CURVES);
        return (Board.isWide(width)
                        ? line.add("DEPTH, LAST HALF MINUTE", ink::dim).to(Board.CURVES + Board.CURVE)
                        : line)
                .add(Board.right("OLDEST", 8), ink::dim)
                .add("  STATE", ink::dim)
                .cut(width);
    }

    private String queue(History history, String name, int width) {
        @Nullable Load load = history.last().queue(name).orElse(null);
        if (load == null) {
            return " " + name;
        }
        Queues.Status status = load.status();
        long retries = tally.retries(name);
        UnaryOperator<String> depthColour = status.depth() < Board.MANY ? ink::green : ink::yellow;
        Rich line = new Rich()
                .add(" ● ", status.paused() ? ink::yellow : ink::green)
                .add(String.format("%-8s", name), ink::bold)
                .add(Board.right(Table.grouped(status.depth()), 7), depthColour)
                .add(Board.right(Table.grouped(status.running()), 8))
                .add(Board.right(Table.grouped(status.scheduled()), 10))
                .add(Board.right(Table.grouped(history.rate(reading -> reading.done(name))), 8))
                .add(Board.right(Table.grouped(retries), 9), retries == 0 ? ink::dim : ink::yellow)
                .add(
                        Board.right(Table.grouped(status.deadLetters()), 6),
                        status.deadLetters() == 0 ? ink::dim : ink::red)
                .to(Board.CURVES);
        if (Board.isWide(width)) {
            line.add(history.curve(Board.CURVE, Board.MANY, reading -> reading.depth(name)), depthColour);
        }
        return line.add(Board.right(oldest(status.oldestAt()), 8))
                .add(status.paused() ? "  paused" : "  working")
                .cut(width);
    }

    /** For the eye, so that the local clock may be used. */
    private static String oldest(@Nullable Instant since) {
        if (since == null) {
            return "–";
        }
        long millis = Math.max(0, Duration.between(since, Instant.now()).toMillis());
        return millis < 100_000
                ? String.format(Locale.ROOT, "%.1f s", millis / 1_000.0)
                : Table.grouped(millis / 60_000) + " min";
    }

    /** The same in a few words, for a line of a log. */
    String plain(Load load) {
        Queues.Status status = load.status();
        StringBuilder line = new StringBuilder(status.name()).append(' ').append(load.done());
        line.append(status.depth() == 0 ? "" : " (-" + status.depth() + ")");
        line.append(status.scheduled() == 0 ? "" : " scheduled " + status.scheduled());
        line.append(tally.retries(status.name()) == 0 ? "" : " retries " + tally.retries(status.name()));
        return line.append(status.deadLetters() == 0 ? "" : " dead " + status.deadLetters())
                .toString();
    }
}
