package io.postrider.server.openapi;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The OpenAPI document, as maps and lists. Operations are added in the order in which they are shown. */
public final class Document {
    private final Map<String, Object> info;
    private final Set<String> tags = new LinkedHashSet<>();
    private final Map<String, Map<String, Object>> paths = new LinkedHashMap<>();
    private final Map<String, Object> schemas = new LinkedHashMap<>();
    private final Map<String, Object> errors = ErrorResponse.components(schemas);

    public Document(Map<String, Object> info) {
        this.info = info;
    }

    /**
     * The policy of an operation.
     *
     * @param need its name
     * @param isOpen whether no bearer token is sent with the request
     * @param description in words; comes before the note of the operation
     */
    public record Policy(String need, boolean isOpen, String description) {}

    /** Adds an operation; its errors are exactly those that it names. */
    public Document add(String method, String path, Policy policy, Operation operation) {
        Operation.Title title = operation.title();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("operationId", title.id());
        json.put("tags", List.of(title.tag()));
        json.put("summary", title.summary());
        json.put("description", (policy.description() + " " + title.note()).strip());
        json.put("x-needs", policy.need());
        if (policy.isOpen()) {
            json.put("security", List.of());
        }
        if (!operation.parameters().isEmpty()) {
            json.put(
                    "parameters",
                    operation.parameters().stream()
                            .map(one -> one.json(schemas))
                            .toList());
        }
        Schema body = operation.body();
        if (body != null) {
            json.put("requestBody", Ordered.map("required", true, "content", content(body)));
        }
        json.put("responses", responses(operation));
        tags.add(title.tag());
        paths.computeIfAbsent(path, any -> new LinkedHashMap<>()).put(method.toLowerCase(Locale.ROOT), json);
        return this;
    }

    private Map<String, Object> content(Schema body) {
        return Map.of("application/json", Map.of("schema", body.json(schemas)));
    }

    private Map<String, Object> responses(Operation operation) {
        Map<Integer, Object> sorted = new TreeMap<>();
        operation.answers().forEach((status, response) -> sorted.put(status, response.json(schemas)));
        operation.errors().forEach(error -> sorted.put(error.status(), error.reference()));
        Map<String, Object> responses = new LinkedHashMap<>();
        sorted.forEach((status, response) -> responses.put(String.valueOf(status), response));
        return responses;
    }

    public Map<String, Object> json() {
        Map<String, Object> components = new LinkedHashMap<>();
        components.put(
                "securitySchemes",
                Map.of("token", Ordered.map("type", "http", "scheme", "bearer", "bearerFormat", "JWT")));
        components.put("responses", errors);
        components.put("schemas", schemas);
        List<Object> named = new ArrayList<>();
        tags.forEach(tag -> named.add(Map.of("name", tag)));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("openapi", "3.1.0");
        json.put("info", info);
        json.put("servers", List.of(Map.of("url", "/")));
        json.put("security", List.of(Map.of("token", List.of())));
        json.put("tags", named);
        json.put("paths", paths);
        json.put("components", components);
        return json;
    }
}
