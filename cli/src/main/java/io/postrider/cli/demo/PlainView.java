package io.postrider.cli.demo;

import io.postrider.cli.Terminal;

/** A line a second, for a file or a pipe. */
final class PlainView implements View {
    private final Board board;
    private final Terminal terminal;
    private long lastSecond = -1;

    PlainView(Board board, Terminal terminal) {
        this.board = board;
        this.terminal = terminal;
    }

    @Override
    public void show(History history, String footer) {
        long second = history.last().elapsed().toSeconds();
        if (second != lastSecond) {
            lastSecond = second;
            terminal.out().println(board.plain(history));
            terminal.out().flush();
        }
    }

    @Override
    public void close() {
        terminal.out().flush();
    }
}
