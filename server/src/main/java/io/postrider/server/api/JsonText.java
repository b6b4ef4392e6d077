package io.postrider.server.api;

import static io.postrider.JsonText.LARGEST_EXPONENT;
import static io.postrider.JsonText.LONGEST_NUMBER;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

/**
 * Reads and writes JSON. Limits apply during parsing, not afterwards: depth, numbers, strings and names. Numbers keep every
 * digit, and an object with a duplicate name is refused, because parsers disagree on which of the two counts.
 */
public final class JsonText {
    private static final int DEEPEST = 200;
    private static final int LONGEST_NAME = 1_024;

    /** Above what 256 KiB of arrays of one digit have ({@code [1],}: 3 tokens in 4 bytes), below what brackets alone have. */
    private static final int MOST_TOKENS = 200_000;

    private static final int LONGEST_STRING = 64 << 20;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .maxTokenCount(MOST_TOKENS)
                            .maxNumberLength(LONGEST_NUMBER)
                            .maxNameLength(LONGEST_NAME)
                            .maxStringLength(LONGEST_STRING) // the body has its own limit
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private JsonText() {}

    /** Parses a whole body; refused with 400 if it is malformed. */
    static JsonNode read(byte[] body) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(body))
                    .toString();
            JsonNode node = MAPPER.readTree(text);
            if (node == null || node.isMissingNode()) {
                throw Problem.badRequest("the body is empty; a JSON object is expected");
            }
            refuseLargeExponents(node);
            return node;
        } catch (CharacterCodingException e) {
            throw Problem.badRequest("the body is not UTF-8");
        } catch (StreamConstraintsException e) {
            throw Problem.badRequest("the body's JSON exceeds a limit: " + limit(e.getOriginalMessage()));
        } catch (ArithmeticException | NumberFormatException e) { // an exponent that BigDecimal cannot represent
            throw Problem.badRequest("the body has a number with an exponent beyond the limit of " + LARGEST_EXPONENT
                    + "; send it as a string");
        } catch (JacksonException e) {
            throw Problem.badRequest("the body is not valid JSON: " + flaw(e));
        }
    }

    /** Runs before any arithmetic: {@code 1e999999999} as an integer has a billion digits. */
    private static void refuseLargeExponents(JsonNode node) {
        String path = pathOfLargeExponent(node);
        if (path != null) {
            throw Problem.badRequest("the body has a number with an exponent beyond the limit of " + LARGEST_EXPONENT
                    + " at '" + Fields.shown(path) + "'; send it as a string");
        }
    }

    /** Null if there is none. The path is built only for a number that is found; building 100,000 of them would be slow. */
    private static @Nullable String pathOfLargeExponent(JsonNode node) {
        if (node.isBigDecimal()) {
            return Math.abs(writtenExponent(node.decimalValue())) > LARGEST_EXPONENT ? "" : null;
        }
        if (node.isObject()) {
            for (Map.Entry<String, JsonNode> entry : node.properties()) {
                String path = pathOfLargeExponent(entry.getValue());
                if (path != null) {
                    return "/" + entry.getKey() + path;
                }
            }
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                String path = pathOfLargeExponent(node.get(i));
                if (path != null) {
                    return "/" + i + path;
                }
            }
        }
        return null;
    }

    /** The exponent that {@link BigDecimal#toString} writes; 0 if it writes none. */
    private static long writtenExponent(BigDecimal number) {
        long adjusted = number.precision() - 1L - number.scale();
        return number.scale() >= 0 && adjusted >= -6 ? 0 : adjusted;
    }

    /** One line that gives the location and does not repeat the input. */
    /** The limit that Jackson names in its message, which also names our parser's settings. */
    private static String limit(String message) {
        if (message.contains("nesting")) {
            return "the nesting depth is limited to " + DEEPEST;
        }
        if (message.contains("Number")) {
            return "a number is limited to " + LONGEST_NUMBER + " characters; send a longer one as a string";
        }
        if (message.contains("Name")) {
            return "a name is limited to " + LONGEST_NAME + " characters";
        }
        if (message.contains("String")) {
            return "a string is limited to " + LONGEST_STRING + " characters";
        }
        if (message.contains("scale")) {
            return "the exponent of a number is limited to " + LARGEST_EXPONENT + "; send a larger one as a string";
        }
        return "values, names and brackets are limited to " + MOST_TOKENS + " together";
    }

    private static String flaw(JacksonException e) {
        String where = e.getLocation() == null
                ? ""
                : ", at line " + e.getLocation().getLineNr() + " column "
                        + e.getLocation().getColumnNr();
        String message = String.valueOf(e.getOriginalMessage());
        if (message.startsWith("Duplicate")) {
            return "an object has the same name twice" + where;
        }
        if (message.contains("Trailing")) {
            return "unexpected text after the end" + where;
        }
        return "malformed" + where;
    }

    /** Text of the database that is already JSON. */
    static RawValue raw(String json) {
        return new RawValue(json);
    }

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static ArrayNode array() {
        return MAPPER.createArrayNode();
    }

    /** A value as text, all digits kept. */
    static String text(JsonNode node) {
        return MAPPER.writeValueAsString(node);
    }

    /** Maps and lists as text for people: indented. */
    static String pretty(Object value) {
        return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value);
    }

    /** A value as text in UTF-8, all digits kept. */
    static byte[] write(JsonNode node) {
        return MAPPER.writeValueAsBytes(node);
    }
}
