package io.postrider.server.api;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
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
 * JSON in and out. What comes in is bounded while it is read, not after: depth, numbers, strings and names. Numbers keep every
 * digit, and an object with the same name twice is refused, because no two readers agree which of them counts.
 */
public final class JsonText {
    private static final int DEEPEST = 200;
    private static final int LONGEST_NUMBER = 1_000;
    private static final int LONGEST_NAME = 1_024;
    private static final int LONGEST_STRING = 64 << 20;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .maxNumberLength(LONGEST_NUMBER)
                            .maxNameLength(LONGEST_NAME)
                            .maxStringLength(LONGEST_STRING) // the body has a cap of its own
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private JsonText() {}

    /** Reads a whole body; refused with 400 if it is none. */
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
            return node;
        } catch (CharacterCodingException e) {
            throw Problem.badRequest("the body is not UTF-8");
        } catch (StreamConstraintsException e) {
            throw Problem.badRequest("the body's JSON goes beyond a limit: nesting " + DEEPEST + ", a number of "
                    + LONGEST_NUMBER + " characters, a name of " + LONGEST_NAME);
        } catch (JacksonException e) {
            throw Problem.badRequest("the body is not valid JSON: " + flaw(e));
        }
    }

    /** One line, and without what was sent: the place is enough. */
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
            return "more follows its end" + where;
        }
        return "malformed" + where;
    }

    /** Text of the database that is JSON already. */
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
    static String write(JsonNode node) {
        return MAPPER.writeValueAsString(node);
    }
}
