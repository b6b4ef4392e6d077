package io.postrider.cli.demo;

import io.postrider.cli.Terminal;
import io.postrider.cli.text.Clean;
import io.postrider.cli.text.Ink;
import io.postrider.cli.text.Rich;
import io.postrider.cli.text.Table;
import io.postrider.listen.Listeners;
import java.time.Duration;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Lays the readings out on a screen, wide or narrow, high or low. Knows nothing of terminals. */
final class Board {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final List<String> NAMES = List.of(Crew.LEDGER, Crew.MAIL, Crew.FLAKY);
    private static final int MOST_FAILURES = 6;
    private static final int WIDEST = 110;

    /** Lower than this, there is no room for everything. */
    private static final int HIGH = 28;

    static final int CURVES = 62;
    static final int CURVE = 30;
    private static final List<String> WHO = List.of(
            " ledger books in the transaction of its cursor, mail is slow, flaky fails and parks the customer meanwhile",
            " parcels are booked in the transaction that settles their job, some at a later time; receipts fail at times",
            "");

    /** From here on a lag is one, and a depth. */
    static final int MANY = 200;

    private final Ink ink;
    private final Tally tally;
    private final QueueRows queues;
    private final String chat;
    private final String server;
    private final Invitation invitation;

    /** @param chat where the live chat is; empty: nowhere */
    Board(Ink ink, Tally tally, String chat, String server, Invitation invitation) {
        this.ink = ink;
        this.tally = tally;
        this.queues = new QueueRows(ink, tally);
        this.chat = chat;
        this.server = server;
        this.invitation = invitation;
    }

