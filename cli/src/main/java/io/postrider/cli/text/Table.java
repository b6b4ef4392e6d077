package io.postrider.cli.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** Aligns columns: numbers to the right, everything else to the left. Colours do not count as width. */
public final class Table {
    private final List<Column> columns;
    private final List<List<Cell>> rows = new ArrayList<>();

    public Table(Column... columns) {
        this.columns = List.of(columns);
    }

    /** A column's heading and alignment. */
    public record Column(String heading, boolean right) {
        public static Column left(String heading) {
            return new Column(heading, false);
        }

        public static Column right(String heading) {
            return new Column(heading, true);
        }
    }

    /** A cell's text, and the colour that is applied after padding. */
    public record Cell(String text, UnaryOperator<String> colour) {
        public static Cell of(String text) {
            return new Cell(text, UnaryOperator.identity());
        }

        public static Cell of(long number) {
            return of(grouped(number));
        }

        public static Cell of(String text, UnaryOperator<String> colour) {
            return new Cell(text, colour);
        }
    }

    public Table row(Cell... cells) {
        rows.add(List.of(cells));
        return this;
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /** The heading and the rows. */
    public List<String> lines(AnsiColours colours) {
        List<List<Cell>> all = new ArrayList<>();
        all.add(columns.stream()
                .map(column -> Cell.of(column.heading(), colours::dim))
                .toList());
        all.addAll(rows);
        return all.stream().map(row -> line(all, row)).toList();
    }

    private String line(List<List<Cell>> all, List<Cell> row) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
            int column = i;
            int width = all.stream()
                    .mapToInt(r -> r.get(column).text().length())
                    .max()
                    .orElse(0);
            String space = " ".repeat(width - row.get(i).text().length());
            String text = row.get(i).colour().apply(row.get(i).text());
            boolean last = i == row.size() - 1;
            line.append(columns.get(i).right() ? space + text : last ? text : text + space);
            line.append(last ? "" : "  ");
        }
        return line.toString();
    }

    /** {@code 12,345}. */
    public static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
