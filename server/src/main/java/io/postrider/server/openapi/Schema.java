package io.postrider.server.openapi;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A JSON schema. One with a name becomes a component of the document and is referenced wherever it is used; any other one is written
 * in place. Immutable: each method returns a changed copy.
 */
public final class Schema {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String PROPERTIES = "properties";
    private static final String REQUIRED = "required";

    private final @Nullable String name;
    private final Map<String, Object> keywords;

    private Schema(@Nullable String name, Map<String, Object> keywords) {
        this.name = name;
        this.keywords = keywords;
    }

    private static Schema of(String type) {
        return any().with("type", type);
    }

    /** Any JSON value. */
    public static Schema any() {
        return new Schema(null, Map.of());
    }

    public static Schema text() {
        return of("string");
    }

    public static Schema uuid() {
        return text().with("format", "uuid");
    }

    public static Schema time() {
        return text().with("format", "date-time");
    }

    public static Schema choice(String... values) {
        return text().with("enum", List.of(values));
    }

    public static Schema integer() {
        return of("integer");
    }

    public static Schema number() {
        return of("number");
    }

    public static Schema flag() {
        return of("boolean");
    }

    public static Schema list(Schema items) {
        return of("array").with("items", items);
    }

    public static Schema oneOf(Schema... schemas) {
        return any().with("oneOf", List.of(schemas));
    }

    /** An object with any fields. */
    public static Schema anyObject() {
        return of("object");
    }

    /** An object with any fields, each of which has this schema. */
    public static Schema map(Schema values) {
        return anyObject().with("additionalProperties", values);
    }

    /** An object with exactly the fields that are added to it. */
    public static Schema object() {
        return anyObject().with(REQUIRED, List.of()).with("additionalProperties", false);
    }

    public static Schema object(String name) {
        return object().named(name);
    }

    public Schema named(String newName) {
        return new Schema(newName, keywords);
    }

    /** With a field that is always present. */
    public Schema has(String field, Schema schema) {
        List<Object> required = new ArrayList<>((List<?>) keywords.getOrDefault(REQUIRED, List.of()));
        required.add(field);
        return mayHave(field, schema).with(REQUIRED, required);
    }

    /** With a field that may be missing. */
    public Schema mayHave(String field, Schema schema) {
        Map<String, Object> fields = new LinkedHashMap<>(properties());
        fields.put(field, schema);
        return with(PROPERTIES, fields);
    }

    /** The names of the fields. */
    public Set<String> fields() {
        return new LinkedHashSet<>(properties().keySet());
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> properties() {
        return (Map<String, Object>) keywords.getOrDefault(PROPERTIES, Map.of());
    }

    /** The same, or null. */
    public Schema orNull() {
        return with("type", List.of(String.valueOf(keywords.get("type")), "null"));
    }

    public Schema described(String text) {
        return with("description", text);
    }

    /** With an example, as JSON text. */
    public Schema example(String json) {
        return with("examples", List.of(JSON.readTree(json)));
    }

    /** With any other keyword of JSON schema. */
    public Schema with(String keyword, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(keywords);
        more.put(keyword, value);
        return new Schema(name, more);
    }

    boolean isList() {
        return "array".equals(keywords.get("type"));
    }

    /**
     * The schema as it appears where it is used.
     *
     * @param components receives the named schemas that it needs, including itself
     */
    Map<String, Object> json(Map<String, Object> components) {
        if (name == null) {
            return resolved(components);
        }
        if (!components.containsKey(name)) {
            components.put(name, Map.of()); // keeps its place in the order of first use
            components.put(name, resolved(components));
        }
        return Map.of("$ref", "#/components/schemas/" + name);
    }

    private Map<String, Object> resolved(Map<String, Object> components) {
        Map<String, Object> json = new LinkedHashMap<>();
        keywords.forEach((keyword, value) -> json.put(keyword, resolved(value, components)));
        return json;
    }

    private static Object resolved(Object value, Map<String, Object> components) {
        if (value instanceof Schema schema) {
            return schema.json(components);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(one -> resolved(one, components)).toList();
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> json = new LinkedHashMap<>();
            map.forEach((key, one) -> json.put(String.valueOf(key), resolved(one, components)));
            return json;
        }
        return value;
    }
}
