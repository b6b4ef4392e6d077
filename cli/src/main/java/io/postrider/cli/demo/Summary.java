package io.postrider.cli.demo;

import io.postrider.admin.Listeners;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.AnsiColours;
import io.postrider.cli.text.Table;
import java.time.Duration;
import java.util.Locale;

/** The results of the run, after everything has stopped. */
final class Summary {
    private final Terminal terminal;
    private final DemoCounters counters;
    private final AnsiColours colours;

    Summary(Terminal terminal, DemoCounters counters) {
        this.terminal = terminal;
        this.counters = counters;
        this.colours = terminal.colours();
    }

    void totals(Duration elapsed, Reading last) {
        line("ran", Dashboard.clock(elapsed));
        line(
                "producers",
                Table.grouped(counters.events.sum()) + " events in " + Table.grouped(counters.committed.sum())
                        + " transactions, " + Table.grouped(counters.rolledBack.sum()) + " more rolled back");
        line(
                "latency",
                Dashboard.millis(counters.latency(0.5)) + " median, " + Dashboard.millis(counters.latency(0.99))
                        + " at 99 %, from commit to handler");
        last.listeners().forEach(this::listener);
        last.queues().forEach(this::queue);
    }

    private void listener(Listeners.Status one) {
        line(
                one.name(),
                "at " + Table.grouped(one.position()) + " of " + Table.grouped(one.head())
                        + (one.paused() ? ", paused" : "")
                        + (counters.retries(one.name()) == 0
                                ? ""
                                : ", " + Table.grouped(counters.retries(one.name())) + " failures")
                        + (one.setbacks() == 0 ? "" : ", " + Table.grouped(one.setbacks()) + " still waiting")
                        + (one.deadLetters() == 0 ? "" : ", " + Table.grouped(one.deadLetters()) + " dead letters"));
    }

    private void queue(QueueReading one) {
        String name = one.status().name();
        long dead = one.status().deadLetters();
        line(
                name,
                Table.grouped(one.done()) + " jobs done"
                        + (one.status().paused() ? ", paused" : "")
                        + (counters.retries(name) == 0
                                ? ""
                                : ", " + Table.grouped(counters.retries(name)) + " failures")
                        + (one.open() == 0 ? "" : ", " + Table.grouped(one.open()) + " still waiting")
                        + (dead == 0 ? "" : ", " + Table.grouped(dead) + " dead letters"));
    }

    /** Counted in the database: the committed orders compared with the ledger. */
    void books(Shop.Books books, Reading last) {
        line(
                "books",
                Table.grouped(books.orders()) + " orders of " + money(books.ordered()) + ", booked "
                        + money(books.booked()));
        checks(books.effects(), books.isRight());
        if (!books.isRight() && last.lag(DemoListeners.LEDGER) > 0) {
            line("", "the listener ledger had not processed all events yet");
        }
    }

    /** The same for the placed orders and the parcels of the packers' jobs. */
    void parcels(Shop.Parcels parcels) {
        line(
                "packed",
                Table.grouped(parcels.packed()) + " parcels for " + Table.grouped(parcels.orders()) + " orders placed"
                        + (parcels.waiting() == 0 ? "" : ", " + Table.grouped(parcels.waiting()) + " jobs not done"));
        checks(parcels.effects(), parcels.effects().isRight());
    }

    private void checks(Shop.Effects effects, boolean right) {
        String counts = "lost " + effects.lost() + ", duplicates " + effects.duplicates()
                + ", from rolled back transactions " + effects.ghosts();
        line("", right ? colours.green(counts) : colours.red(counts));
    }

    private void line(String name, String text) {
        terminal.out().println(colours.dim(String.format("%-15s", name)) + text);
    }

    private static String money(long cents) {
        return String.format(Locale.ROOT, "%,d.%02d", cents / 100, cents % 100);
    }
}
