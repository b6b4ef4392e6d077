package io.postrider.bench.report;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The report as one JSON object on one line. Its field names are stable. */
public final class JsonReport {
    private final Report report;

    public JsonReport(Report report) {
        this.report = report;
    }

    public String text() {
        List<String> conditions = report.parts().stream()
                .map(part -> quoted(part.scenario()) + ":" + quoted(part.conditions()))
                .toList();
        List<String> rounds = report.parts().stream()
                .map(part -> quoted(part.scenario()) + ":" + part.rounds())
                .toList();
        List<String> figures = report.figures().map(this::figure).toList();
        return "{\"bench\":" + quoted(report.suite()) + ",\"short\":"
                + report.scale().isShort()
                + ",\"rounds\":{" + String.join(",", rounds) + "}"
                + ",\"server\":" + quoted(report.server())
                + ",\"machine\":" + quoted(Report.machine())
                + ",\"conditions\":{" + String.join(",", conditions)
                + "},\"figures\":[" + String.join(",", figures) + "]}";
    }

    private String figure(Figure figure) {
        List<String> fields = new ArrayList<>();
        fields.add("\"name\":" + quoted(figure.name()));
        fields.add("\"value\":" + number(figure.value()));
        fields.add("\"unit\":" + quoted(figure.unit()));
        fields.add("\"ratio\":" + number(figure.ratio()));
        fields.add("\"goal\":"
                + (figure.goal() == null ? "null" : quoted(figure.goal().toString())));
        fields.add("\"met\":" + figure.met());
        if (report.scale().isShort()) {
            fields.add("\"short\":true");
        }
        String remark = figure.remark();
        if (remark != null) {
            fields.add("\"note\":" + quoted(remark));
        }
        return "{" + String.join(",", fields) + "}";
    }

    private static String number(@Nullable Double number) {
        if (number == null) {
            return "null";
        }
        if (number.isNaN() || number.isInfinite()) {
            throw new IllegalStateException("a figure is not a number: " + number);
        }
        return Figure.plain(number);
    }

    static String quoted(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> json.append("\\\"");
                case '\\' -> json.append("\\\\");
                case '\n' -> json.append("\\n");
                default -> {
                    if (c < 0x20) {
                        json.append(String.format("\\u%04x", (int) c));
                    } else {
                        json.append(c);
                    }
                }
            }
        }
        return json.append('"').toString();
    }
}
