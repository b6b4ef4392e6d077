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
 * One request to a route: the caller, and the request's parameters.
 *
 * @param identity the caller; null only if the route needs no token
 * @param path the values of the route's path parameters
 * @param query the query parameters; only those that the route accepts
 * @param content the body
 * @param pageBytes a page ends with the row at which payloads and headers reach this size
 */
public record Call(
        @Nullable Identity identity,
        Map<String, String> path,
        Map<String, List<String>> query,
        Body content,
        long pageBytes) {

    /** With pages of any size that the database returns. */
    public Call(@Nullable Identity identity, Map<String, String> path, Map<String, List<String>> query, Body content) {
        this(identity, path, query, content, Long.MAX_VALUE);
    }

    /** The same call with this body. */
    Call with(Body other) {
        return new Call(identity, path, query, other, pageBytes);
    }

    /** The same call with pages of this size. */
    Call withPageBytes(long bytes) {
        return new Call(identity, path, query, content, bytes);
    }

    /** The caller. */
    Identity who() {
        if (identity == null) {
            throw new IllegalStateException("a route without authentication has no caller");
        }
        return identity;
    }

    String place(String name) {
        String value = path.get(name);
        if (value == null) {
            throw new IllegalStateException("the route has no path parameter " + name);
        }
        return value;
    }

    UUID id() {
        return Fields.id("the id in the address", place("id"));
    }

    /** Null if missing. An empty value is refused: a filter by an unset shell variable would silently not filter at all. */
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

    /** The maximum number of rows: 1..1000; default 100. */
    int limit() {
        return (int) number("limit", 100, 1, 1_000);
    }

    @Nullable
    Instant time(String name) {
        String value = text(name);
        return value == null ? null : Fields.time("parameter " + name, value);
    }

    /** Parses the body with this function, which must not keep the tree: the tree is no longer counted afterwards. */
    <T> T read(Function<JsonNode, T> reader) {
        T read = reader.apply(JsonText.read(content.bytes()));
        content.treeDropped().run();
        return read;
    }

    /** The body as an object with these fields and no others; an empty object if there is no body. */
    Fields fields(String... known) {
        byte[] bytes = content.bytes();
        return Fields.of(bytes.length == 0 ? JsonText.object() : JsonText.read(bytes), "the body", Set.of(known));
    }
}
