package io.postrider.cli.text;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** A line of pieces, some of them coloured, that can be cut to a width: colours take none. */
public final class Rich {
    private record Piece(String text, UnaryOperator<String> colour) {}

    private final List<Piece> pieces = new ArrayList<>();
    private int length;

    public Rich add(String text) {
        return add(text, UnaryOperator.identity());
    }

    public Rich add(String text, UnaryOperator<String> colour) {
        pieces.add(new Piece(text, colour));
        length += text.length();
        return this;
    }

    /** Goes on at a column, at least one space further. */
    public Rich to(int column) {
        return add(" ".repeat(Math.max(length == 0 ? 0 : 1, column - length)));
    }

    /** Puts a text against the right edge, if there is room. */
    public Rich right(String text, int width, UnaryOperator<String> colour) {
        return length + text.length() + 1 > width
                ? this
                : to(width - text.length()).add(text, colour);
    }

    public int length() {
        return length;
    }

    public String cut(int width) {
        StringBuilder line = new StringBuilder();
        int left = width;
        for (Piece piece : pieces) {
            if (left <= 0) {
                break;
            }
            String text = piece.text().length() <= left ? piece.text() : Clean.shorten(piece.text(), left);
            line.append(piece.colour().apply(text));
            left -= text.length();
        }
        return line.toString();
    }
}
