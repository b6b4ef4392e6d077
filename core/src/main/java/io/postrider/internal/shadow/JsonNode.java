package io.postrider.internal.shadow;

import io.postrider.JsonText;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value, read to be compared: names are sorted, of two equal names the last counts, and numbers are compared by value.
 * {@link #canonical} is the same text for equal values.
 */
final class JsonNode {
    private static final int DEEPEST = 500;

    private final @Nullable Map<String, JsonNode> members;
    private final @Nullable List<JsonNode> elements;
    private final @Nullable String string;
    private final String scalar;

    private JsonNode(
            @Nullable Map<String, JsonNode> members,
            @Nullable List<JsonNode> elements,
            @Nullable String string,
            String scalar) {
        this.members = members;
        this.elements = elements;
        this.string = string;
        this.scalar = scalar;
    }

    /** Reads a text; null if it is not JSON. */
    static @Nullable JsonNode read(String text) {
        try {
            Reader reader = new Reader(text);
            JsonNode node = reader.value(0);
            reader.space();
            return reader.at == text.length() ? node : null;
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            return null;
        }
    }

    /** The member at a path of names with dots between them; null if there is none. */
    @Nullable
    JsonNode at(String path) {
        JsonNode node = this;
        for (String name : path.split("\\.", -1)) {
            if (node == null || node.members == null) {
                return null;
            }
            node = node.members.get(name);
        }
        return node;
    }

    /** This object without a member of its own. */
    JsonNode without(String name) {
        if (members == null || !members.containsKey(name)) {
            return this;
        }
        Map<String, JsonNode> others = new TreeMap<>(members);
        others.remove(name);
        return new JsonNode(others, null, null, "");
    }

    /** The content of a string, or the text of any other value. */
    String text() {
        return string != null ? string : canonical();
    }

    String canonical() {
        StringBuilder text = new StringBuilder();
        write(text);
        return text.toString();
    }

    private void write(StringBuilder text) {
        if (members != null) {
            text.append('{');
            members.forEach((name, value) -> {
                text.append(text.charAt(text.length() - 1) == '{' ? "" : ",").append(JsonText.quoted(name));
                text.append(':');
                value.write(text);
            });
            text.append('}');
        } else if (elements != null) {
            text.append('[');
            for (int i = 0; i < elements.size(); i++) {
                text.append(i == 0 ? "" : ",");
                elements.get(i).write(text);
            }
            text.append(']');
        } else {
            text.append(string == null ? scalar : JsonText.quoted(string));
        }
    }

    /** Reads one text. Not strict: it is enough that equal texts give equal values. */
    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        JsonNode value(int depth) {
            if (depth > DEEPEST) {
                throw new IllegalArgumentException("nests deeper than " + DEEPEST);
            }
            space();
            return switch (text.charAt(at)) {
                case '{' -> object(depth);
                case '[' -> array(depth);
                case '"' -> new JsonNode(null, null, string(), "");
                default -> scalar();
            };
        }

        private JsonNode object(int depth) {
            Map<String, JsonNode> members = new TreeMap<>();
            at++;
            space();
            while (text.charAt(at) != '}') {
                String name = string();
                space();
                expect(':');
                members.put(name, value(depth + 1));
                more('}');
            }
            at++;
            return new JsonNode(members, null, null, "");
        }

        private JsonNode array(int depth) {
            List<JsonNode> elements = new ArrayList<>();
            at++;
            space();
            while (text.charAt(at) != ']') {
                elements.add(value(depth + 1));
                more(']');
            }
            at++;
            return new JsonNode(null, elements, null, "");
        }

        private void more(char end) {
            space();
            if (text.charAt(at) != end) {
                expect(',');
                space();
            }
        }

        private String string() {
            expect('"');
            StringBuilder string = new StringBuilder();
            while (text.charAt(at) != '"') {
                char c = text.charAt(at++);
                if (c != '\\') {
                    string.append(c);
                    continue;
                }
                char escaped = text.charAt(at++);
                switch (escaped) {
                    case 'n' -> string.append('\n');
                    case 't' -> string.append('\t');
                    case 'r' -> string.append('\r');
                    case 'b' -> string.append('\b');
                    case 'f' -> string.append('\f');
                    case 'u' -> {
                        string.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                        at += 4;
                    }
                    default -> string.append(escaped);
                }
            }
            at++;
            return string.toString();
        }

        private JsonNode scalar() {
            int from = at;
            while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            String word = text.substring(from, at);
            if (word.equals("true") || word.equals("false") || word.equals("null")) {
                return new JsonNode(null, null, null, word);
            }
            if (word.length() > JsonText.LONGEST_NUMBER) {
                throw new IllegalArgumentException("a number of " + word.length() + " characters");
            }
            BigDecimal number = new BigDecimal(word);
            return new JsonNode(
                    null,
                    null,
                    null,
                    number.signum() == 0 ? "0" : number.stripTrailingZeros().toString());
        }

        private void space() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
        }

        private void expect(char c) {
            if (text.charAt(at) != c) {
                throw new IllegalArgumentException("no " + c + " at " + at);
            }
            at++;
        }
    }
}
