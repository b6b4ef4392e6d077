package io.postrider.cli.adopt;

import io.postrider.admin.Adoptions.Statement;
import io.postrider.cli.text.JsonLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Statements of an adoption as text and as JSON. */
final class AdoptionText {
    private AdoptionText() {}

    static List<String> statements(List<Statement> statements) {
        List<String> lines = new ArrayList<>();
        for (Statement statement : statements) {
            lines.add(step(statement) + ": " + statement.sql());
            lines.add("    lock: " + statement.lock());
        }
        return lines;
    }

    static String json(List<Statement> statements) {
        return statements.stream()
                .map(statement -> new JsonLine()
                        .text("step", step(statement))
                        .text("sql", statement.sql())
                        .text("lock", statement.lock())
                        .toString())
                .collect(Collectors.joining(",", "[", "]"));
    }

    private static String step(Statement statement) {
        return statement.step().name().toLowerCase(Locale.ROOT);
    }
}
