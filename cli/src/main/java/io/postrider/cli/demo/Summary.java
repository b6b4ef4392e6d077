package io.postrider.cli.demo;

import io.postrider.cli.Terminal;
import io.postrider.cli.text.Ink;
import io.postrider.cli.text.Table;
import io.postrider.listen.Listeners;
import java.time.Duration;
import java.util.Locale;

/** What came of the run, after everything has stopped. */
final class Summary {
    private final Terminal terminal;
    private final Tally tally;
    private final Ink ink;

    Summary(Terminal terminal, Tally tally) {
        this.terminal = terminal;
        this.tally = tally;
        this.ink = terminal.ink();
    }

    void totals(Duration elapsed, Reading last) {
        line("ran", Board.clock(elapsed));
        line(
                "producers",
                Table.grouped(tally.events.sum()) + " events in " + Table.grouped(tally.committed.sum())
                        + " transactions, " + Table.grouped(tally.rolledBack.sum()) + " more rolled back");
        line(
                "latency",
                Board.millis(tally.latency(0.5)) + " median, " + Board.millis(tally.latency(0.99))
                        + " at 99 %, from commit to handler");
        last.listeners().forEach(this::listener);
        last.queues().forEach(this::queue);
    }

    private void listener(Listeners.Status one) {
        line(
                one.name(),
                "at " + Table.grouped(one.position()) + " of " + Table.grouped(one.head())
                        + (one.paused() ? ", paused" : "")
                        + (tally.retries(one.name()) == 0
                                ? ""
                                : ", " + Table.grouped(tally.retries(one.name())) + " failures")
                        + (one.setbacks() == 0 ? "" : ", " + Table.grouped(one.setbacks()) + " still waiting")
                        + (one.deadLetters() == 0 ? "" : ", " + Table.grouped(one.deadLetters()) + " dead letters"));
    }

    private void queue(Load one) {
        String name = one.status().name();
        long dead = one.status().deadLetters();
        line(
                name,
                Table.grouped(one.done()) + " jobs done"
                        + (one.status().paused() ? ", paused" : "")
                        + (tally.retries(name) == 0 ? "" : ", " + Table.grouped(tally.retries(name)) + " failures")
                        + (one.open() == 0 ? "" : ", " + Table.grouped(one.open()) + " still waiting")
                        + (dead == 0 ? "" : ", " + Table.grouped(dead) + " dead letters"));
    }

    /** Counted in the database: the orders that were committed against what the ledger has. */
    void books(Shop.Books books, Reading last) {
        line(
                "books",
                Table.grouped(books.orders()) + " orders of " + money(books.ordered()) + ", booked "
                        + money(books.booked()));
        checks(books.effects(), books.isRight());
        if (!books.isRight() && last.lag(Crew.LEDGER) > 0) {
            line("", "the ledger had not come to the end");
        }
    }

    /** The same for the orders that were placed, and what the packers' jobs have written. */
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
        line("", right ? ink.green(counts) : ink.red(counts));
    }

    private void line(String name, String text) {
        terminal.out().println(ink.dim(String.format("%-15s", name)) + text);
    }

    private static String money(long cents) {
        return String.format(Locale.ROOT, "%,d.%02d", cents / 100, cents % 100);
    }
}
