package io.postrider.livechat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the agents of the project that a text mentions by {@code @name}, each once, in the order of the text. */
final class Mentions {
    /** Not inside a word; otherwise an address such as me@anna.example would match. */
    private static final Pattern CALL = Pattern.compile("(?<![\\p{L}\\p{N}_@.])@([\\p{L}\\p{N}_-]{1,40})");

    private static final int MOST = 10;

    private Mentions() {}

    static List<String> in(Connection connection, String project, String text) throws SQLException {
        Set<String> called = names(text);
        if (called.isEmpty()) {
            return List.of();
        }
        List<String> known = Rows.query(
                connection,
                "select a.id from livechat.agent a where a.project_id = ? and a.id = any (?)",
                row -> row.getString("id"),
                project,
                called);
        return called.stream().filter(known::contains).toList();
    }

    static Set<String> names(String text) {
        Set<String> names = new LinkedHashSet<>();
        Matcher matcher = CALL.matcher(text);
        while (names.size() < MOST && matcher.find()) {
            names.add(matcher.group(1).toLowerCase(Locale.ROOT));
        }
        return names;
    }
}
