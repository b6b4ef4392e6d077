package io.postrider.db;

import io.postrider.PostriderException;
import java.util.regex.Pattern;

/**
 * The name of the schema that holds the log. SQL files say {@code postrider} where it belongs; {@link #applyTo} puts the
 * chosen name there, so each file stays SQL that can be read and run as it is.
 */
public final class SchemaName {
    private static final Pattern PLAIN = Pattern.compile("[a-z][a-z0-9_]{0,40}");
    /** The word, but not in {@code /* postrider:verb *}{@code /}, by which a statement is known in pg_stat_statements. */
    private static final Pattern PLACE = Pattern.compile("\\bpostrider\\b(?!:)");

    private final String text;

    private SchemaName(String text) {
        this.text = text;
    }

    /** Refuses anything that would need quoting or would be shortened: 41 characters leave room for suffixes. */
    public static SchemaName of(String text) {
        if (!PLAIN.matcher(text).matches() || text.startsWith("pg_")) {
            throw PostriderException.refused("schema must match " + PLAIN.pattern() + " and not begin with pg_, was '"
                    + text.replaceAll("\\p{Cntrl}", "?") + "'");
        }
        return new SchemaName(text);
    }

    public String text() {
        return text;
    }

    /** The SQL with this schema's name in it. */
    public String applyTo(String sql) {
        return text.equals("postrider") ? sql : PLACE.matcher(sql).replaceAll(text);
    }
}
