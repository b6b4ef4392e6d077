package io.postrider.cli.demo;

import io.postrider.cli.terminal.Terminal;

/** Redraws the screen in place. */
final class LiveView implements View {
    /** Querying the size starts a program, so it is done only now and then. */
    private static final int FRAMES_PER_SIZE = 4;

    private final Dashboard dashboard;
    private final Terminal terminal;
    private final Screen screen;
    private Terminal.Size size;
    private int frames;

    LiveView(Dashboard dashboard, Terminal terminal) {
        this.dashboard = dashboard;
        this.terminal = terminal;
        this.size = terminal.size();
        this.screen = new Screen(terminal.out());
    }

    @Override
    public void show(ReadingHistory history, String footer) {
        if (++frames % FRAMES_PER_SIZE == 0) {
            size = terminal.size();
        }
        screen.draw(dashboard.lines(history, size, footer), size.rows());
    }

    @Override
    public void close() {
        screen.close();
    }
}