    List<String> lines(History history, Terminal.Size size, String footer) {
        int width =
                Math.min(size.columns() - 1, WIDEST); // the last column stays free, or some terminals break the line
        boolean high = size.rows() >= HIGH;
        List<String> below = below(width, high, footer);
        List<String> lines = new ArrayList<>(above(history, width, high));
        int room = size.rows() - lines.size() - below.size() - 2;
        if (room >= MOST_FAILURES + WHO.size() && width >= WHO.get(0).length()) {
            WHO.forEach(line -> lines.add(ink.dim(line)));
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

    /** What to type elsewhere. */
    List<String> invitation() {
        return invitation.lines(Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    // ── the numbers ─────────────────────────────────────────────────────────────────────────────────────────────────

    private List<String> above(History history, int width, boolean high) {
        Reading now = history.last();
        List<String> lines = new ArrayList<>();
        lines.add(new Rich()
                .add(" Postrider", ink::bold)
                .add(chat.isEmpty() ? " demo" : " demo · live chat at ")
                .add(chat, ink::cyan)
                .right(server + "  " + clock(now.elapsed()), width, ink::dim)
                .cut(width));
        lines.add(ink.dim("─".repeat(width)));
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

    private String producers(History history, int width) {
        Reading now = history.last();
        long all = now.committed() + now.rolledBack();
        String rolledBack = all == 0 ? "" : ", " + Math.round(now.rolledBack() * 100.0 / all) + " % rolled back";
        Rich line = new Rich()
                .add(" PRODUCERS", ink::dim)
                .to(13)
                .add(Table.grouped(history.rate(Reading::events)) + " events/s", ink::bold)
                .to(30)
                .add(Producers.THREADS + " threads" + rolledBack);
        if (isWide(width)) {
            line.to(CURVES).add(history.curveOfGrowth(CURVE, Reading::events), ink::cyan);
        }
        return line.cut(width);
    }

    private String log(History history, int width) {
        Reading now = history.last();
        return new Rich()
                .add(" LOG", ink::dim)
                .to(13)
                .add("head " + Table.grouped(now.head()), ink::bold)
                .to(30)
                .add(isWide(width) ? "commit to handler " : "latency ")
                .add(millis(tally.latency(0.5)), ink::bold)
                .add(" median, ")
                .add(millis(tally.latency(0.99)), ink::bold)
                .add(" at 99 %")
                .cut(width);
    }

    private String heading(int width) {
        Rich line = new Rich()
                .add(" LISTENER", ink::dim)
                .add(right("POSITION", 17), ink::dim)
                .add(right("LAG", 8), ink::dim)
                .add(right("EVENTS/S", 10), ink::dim)
                .add(right("RETRIES", 9), ink::dim)
                .add(right("DEAD", 6), ink::dim)
                .to(CURVES);
        return (isWide(width) ? line.add("LAG, LAST HALF MINUTE", ink::dim).to(CURVES + CURVE + 1) : line)
                .add("STATE", ink::dim)
                .cut(width);
    }

    private String listener(History history, String name, int width) {
        Listeners.@Nullable Status status = history.last().listener(name).orElse(null);
        if (status == null) {
            return " " + name;
        }
        UnaryOperator<String> lagColour = status.lag() < MANY ? ink::green : ink::yellow;
        Rich line = new Rich()
                .add(" ● ", colour(status))
                .add(String.format("%-7s", name), ink::bold)
                .add(right(Table.grouped(status.position()), 16))
                .add(right(Table.grouped(status.lag()), 8), lagColour)
                .add(right(Table.grouped(history.rate(reading -> reading.position(name))), 10))
                .add(right(Table.grouped(tally.retries(name)), 9), tally.retries(name) == 0 ? ink::dim : ink::yellow)
                .add(right(Table.grouped(status.deadLetters()), 6), status.deadLetters() == 0 ? ink::dim : ink::red)
                .to(CURVES);
        if (isWide(width)) {
            line.add(history.curve(CURVE, MANY, reading -> reading.lag(name)), lagColour)
                    .add(" ");
        }
        return line.add(state(status)).cut(width);
    }

    /** Narrower, the curves go; the numbers stay. */
    static boolean isWide(int width) {
        return width >= CURVES + CURVE + 8;
    }

    private UnaryOperator<String> colour(Listeners.Status status) {
        if (status.detachedAt() != null) {
            return ink::red;
        }
        return status.paused() || status.owner() == null || status.attempts() > 0 ? ink::yellow : ink::green;
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
        return status.setbacks() > 0 ? Table.grouped(status.setbacks()) + " waiting" : "riding";
    }

    // ── what failed, and what to try ────────────────────────────────────────────────────────────────────────────────

    private List<String> failures(int width, int most) {
        List<String> lines = new ArrayList<>();
        lines.add(ink.dim(" WHAT FAILED"));
        List<Tally.Failure> failures = tally.failures();
        for (int i = 0; i < most; i++) {
            // always the same number of lines: what is below must not jump
            lines.add(i < failures.size() ? failure(failures.get(i), width) : "");
        }
        lines.add("");
        return lines;
    }

    private String failure(Tally.Failure failure, int width) {
        boolean dead = failure.what().startsWith("dead");
        return new Rich()
                .add(" " + TIME.format(failure.at()), ink::dim)
                .add("  " + failure.who())
                .add("  #" + failure.position(), ink::cyan)
                .to(32)
                .add(Clean.line(failure.what()), dead ? ink::red : ink::yellow)
                .cut(width);
    }

    private List<String> below(int width, boolean high, String footer) {
        List<String> lines = new ArrayList<>();
        lines.add(ink.dim(" IN ANOTHER TERMINAL"));
        invitation.lines(width - 1, high ? Integer.MAX_VALUE : 1).forEach(line -> lines.add(" " + line));
        lines.add("");
        lines.add(new Rich().add(" " + footer, ink::dim).cut(width));
        return lines;
    }

    // ── one line a second, for a log ────────────────────────────────────────────────────────────────────────────────

    /** The same in one line without colours. */
    String plain(History history) {
        Reading now = history.last();
        StringBuilder line = new StringBuilder(clock(now.elapsed()))
                .append("  head ")
                .append(now.head())
                .append("  ")
                .append(history.rate(Reading::events))
                .append("/s  p50 ")
                .append(millis(tally.latency(0.5)));
        for (String name : NAMES) {
            now.listener(name).ifPresent(status -> {
                line.append("  ").append(name).append(' ').append(status.position());
                line.append(status.lag() == 0 ? "" : " (-" + status.lag() + ")");
                line.append(tally.retries(name) == 0 ? "" : " retries " + tally.retries(name));
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
