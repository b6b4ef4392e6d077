package io.postrider.cli.demo;

import io.postrider.cli.terminal.Terminal;

/** Prints one line per second, for a file or a pipe. */
final class PlainView implements View {
    private final Dashboard dashboard;
    private final Terminal terminal;
    private long lastSecond = -1;

    PlainView(Dashboard dashboard, Terminal terminal) {
        this.dashboard = dashboard;
        this.terminal = terminal;
    }

    @Override
    public void show(ReadingHistory history, String footer) {
        long second = history.last().elapsed().toSeconds();
        if (second != lastSecond) {
            lastSecond = second;
            terminal.out().println(dashboard.plain(history));
            terminal.out().flush();
        }
    }

    @Override
    public void close() {
        terminal.out().flush();
    }
}
