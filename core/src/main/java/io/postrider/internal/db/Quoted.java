package io.postrider.internal.db;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Text from outside, such as the name of a role or of a prepared transaction, escaped so that it cannot be misread in a command
 * that an operator pastes or in a log line.
 */
public final class Quoted {
    /** Words that have no special meaning in SQL, a shell or a terminal. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.:@-]+( [A-Za-z0-9_.:@-]+)*");

    private Quoted() {}

    /**
     * An SQL literal with exactly this value. Everything that is not plain is escaped, including quotes and spaces: then it also
     * survives a printer that joins spaces, and a shell in which it is pasted between double quotes.
     */
    public static String literal(String text) {
        if (PLAIN.matcher(text).matches()) {
            return "'" + text + "'";
        }
        StringBuilder literal = new StringBuilder("E'");
        text.codePoints()
                .forEach(c -> literal.append(
                        isPlain(c)
                                ? Character.toString(c)
                                : String.format(
                                        Locale.ROOT, c < 0x80 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c)));
        return literal.append('\'').toString();
    }

    /** An SQL identifier, such as a role. Always quoted, because it may be a keyword. */
    public static String name(String text) {
        if (PLAIN.matcher(text).matches()) {
            return '"' + text + '"';
        }
        StringBuilder name = new StringBuilder("U&\"");
        text.codePoints()
                .forEach(c -> name.append(
                        isPlain(c)
                                ? Character.toString(c)
                                : String.format(Locale.ROOT, c < 0x10000 ? "\\%04x" : "\\+%06x", c)));
        return name.append('"').toString();
    }

    /** One value in a log line: unchanged if it is plain, otherwise an SQL literal. */
    public static String line(String text) {
        return PLAIN.matcher(text).matches() && text.indexOf(' ') < 0 ? text : literal(text);
    }

    private static boolean isPlain(int c) {
        return c != ' ' && c < 0x80 && PLAIN.matcher(Character.toString(c)).matches();
    }
}
