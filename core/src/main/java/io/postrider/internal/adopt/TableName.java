package io.postrider.internal.adopt;

import io.postrider.PostriderException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The name of a table as SQL reads it: without quotes in lower case, and in the schema {@code public} unless it names another. */
record TableName(String schema, String table) {
    private static final String PART = "(?:\"((?:[^\"]|\"\")+)\"|([A-Za-z_][A-Za-z0-9_$]*))";
    private static final Pattern NAME = Pattern.compile("(?:" + PART + "\\.)?" + PART);

    static TableName parse(String text) {
        Matcher name = NAME.matcher(text);
        if (!name.matches()) {
            throw PostriderException.refused(
                    "table must be a name such as public.outbox, was '" + text.replaceAll("\\p{Cntrl}", "?") + "'");
        }
        boolean qualified = name.group(1) != null || name.group(2) != null;
        return new TableName(qualified ? part(name, 1) : "public", part(name, 3));
    }

    private static String part(Matcher name, int group) {
        String quoted = name.group(group);
        return quoted == null ? name.group(group + 1).toLowerCase(Locale.ROOT) : quoted.replace("\"\"", "\"");
    }
}
