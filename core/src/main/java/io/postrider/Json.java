package io.postrider;

import java.util.BitSet;
import java.util.Map;

/**
 * The JSON that the library itself needs: writes an object of strings, and refuses what PostgreSQL would refuse. It must do so
 * first, because a refused statement aborts the caller's transaction.
 */
final class Json {
    /** The maximum nesting depth. PostgreSQL is limited only by its stack, at some thousands. */
    private static final int DEEPEST = 1_000;

    private final String field;
    private final String text;
    private int at;

    private Json(String field, String text) {
        this.field = field;
        this.text = text;
    }

    static String object(Map<String, String> entries) {
        StringBuilder json = new StringBuilder("{");
        for (Map.Entry<String, String> entry : entries.entrySet()) {
            if (json.length() > 1) {
                json.append(',');
            }
            json.append(JsonText.quoted(entry.getKey())).append(':').append(JsonText.quoted(entry.getValue()));
        }
        return json.append('}').toString();
    }

    // ── what jsonb accepts ──────────────────────────────────────────────────────────────────────────────────────────

    static void refuseUnlessJson(String field, String text) {
        Json json = new Json(field, text);
        json.value();
        json.space();
        if (json.at < text.length()) {
            throw json.flaw("unexpected text after the end");
        }
    }

    static void refuseUnlessObject(String field, String text) {
        Json json = new Json(field, text);
        json.space();
        if (json.next() != '{') {
            throw PostriderException.refused(field + " must be a JSON object, such as {\"a\": \"b\"}");
        }
        refuseUnlessJson(field, text);
    }

    /**
     * Checks a value with everything in it. Not recursive: how many calls fit on a stack depends on the thread and on the JIT
     * compiler, and a thousand did not always fit.
     */
    private void value() {
        BitSet objects = new BitSet();
        int depth = 0;
        do {
            space();
            char first = next();
            if (first != '{' && first != '[') {
                scalar(first);
            } else if (depth == DEEPEST) {
                throw flaw("it nests deeper than " + DEEPEST);
            } else {
                at++;
                objects.set(depth++, first == '{');
                if (!closes(end(objects, depth))) {
                    name(objects, depth);
                    continue;
                }
                depth--;
            }
            while (depth > 0 && !continues(end(objects, depth))) {
                depth--;
            }
            name(objects, depth);
        } while (depth > 0);
    }

    private void scalar(char first) {
        switch (first) {
            case '"' -> string();
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        }
    }

    private static char end(BitSet objects, int depth) {
        return objects.get(depth - 1) ? '}' : ']';
    }

    /** Reads the name of a member, if the next value is in an object. */
    private void name(BitSet objects, int depth) {
        if (depth > 0 && objects.get(depth - 1)) {
            space();
            string();
            space();
            expect(':');
        }
    }

    private boolean closes(char end) {
        space();
        if (next() != end) {
            return false;
        }
        at++;
        return true;
    }

    /** After an element: reads a comma or the end. */
    private boolean continues(char end) {
        if (closes(end)) {
            return false;
        }
        expect(',');
        return true;
    }

    private void string() {
        expect('"');
        for (char c = next(); c != '"'; c = next()) {
            if (c == '\\') {
                escape();
            } else if (c < 0x20) {
                throw at < text.length() && c == 0
                        ? nul(field)
                        : flaw("a string is not terminated, or contains an unescaped control character");
            } else if (Character.isSurrogate(c)) {
                pair();
            } else {
                at++;
            }
        }
        at++;
    }

    private void pair() {
        if (at + 1 >= text.length() || !Character.isSurrogatePair(next(), text.charAt(at + 1))) {
            throw half(field);
        }
        at += 2;
    }

    private void escape() {
        at++;
        char c = next();
        at++;
        if (c == 'u') {
            char unit = unit();
            if (unit == 0) {
                throw nul(field);
            }
            if (Character.isSurrogate(unit)) {
                if (!text.startsWith("\\u", at)) {
                    throw half(field);
                }
                at += 2;
                if (!Character.isSurrogatePair(unit, unit())) {
                    throw half(field);
                }
            }
        } else if ("\"\\/bfnrt".indexOf(c) < 0) {
            throw flaw("no such escape");
        }
    }

    private char unit() {
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            int digit = "0123456789abcdef".indexOf(Character.toLowerCase(next()));
            if (digit < 0) {
                throw flaw("\\u must be followed by four hexadecimal digits");
            }
            unit = unit << 4 | digit;
            at++;
        }
        return (char) unit;
    }

    /**
     * The limits keep the database from expanding short numbers: {@code 1e131071} becomes 131,072 digits there, and 7,500 such
     * numbers took 2.9 GB in one backend.
     */
    private void number() {
        int from = at;
        number(from);
        if (at - from > JsonText.LONGEST_NUMBER) {
            throw beyond(from, "a number of " + (at - from) + " characters", JsonText.LONGEST_NUMBER);
        }
    }

    private void number(int from) {
        if (next() == '-') {
            at++;
        }
        boolean zero = next() == '0';
        if (digits() == 0 || (zero && at - from > (text.charAt(from) == '-' ? 2 : 1))) {
            throw flaw("unexpected character");
        }
        if (next() == '.') {
            at++;
            if (digits() == 0) {
                throw flaw("digits must follow the decimal point");
            }
        }
        if (next() == 'e' || next() == 'E') {
            at++;
            if (next() == '+' || next() == '-') {
                at++;
            }
            int digits = digits();
            if (digits == 0) {
                throw flaw("digits must follow the exponent");
            }
            refuseLargeExponent(from, text.substring(at - digits, at));
        }
    }

    private void refuseLargeExponent(int from, String digits) {
        String significant = digits.replaceFirst("^0+", "");
        if (significant.length() > 9
                || (!significant.isEmpty() && Integer.parseInt(significant) > JsonText.LARGEST_EXPONENT)) {
            String shown = significant.length() > 9 ? "of " + significant.length() + " digits" : significant;
            throw beyond(from, "a number with the exponent " + shown, JsonText.LARGEST_EXPONENT);
        }
    }

    private PostriderException beyond(int from, String what, int limit) {
        return PostriderException.refused(field + " has " + what + " at character " + (from + 1) + "; the limit is "
                + limit + ". Send the number as a string");
    }

    private int digits() {
        int from = at;
        while (next() >= '0' && next() <= '9') {
            at++;
        }
        return at - from;
    }

    private void word(String word) {
        if (!text.startsWith(word, at)) {
            throw flaw("unexpected character");
        }
        at += word.length();
    }

    private void expect(char c) {
        if (next() != c) {
            throw flaw("expected '" + c + "'");
        }
        at++;
    }

    private void space() {
        while (next() == ' ' || next() == '\n' || next() == '\t' || next() == '\r') {
            at++;
        }
    }

    /** The next character, or NUL at the end; JSON text cannot contain NUL. */
    private char next() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private PostriderException flaw(String what) {
        return PostriderException.refused(field + " is not valid JSON: " + what + ", at character " + (at + 1));
    }

    static PostriderException nul(String field) {
        return PostriderException.refused(field + " contains a NUL character (\\u0000), which PostgreSQL cannot store;"
                + " remove it or encode the value, for example in base64");
    }

    static PostriderException half(String field) {
        return PostriderException.refused(
                field + " contains half a character (an unpaired surrogate), which UTF-8 cannot hold");
    }
}
