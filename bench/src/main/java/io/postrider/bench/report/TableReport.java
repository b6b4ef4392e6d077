package io.postrider.bench.report;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** The report for people: figures in columns, then remarks. */
public final class TableReport {
    private static final List<String> HEADER = List.of("figure", "value", "unit", "ratio", "goal", "met");

    private final Report report;

    public TableReport(Report report) {
        this.report = report;
    }

    public void print(PrintStream out) {
        out.println("bench " + report.suite() + (report.scale().isShort() ? " (short: too inexact to publish)" : ""));
        out.println(report.server() + "; " + Report.machine());
        for (Report.Part part : report.parts()) {
            out.println();
            out.println(
                    part.scenario() + " (median of " + part.rounds() + " interleaved rounds): " + part.conditions());
            print(out, part.figures());
        }
        long goals = report.figures().filter(figure -> figure.goal() != null).count();
        long met = report.figures()
                .filter(figure -> Boolean.TRUE.equals(figure.met()))
                .count();
        out.println();
        out.println(met + " of " + goals + " goals met");
        out.flush();
    }

    private static void print(PrintStream out, List<Figure> figures) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEADER);
        figures.forEach(figure -> rows.add(List.of(
                figure.name(),
                Figure.plain(figure.value()),
                figure.unit(),
                figure.ratio() == null ? "" : Figure.plain(figure.ratio()),
                figure.goal() == null ? "" : figure.goal().toString(),
                figure.met() == null ? "" : figure.met() ? "yes" : "NO")));
        int[] widths = new int[HEADER.size()];
        rows.forEach(row -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        rows.forEach(row -> out.println(line(row, widths)));
        for (Figure figure : figures) {
            String remark = figure.remark();
            if (remark != null) {
                out.println("  " + figure.name() + ": " + remark);
            }
        }
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder(" ");
        for (int i = 0; i < widths.length; i++) {
            boolean right = i == 1 || i == 3;
            String gap = " ".repeat(widths[i] - row.get(i).length());
            line.append(' ').append(right ? gap + row.get(i) : row.get(i) + gap);
        }
        return line.toString().stripTrailing();
    }
}
