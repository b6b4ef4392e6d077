package io.postrider.cli.text;

/** Makes untrusted text safe for a terminal: an event's key must not move the cursor or forge lines. */
public final class PrintableText {
    private PrintableText() {}

    /** Every run of white space and control characters becomes one space. */
    public static String line(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        boolean gap = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isWhitespace(c) || isHarmful(c)) {
                gap = true;
            } else {
                if (gap && clean.length() > 0) {
                    clean.append(' ');
                }
                gap = false;
                clean.append(c);
            }
        }
        return clean.toString();
    }

    /** Control characters, and characters that reverse the direction of the text after them. */
    static boolean isHarmful(char c) {
        return Character.isISOControl(c)
                || c == '\u2028'
                || c == '\u2029'
                || (c >= '\u202a' && c <= '\u202e')
                || (c >= '\u2066' && c <= '\u2069');
    }

    /** At most this many characters; the last one is an ellipsis if the text was cut. */
    public static String shorten(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int end = Math.max(0, most - 1);
        if (end > 0 && Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end) + (most > 0 ? "…" : "");
    }
}
