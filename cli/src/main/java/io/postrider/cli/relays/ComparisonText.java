package io.postrider.cli.relays;

import io.postrider.admin.Comparison;
import io.postrider.admin.Comparison.Difference;
import io.postrider.admin.Comparison.Example;
import io.postrider.cli.text.AnsiColours;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.PrintableText;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A comparison as text and as JSON. */
final class ComparisonText {
    private static final int SHOWN = 5;

    private ComparisonText() {}

    private static Map<String, Difference> differences(Comparison found) {
        Map<String, Difference> all = new LinkedHashMap<>();
        all.put("missing", found.missing());
        all.put("extra", found.extra());
        all.put("reordered", found.reordered());
        all.put("different", found.different());
        all.put("repeated", found.repeated());
        all.put("pending", found.pending());
        all.put("failed", found.failed());
        return all;
    }

    static List<String> lines(Comparison found, AnsiColours colours) {
        List<String> lines = new ArrayList<>();
        lines.add(found.listener() + " compared with " + PrintableText.line(found.publisher()) + ": positions "
                + Table.grouped(found.from()) + " to " + Table.grouped(found.to()) + ", "
                + Table.grouped(found.events())
                + " events");
        Table table = new Table(Column.left("DIFFERENCE"), Column.right("COUNT"), Column.left("EXAMPLES"));
        differences(found)
                .forEach((name, difference) -> table.row(
                        Cell.of(name, colours::bold),
                        count(name, difference, colours),
                        Cell.of(isCompared(name, found) ? examples(difference) : "not compared")));
        lines.addAll(table.lines(colours));
        return lines;
    }

    private static boolean isCompared(String name, Comparison found) {
        return switch (name) {
            case "reordered" -> found.orderCompared();
            case "different" -> found.payloadCompared();
            default -> true;
        };
    }

    private static Cell count(String name, Difference difference, AnsiColours colours) {
        boolean isHarmless = name.equals("repeated") || name.equals("pending");
        return Cell.of(
                Table.grouped(difference.count()),
                difference.count() == 0 ? colours::dim : isHarmless ? colours::yellow : colours::red);
    }

    private static String examples(Difference difference) {
        String shown = difference.examples().stream()
                .limit(SHOWN)
                .map(ComparisonText::text)
                .collect(Collectors.joining("; "));
        return difference.count() > SHOWN ? shown + "; …" : shown;
    }

    private static String text(Example example) {
        String where = example.position() == null
                ? "id '" + PrintableText.shorten(PrintableText.line(example.id()), 40) + "'"
                : Table.grouped(example.position());
        return example.detail() == null
                ? where
                : where + " (" + PrintableText.shorten(PrintableText.line(example.detail()), 80) + ")";
    }

    static JsonLine json(Comparison found) {
        JsonLine json = new JsonLine()
                .text("name", found.listener())
                .text("publisher", found.publisher())
                .bool("same", found.isSame())
                .number("from", found.from())
                .number("to", found.to())
                .number("events", found.events())
                .bool("order_compared", found.orderCompared())
                .bool("payload_compared", found.payloadCompared());
        differences(found)
                .forEach((name, difference) -> json.raw(
                        name,
                        new JsonLine()
                                .number("count", difference.count())
                                .raw(
                                        "examples",
                                        difference.examples().stream()
                                                .map(ComparisonText::json)
                                                .collect(Collectors.joining(",", "[", "]")))
                                .toString()));
        return json;
    }

    private static String json(Example example) {
        return new JsonLine()
                .raw("position", String.valueOf(example.position()))
                .text("id", example.id())
                .text("detail", example.detail())
                .toString();
    }
}
