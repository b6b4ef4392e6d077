package io.postrider.server.openapi;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A parameter of an operation. */
public record Parameter(String name, In in, boolean required, String description, Schema schema) {
    public static final Parameter LIMIT = query(
            "limit",
            "Maximum number of results.",
            Schema.integer().with("minimum", 1).with("maximum", 1_000).with("default", 100));

    /** Where a parameter is sent. */
    public enum In {
        PATH,
        QUERY,
        HEADER
    }

    public static Parameter path(String name, String description) {
        return path(name, description, Schema.text());
    }

    public static Parameter path(String name, String description, Schema schema) {
        return new Parameter(name, In.PATH, true, description, schema);
    }

    public static Parameter query(String name, String description) {
        return query(name, description, Schema.text());
    }

    public static Parameter query(String name, String description, Schema schema) {
        return new Parameter(name, In.QUERY, false, description, schema);
    }

    /** A required parameter. */
    public static Parameter required(String name, String description) {
        return required(name, description, Schema.text());
    }

    public static Parameter required(String name, String description, Schema schema) {
        return new Parameter(name, In.QUERY, true, description, schema);
    }

    public static Parameter header(String name, String description, Schema schema) {
        return new Parameter(name, In.HEADER, false, description, schema);
    }

    Map<String, Object> json(Map<String, Object> components) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("in", in.name().toLowerCase(Locale.ROOT));
        json.put("required", required);
        json.put("description", description);
        json.put("schema", schema.json(components));
        if (schema.isList()) {
            json.put("style", "form");
            json.put("explode", true);
        }
        return json;
    }
}
