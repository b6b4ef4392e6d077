package io.postrider.internal.schema;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The statements of a migration file, and which locks on tables each of them takes. The locks are derived from the text, so that a
 * plan needs no locks itself; {@code MigrationPlanTest} compares them with those that the server takes.
 */
final class ScriptStatements {
    private static final String TABLE = "(?:only )?(postrider\\.[a-z_]+)";

    /** A form of a statement, and the lock that it takes on the table in its first group. */
    private record Rule(Pattern form, String lock) {
        static Rule of(String form, String lock) {
            return new Rule(Pattern.compile(form), lock);
        }
    }

    private static final List<Rule> RULES = List.of(
            Rule.of("\\balter table " + TABLE, "ACCESS EXCLUSIVE"),
            Rule.of("\\bdrop trigger (?:if exists )?[a-z_]+ on " + TABLE, "ACCESS EXCLUSIVE"),
            Rule.of("\\b(?:create|drop) policy (?:if exists )?[a-z_]+ on " + TABLE, "ACCESS EXCLUSIVE"),
            Rule.of("\\bdrop (?:table|view) (?:if exists )?" + TABLE, "ACCESS EXCLUSIVE"),
            Rule.of("\\btruncate (?:table )?" + TABLE, "ACCESS EXCLUSIVE"),
            Rule.of("\\bcreate or replace view " + TABLE, "ACCESS EXCLUSIVE"),
            Rule.of("\\bpartition of " + TABLE, "ACCESS EXCLUSIVE"),
            Rule.of("to_regclass\\('" + TABLE + "'\\)", "ACCESS EXCLUSIVE"), // a view that a block replaces
            Rule.of("\\bcreate trigger [a-z_]+ [a-z ]+ on " + TABLE, "SHARE ROW EXCLUSIVE"),
            Rule.of("\\breferences " + TABLE, "SHARE ROW EXCLUSIVE"),
            Rule.of("\\bcreate (?:unique )?index (?:if not exists )?[a-z_]+ on " + TABLE, "SHARE"),
            Rule.of("\\binsert into " + TABLE, "ROW EXCLUSIVE"),
            Rule.of("\\bupdate " + TABLE, "ROW EXCLUSIVE"),
            Rule.of("\\bdelete from " + TABLE, "ROW EXCLUSIVE"));

    private ScriptStatements() {}

    /** The statements, without comments. */
    static List<String> of(String script) {
        List<String> statements = new ArrayList<>();
        StringBuilder statement = new StringBuilder();
        int i = 0;
        while (i < script.length()) {
            int end = tokenEnd(script, i);
            String token = script.substring(i, end);
            if (token.equals(";")) {
                add(statements, statement);
            } else if (!token.startsWith("--")) {
                statement.append(token);
            }
            i = end;
        }
        add(statements, statement);
        return statements;
    }

    /** The end of a comment, a quoted text, or a single character. */
    private static int tokenEnd(String script, int from) {
        if (script.startsWith("--", from)) {
            int newline = script.indexOf('\n', from);
            return newline < 0 ? script.length() : newline;
        }
        char c = script.charAt(from);
        if (c == '\'') {
            return script.indexOf('\'', from + 1) + 1;
        }
        return script.startsWith("$$", from) ? script.indexOf("$$", from + 2) + 2 : from + 1;
    }

    private static void add(List<String> statements, StringBuilder statement) {
        String text = statement
                .toString()
                .replaceAll("(?m)[ \\t]+$", "")
                .replaceAll("\\n{2,}", "\n")
                .strip();
        if (!text.isEmpty()) {
            statements.add(text);
        }
        statement.setLength(0);
    }

    /** The locks of a statement on tables, such as {@code ACCESS EXCLUSIVE on postrider.queue}. */
    static List<String> locks(String statement) {
        String text = statement.replaceAll("\\s+", " ");
        Set<String> locks = new LinkedHashSet<>();
        if (!text.startsWith("create or replace function")) {
            for (Rule rule : RULES) {
                Matcher matcher = rule.form().matcher(text);
                while (matcher.find()) {
                    locks.add(rule.lock() + " on " + matcher.group(1));
                }
            }
        }
        return List.copyOf(locks);
    }
}
