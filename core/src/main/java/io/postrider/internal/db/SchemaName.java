package io.postrider.internal.db;

import io.postrider.PostriderException;
import java.util.regex.Pattern;

/**
 * The name of the schema that holds the log. SQL files contain {@code postrider} as its placeholder, which {@link #applyTo}
 * replaces, so each file can be read and run unchanged.
 */
public final class SchemaName {
    private static final Pattern PLAIN = Pattern.compile("[a-z][a-z0-9_]{0,40}");
    /** Matches the word, but not in {@code /* postrider:package/verb *}{@code /}, which identifies a statement in pg_stat_statements. */
    private static final Pattern SCHEMA_WORD = Pattern.compile("\\bpostrider\\b(?!:)");

    private final String text;

    private SchemaName(String text) {
        this.text = text;
    }

    /** Refuses names that need quoting or would be truncated: 41 characters leave room for suffixes. */
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

    /** Returns the SQL with the name of this schema. */
    public String applyTo(String sql) {
        return text.equals("postrider") ? sql : SCHEMA_WORD.matcher(sql).replaceAll(text);
    }
}
