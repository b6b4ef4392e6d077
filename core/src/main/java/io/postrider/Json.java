package io.postrider;

import java.util.Map;

/** As much JSON as the library itself needs: to write an object of strings, and to see an escaped NUL. */
final class Json {
    private Json() {}

    static String object(Map<String, String> entries) {
        StringBuilder json = new StringBuilder("{");
        for (Map.Entry<String, String> entry : entries.entrySet()) {
            if (json.length() > 1) {
                json.append(',');
            }
            string(json, entry.getKey());
            json.append(':');
            string(json, entry.getValue());
        }
        return json.append('}').toString();
    }

    private static void string(StringBuilder json, String value) {
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
        json.append('"');
    }

    /** An escape begins with an odd number of backslashes: the text {@code \\u0000} is six harmless characters. */
    static boolean hasEscapedNul(String json) {
        for (int at = json.indexOf("\\u0000"); at >= 0; at = json.indexOf("\\u0000", at + 1)) {
            int first = at;
            while (first > 0 && json.charAt(first - 1) == '\\') {
                first--;
            }
            if ((at - first) % 2 == 0) {
                return true;
            }
        }
        return false;
    }
}
