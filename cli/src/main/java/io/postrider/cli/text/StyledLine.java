package io.postrider.cli.text;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** A line of text segments, some of them coloured, that can be cut to a width. Colours do not count as width. */
public final class StyledLine {
    private record Piece(String text, UnaryOperator<String> colour) {}

    private final List<Piece> pieces = new ArrayList<>();
    private int length;

    public StyledLine add(String text) {
        return add(text, UnaryOperator.identity());
    }

    public StyledLine add(String text, UnaryOperator<String> colour) {
        pieces.add(new Piece(text, colour));
        length += text.length();
        return this;
    }

    /** Continues at a column, after at least one space. */
    public StyledLine to(int column) {
        return add(" ".repeat(Math.max(length == 0 ? 0 : 1, column - length)));
    }

    /** Aligns a text to the right edge, if there is room. */
    public StyledLine right(String text, int width, UnaryOperator<String> colour) {
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
            String text = piece.text().length() <= left ? piece.text() : PrintableText.shorten(piece.text(), left);
            line.append(piece.colour().apply(text));
            left -= text.length();
        }
        return line.toString();
    }
}
