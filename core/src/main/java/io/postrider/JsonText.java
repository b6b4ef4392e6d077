package io.postrider;

/**
 * Writes JSON strings and defines the limits of JSON numbers in payloads. Every double is within them, and so is a decimal of
 * 1,000 digits.
 */
public final class JsonText {
    /** The largest number of characters in a number, including sign, point and exponent. */
    public static final int LONGEST_NUMBER = 1_000;

    /** The largest absolute value of an exponent. A double has at most 324. */
    public static final int LARGEST_EXPONENT = 400;

    private JsonText() {}

    /** Returns the text as a JSON string, with its quotes. */
    public static String quoted(String value) {
        StringBuilder json = new StringBuilder(value.length() + 2);
        json.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < 0x20) {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
