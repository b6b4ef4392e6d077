package io.postrider.cli.text;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A minimal JSON reader for the command line: reports where a text is not JSON, and splits an object into its fields. Values stay
 * text and are never converted to numbers, so none is changed.
 */
public final class JsonScanner {
    /** Deeper than any text written by hand, and far below the limit of the stack. */
    private static final int DEEPEST = 1_000;

    private final String text;
    private int at;

    private JsonScanner(String text) {
        this.text = text;
    }

    /** The text is not JSON; says where and why. */
    public static final class NotJson extends Exception {
        private static final long serialVersionUID = 1;

        NotJson(String message) {
            super(message);
        }
    }

    /** Refuses a text that is not one JSON value. */
    public static void check(String text) throws NotJson {
        JsonScanner scan = new JsonScanner(text);
        scan.value(0);
        scan.end();
    }

    /** The fields of an object, each with the text of its value. A duplicate name is refused. */
    public static Map<String, String> object(String text) throws NotJson {
        JsonScanner scan = new JsonScanner(text);
        scan.space();
        if (scan.peek() != '{') {
            throw scan.not("expected an object");
        }
        Map<String, String> fields = new LinkedHashMap<>();
        scan.fields(0, fields);
        scan.end();
        return fields;
    }

    /** The decoded text of a JSON string, or null for {@code null}. */
    public static @Nullable String string(String json) throws NotJson {
        if (json.equals("null")) {
            return null;
        }
        JsonScanner scan = new JsonScanner(json);
        if (scan.peek() != '"') {
            throw scan.not("expected a string");
        }
        return scan.text();
    }

    private void value(int depth) throws NotJson {
        if (depth > DEEPEST) {
            throw not("nested more than " + DEEPEST + " deep");
        }
        space();
        switch (peek()) {
            case '{' -> fields(depth, null);
            case '[' -> elements(depth);
            case '"' -> text();
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        }
        space();
    }

    private void fields(int depth, @Nullable Map<String, String> to) throws NotJson {
        at++;
        space();
        if (skip('}')) {
            return;
        }
        do {
            space();
            if (peek() != '"') {
                throw not("expected a name in double quotes");
            }
            String name = text();
            space();
            if (!skip(':')) {
                throw not("expected ':'");
            }
            space();
            int from = at;
            value(depth + 1);
            if (to != null && to.put(name, text.substring(from, at).strip()) != null) {
                throw not("the name \"" + PrintableText.line(name) + "\" appears twice");
            }
        } while (skip(','));
        if (!skip('}')) {
            throw not("expected ',' or '}'");
        }
    }

    private void elements(int depth) throws NotJson {
        at++;
        space();
        if (skip(']')) {
            return;
        }
        do {
            value(depth + 1);
        } while (skip(','));
        if (!skip(']')) {
            throw not("expected ',' or ']'");
        }
    }

    private String text() throws NotJson {
        at++;
        StringBuilder plain = new StringBuilder();
        while (true) {
            char c = peek();
            if (c == 0 && at >= text.length()) {
                throw not("the string has no end");
            }
            at++;
            if (c == '"') {
                return plain.toString();
            } else if (c == '\\') {
                plain.append(escaped());
            } else if (c < 0x20) {
                at--;
                throw not("a control character must be escaped");
            } else {
                plain.append(c);
            }
        }
    }

    private char escaped() throws NotJson {
        char c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> {
                at--;
                throw not("no such escape");
            }
        };
    }

    private char unicode() throws NotJson {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(peek(), 16);
            if (digit < 0) {
                throw not("expected four hexadecimal digits");
            }
            code = code * 16 + digit;
            at++;
        }
        return (char) code;
    }

    private void word(String word) throws NotJson {
        if (!text.startsWith(word, at)) {
            throw not("expected a value");
        }
        at += word.length();
    }

    private void number() throws NotJson {
        int from = at;
        skip('-');
        if (!skip('0')) {
            digits("expected a value", from);
        }
        if (skip('.')) {
            digits("expected digits", at);
        }
        if (skip('e') || skip('E')) {
            if (!skip('+')) {
                skip('-');
            }
            digits("expected digits", at);
        }
    }

    private void digits(String otherwise, int where) throws NotJson {
        if (peek() < '0' || peek() > '9') {
            at = where;
            throw not(otherwise);
        }
        while (peek() >= '0' && peek() <= '9') {
            at++;
        }
    }

    private void end() throws NotJson {
        space();
        if (at < text.length()) {
            throw not("unexpected text after the value");
        }
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean skip(char c) {
        boolean there = at < text.length() && text.charAt(at) == c;
        at += there ? 1 : 0;
        return there;
    }

    /** The next character; 0 at the end. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private NotJson not(String why) {
        String where = at >= text.length()
                ? " at the end"
                : " at character " + (at + 1) + ", before '"
                        + PrintableText.shorten(
                                PrintableText.line(text.substring(at, Math.min(text.length(), at + 20))), 12)
                        + "'";
        return new NotJson(why + where);
    }
}
