package io.postrider;

/**
 * Adds the id of an event to its payload, see {@link MessageFormat#PAYLOAD_WITH_ID}. Works on the text, which is valid JSON, so that
 * no number is rounded and no member is reordered.
 */
final class PayloadWithId {
    private final String text;
    private int at;

    private PayloadWithId(String text) {
        this.text = text;
    }

    static String of(LogEvent event) {
        String payload = event.payload();
        String id = "{\"" + MessageFormat.EVENT_ID + "\":\"" + event.id() + "\"";
        PayloadWithId scan = new PayloadWithId(payload);
        scan.space();
        if (scan.at >= payload.length() || payload.charAt(scan.at) != '{') {
            return id + ",\"payload\":" + payload + "}";
        }
        String members = scan.membersWithoutId();
        return id + (members.isEmpty() ? "" : ",") + members + "}";
    }

    /** The members of the object that begins here, as text, except those named {@code event_id}. */
    private String membersWithoutId() {
        StringBuilder kept = new StringBuilder(text.length());
        at++;
        space();
        while (text.charAt(at) != '}') {
            int from = at;
            boolean isId = name().equals(MessageFormat.EVENT_ID);
            value();
            if (!isId) {
                kept.append(kept.length() == 0 ? "" : ",").append(text, from, at);
            }
            space();
            if (text.charAt(at) == ',') {
                at++;
                space();
            }
        }
        return kept.toString();
    }

    /** Reads a name, unescaped: {@code event&#92;u005fid} is the same name. Ends after the colon. */
    private String name() {
        int from = at + 1;
        string();
        String name = text.substring(from, at - 1);
        space();
        at++;
        return name.indexOf('\\') < 0 ? name : unescaped(name);
    }

    /** Only a Unicode escape can write a letter or an underscore; a name with any other escape is not {@code event_id}. */
    private static String unescaped(String name) {
        StringBuilder plain = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) != '\\') {
                plain.append(name.charAt(i));
            } else if (name.charAt(i + 1) == 'u') {
                plain.append((char) Integer.parseInt(name.substring(i + 2, i + 6), 16));
                i += 5;
            } else {
                plain.append(name, i, i + 2);
                i++;
            }
        }
        return plain.toString();
    }

    /** Skips a value: to the comma or bracket that follows it. */
    private void value() {
        int depth = 0;
        while (true) {
            char c = text.charAt(at);
            if (depth == 0 && (c == ',' || c == '}')) {
                return;
            }
            if (c == '"') {
                string();
                continue;
            }
            depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
            at++;
        }
    }

    private void string() {
        at++;
        while (text.charAt(at) != '"') {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        at++;
    }

    private void space() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }
}
