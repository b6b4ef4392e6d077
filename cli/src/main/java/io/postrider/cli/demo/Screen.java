package io.postrider.cli.demo;

import java.io.PrintStream;
import java.util.List;

/**
 * The terminal's alternate screen, redrawn without being cleared first, because a cleared screen flickers. Closing it restores
 * the previous content.
 */
final class Screen implements AutoCloseable {
    private static final String ENTER = "\u001b[?1049h\u001b[?25l\u001b[2J";
    private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String REST_OF_LINE = "\u001b[K";
    private static final String REST_OF_SCREEN = "\u001b[J";

    private final PrintStream out;

    Screen(PrintStream out) {
        this.out = out;
        out.print(ENTER);
        out.flush();
    }

    /** Draws with a single write, so that a partial screen is never visible. */
    void draw(List<String> lines, int rows) {
        StringBuilder frame = new StringBuilder(HOME);
        for (int i = 0; i < Math.min(lines.size(), rows); i++) {
            frame.append(i == 0 ? "" : "\r\n").append(lines.get(i)).append(REST_OF_LINE);
        }
        out.print(frame.append(REST_OF_SCREEN));
        out.flush();
    }

    @Override
    public void close() {
        out.print(LEAVE);
        out.flush();
    }
}
