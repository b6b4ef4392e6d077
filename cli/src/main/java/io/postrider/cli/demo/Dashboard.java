package io.postrider.cli.demo;

import io.postrider.admin.Listeners;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.AnsiColours;
import io.postrider.cli.text.PrintableText;
import io.postrider.cli.text.StyledLine;
import io.postrider.cli.text.Table;
import java.time.Duration;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Lays out the readings on a screen of any size. Independent of terminals. */
final class Dashboard {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final List<String> NAMES = List.of(DemoListeners.LEDGER, DemoListeners.MAIL, DemoListeners.FLAKY);
    private static final int MOST_FAILURES = 6;
    private static final int WIDEST = 110;

    /** The height below which not everything fits. */
    private static final int HIGH = 28;

    static final int CURVES = 62;
    static final int CURVE = 30;
    private static final List<String> WHO = List.of(
            " ledger: transactional, exactly once; mail: slow; flaky: fails at times and parks that customer's events",
            " parcels: transactional jobs, exactly once, some scheduled for later; receipts: jobs that fail at times",
            "");

    /** From this value on, a lag or a depth is highlighted. */
    static final int MANY = 200;

    private final AnsiColours colours;
    private final DemoCounters counters;
    private final QueueRows queues;
    private final String chat;
    private final String server;
    private final Instructions instructions;

    /** @param chat the address of the live chat; empty if there is none */
    Dashboard(AnsiColours colours, DemoCounters counters, String chat, String server, Instructions instructions) {
        this.colours = colours;
        this.counters = counters;
        this.queues = new QueueRows(colours, counters);
        this.chat = chat;
        this.server = server;
        this.instructions = instructions;
    }

    List<String> lines(ReadingHistory history, Terminal.Size size, String footer) {
        int width = Math.min(size.columns() - 1, WIDEST); // some terminals wrap the line if the last column is used
        boolean high = size.rows() >= HIGH;
        List<String> below = below(width, high, footer);
        List<String> lines = new ArrayList<>(above(history, width, high));
        int room = size.rows() - lines.size() - below.size() - 2;
        if (room >= MOST_FAILURES + WHO.size() && width >= WHO.get(0).length()) {
            WHO.forEach(line -> lines.add(colours.dim(line)));
            room -= WHO.size();
        }
        if (room > 0) {
            lines.addAll(failures(width, Math.min(room, MOST_FAILURES)));
        }
        lines.addAll(below);
        return lines;
    }

    String chat() {
        return chat;
    }

