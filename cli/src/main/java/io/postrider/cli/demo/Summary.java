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

    /** Counted in the database: the orders that were committed against what the ledger has. */
    void balance(Shop.Balance balance, Reading last) {
        String counts = "lost " + balance.lost() + ", duplicates " + balance.duplicates()
                + ", from rolled back transactions " + balance.ghosts();
        line("checks", balance.isRight() ? ink.green(counts) : ink.red(counts));
        line(
                "books",
                Table.grouped(balance.orders()) + " orders of " + money(balance.ordered()) + ", booked "
                        + money(balance.booked()));
        if (!balance.isRight() && last.lag(Crew.LEDGER) > 0) {
            line("", "the ledger had not come to the end");
        }
    }

    private void line(String name, String text) {
        terminal.out().println(ink.dim(String.format("%-11s", name)) + text);
    }

    private static String money(long cents) {
        return String.format(Locale.ROOT, "%,d.%02d", cents / 100, cents % 100);
    }
}
