package io.postrider.cli.demo;

import io.postrider.cli.Terminal;

/** A screen that is drawn over. */
final class LiveView implements View {
    /** Asking for the size starts a program: now and then is enough to follow a window. */
    private static final int FRAMES_PER_SIZE = 4;

    private final Board board;
    private final Terminal terminal;
    private final Screen screen;
    private Terminal.Size size;
    private int frames;

    LiveView(Board board, Terminal terminal) {
        this.board = board;
        this.terminal = terminal;
        this.size = terminal.size();
        this.screen = new Screen(terminal.out());
    }

    @Override
    public void show(History history, String footer) {
        if (++frames % FRAMES_PER_SIZE == 0) {
            size = terminal.size();
        }
        screen.draw(board.lines(history, size, footer), size.rows());
    }

    @Override
    public void close() {
        screen.close();
    }
}