    /** Commands to type in another terminal. */
    List<String> instructions() {
        return instructions.lines(Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    // ── the numbers ─────────────────────────────────────────────────────────────────────────────────────────────────

    private List<String> above(ReadingHistory history, int width, boolean high) {
        Reading now = history.last();
        List<String> lines = new ArrayList<>();
        lines.add(new StyledLine()
                .add(" Postrider", colours::bold)
                .add(chat.isEmpty() ? " demo" : " demo · live chat at ")
                .add(chat, colours::cyan)
                .right(server + "  " + clock(now.elapsed()), width, colours::dim)
                .cut(width));
        lines.add(colours.dim("─".repeat(width)));
        if (high) {
            lines.add("");
        }
        lines.add(producers(history, width));
        lines.add(log(history, width));
        lines.add("");
        lines.add(heading(width));
        NAMES.forEach(name -> lines.add(listener(history, name, width)));
        lines.add("");
        lines.addAll(queues.lines(history, width));
        lines.add("");
        return lines;
    }

    private String producers(ReadingHistory history, int width) {
        Reading now = history.last();
        long all = now.committed() + now.rolledBack();
        String rolledBack = all == 0 ? "" : ", " + Math.round(now.rolledBack() * 100.0 / all) + " % rolled back";
        StyledLine line = new StyledLine()
                .add(" PRODUCERS", colours::dim)
                .to(13)
                .add(Table.grouped(history.rate(Reading::events)) + " events/s", colours::bold)
                .to(30)
                .add(Producers.THREADS + " threads" + rolledBack);
        if (isWide(width)) {
            line.to(CURVES).add(history.curveOfGrowth(CURVE, Reading::events), colours::cyan);
        }
        return line.cut(width);
    }

    private String log(ReadingHistory history, int width) {
        Reading now = history.last();
        return new StyledLine()
                .add(" LOG", colours::dim)
                .to(13)
                .add("head " + Table.grouped(now.head()), colours::bold)
                .to(30)
                .add(isWide(width) ? "commit to handler " : "latency ")
                .add(millis(counters.latency(0.5)), colours::bold)
                .add(" median, ")
                .add(millis(counters.latency(0.99)), colours::bold)
                .add(" at 99 %")
                .cut(width);
    }

    private String heading(int width) {
        StyledLine line = new StyledLine()
                .add(" LISTENER", colours::dim)
                .add(right("POSITION", 17), colours::dim)
                .add(right("LAG", 8), colours::dim)
                .add(right("EVENTS/S", 10), colours::dim)
                .add(right("RETRIES", 9), colours::dim)
                .add(right("DEAD", 6), colours::dim)
                .to(CURVES);
        return (isWide(width) ? line.add("LAG, LAST HALF MINUTE", colours::dim).to(CURVES + CURVE + 1) : line)
                .add("STATE", colours::dim)
                .cut(width);
    }

    private String listener(ReadingHistory history, String name, int width) {
        Listeners.@Nullable Status status = history.last().listener(name).orElse(null);
        if (status == null) {
            return " " + name;
        }
        UnaryOperator<String> lagColour = status.lag() < MANY ? colours::green : colours::yellow;
        StyledLine line = new StyledLine()
                .add(" ● ", colour(status))
                .add(String.format("%-7s", name), colours::bold)
                .add(right(Table.grouped(status.position()), 16))
                .add(right(Table.grouped(status.lag()), 8), lagColour)
                .add(right(Table.grouped(history.rate(reading -> reading.position(name))), 10))
                .add(
                        right(Table.grouped(counters.retries(name)), 9),
                        counters.retries(name) == 0 ? colours::dim : colours::yellow)
                .add(
                        right(Table.grouped(status.deadLetters()), 6),
                        status.deadLetters() == 0 ? colours::dim : colours::red)
                .to(CURVES);
        if (isWide(width)) {
            line.add(history.curve(CURVE, MANY, reading -> reading.lag(name)), lagColour)
                    .add(" ");
        }
        return line.add(state(status)).cut(width);
    }

    /** A narrower screen shows the numbers without the curves. */
    static boolean isWide(int width) {
        return width >= CURVES + CURVE + 8;
    }

    private UnaryOperator<String> colour(Listeners.Status status) {
        if (status.detachedAt() != null) {
            return colours::red;
        }
        return status.paused() || status.owner() == null || status.attempts() > 0 ? colours::yellow : colours::green;
    }

    private static String state(Listeners.Status status) {
        if (status.detachedAt() != null) {
            return "detached";
        }
        if (status.paused()) {
            return "paused";
        }
        if (status.owner() == null) {
            return "starting";
        }
        return status.setbacks() > 0 ? Table.grouped(status.setbacks()) + " waiting" : "running";
    }

    // ── failures, and commands to try ───────────────────────────────────────────────────────────────────────────────

    private List<String> failures(int width, int most) {
        List<String> lines = new ArrayList<>();
        lines.add(colours.dim(" FAILURES"));
        List<DemoCounters.Failure> failures = counters.failures();
        for (int i = 0; i < most; i++) {
            // always the same number of lines: the lines below must not jump
            lines.add(i < failures.size() ? failure(failures.get(i), width) : "");
        }
        lines.add("");
        return lines;
    }

    private String failure(DemoCounters.Failure failure, int width) {
        boolean dead = failure.what().startsWith("dead");
        return new StyledLine()
                .add(" " + TIME.format(failure.at()), colours::dim)
                .add("  " + failure.who())
                .add("  #" + failure.position(), colours::cyan)
                .to(32)
                .add(PrintableText.line(failure.what()), dead ? colours::red : colours::yellow)
                .cut(width);
    }

    private List<String> below(int width, boolean high, String footer) {
        List<String> lines = new ArrayList<>();
        lines.add(colours.dim(" IN ANOTHER TERMINAL"));
        instructions.lines(width - 1, high ? Integer.MAX_VALUE : 1).forEach(line -> lines.add(" " + line));
        lines.add("");
        lines.add(new StyledLine().add(" " + footer, colours::dim).cut(width));
        return lines;
    }

    // ── one line a second, for a log ────────────────────────────────────────────────────────────────────────────────

    /** The same readings in one line without colours. */
    String plain(ReadingHistory history) {
        Reading now = history.last();
        StringBuilder line = new StringBuilder(clock(now.elapsed()))
                .append("  head ")
                .append(now.head())
                .append("  ")
                .append(history.rate(Reading::events))
                .append("/s  p50 ")
                .append(millis(counters.latency(0.5)));
        for (String name : NAMES) {
            now.listener(name).ifPresent(status -> {
                line.append("  ").append(name).append(' ').append(status.position());
                line.append(status.lag() == 0 ? "" : " (-" + status.lag() + ")");
                line.append(counters.retries(name) == 0 ? "" : " retries " + counters.retries(name));
                line.append(status.deadLetters() == 0 ? "" : " dead " + status.deadLetters());
            });
        }
        now.queues().forEach(one -> line.append("  ").append(queues.plain(one)));
        return line.toString();
    }

    static String clock(Duration elapsed) {
        return String.format(
                Locale.ROOT, "%02d:%02d:%02d", elapsed.toHours(), elapsed.toMinutesPart(), elapsed.toSecondsPart());
    }

    static String millis(Duration duration) {
        return String.format(Locale.ROOT, "%.1f ms", duration.toNanos() / 1e6);
    }

    static String right(String text, int width) {
        return " ".repeat(Math.max(0, width - text.length())) + text;
    }
}
