package io.postrider.server.api;

import io.postrider.gateway.Identity;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One request to a route: who asks, and what for.
 *
 * @param identity who; null only where a route needs nobody
 * @param path what stands in the places of the route's path
 * @param query the parameters, those the route takes and no others
 * @param content the body
 */
public record Call(
        @Nullable Identity identity, Map<String, String> path, Map<String, List<String>> query, Body content) {

    /** The same, with this body. */
    Call with(Body other) {
        return new Call(identity, path, query, other);
    }

    /** Who asks. */
    Identity who() {
        if (identity == null) {
            throw new IllegalStateException("a route that needs nobody asked who it is");
        }
        return identity;
    }

    String place(String name) {
        String value = path.get(name);
        if (value == null) {
            throw new IllegalStateException("the route has no place " + name);
        }
        return value;
    }

    UUID id() {
        return Fields.id("the id in the address", place("id"));
    }

    /** Null if it was not given. One that is empty is refused: a filter by a variable that nobody set would be no filter. */
    @Nullable
    String text(String name) {
        List<String> values = query.getOrDefault(name, List.of());
        if (values.size() > 1) {
            throw Problem.badRequest("parameter " + name + " was given " + values.size() + " times");
        }
        if (values.isEmpty()) {
            return null;
        }
        String value = values.get(0);
        if (value.isEmpty()) {
            throw Problem.badRequest("parameter " + name + " was given and is empty; leave it out, or give it a value");
        }
        if (value.indexOf('\0') >= 0) {
            throw Problem.badRequest(
                    "parameter " + name + " must not have NUL (U+0000), which PostgreSQL cannot store");
        }
        return value;
    }

    String needed(String name) {
        String value = text(name);
        if (value == null) {
            throw Problem.badRequest("parameter " + name + " must be given");
        }
        return value;
    }

    long number(String name, long otherwise, long low, long high) {
        String value = text(name);
        if (value == null) {
            return otherwise;
        }
        if (value.matches("-?[0-9]{1,19}")) {
            BigInteger number = new BigInteger(value);
            if (number.compareTo(BigInteger.valueOf(low)) >= 0 && number.compareTo(BigInteger.valueOf(high)) <= 0) {
                return number.longValueExact();
            }
        }
        throw Problem.badRequest("parameter " + name + " must be a number, " + low + ".." + high + ", was '"
                + Fields.shown(value) + "'");
    }

    /** How many rows at most: 1..1000, 100 unless said. */
    int limit() {
        return (int) number("limit", 100, 1, 1_000);
    }

    @Nullable
    Instant time(String name) {
        String value = text(name);
        return value == null ? null : Fields.time("parameter " + name, value);
    }

    /** What this makes of the body. It must not keep the tree, which is no longer counted afterwards. */
    <T> T read(Function<JsonNode, T> reader) {
        T read = reader.apply(JsonText.read(content.bytes()));
        content.treeDropped().run();
        return read;
    }

    /** The body as an object with these fields and no others; an empty one where nothing was sent. */
    Fields fields(String... known) {
        byte[] bytes = content.bytes();
        return Fields.of(bytes.length == 0 ? JsonText.object() : JsonText.read(bytes), "the body", Set.of(known));
    }
}
