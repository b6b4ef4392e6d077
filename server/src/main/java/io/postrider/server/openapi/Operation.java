package io.postrider.server.openapi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The purpose, parameters and answers of a route. Immutable: each method returns a changed copy.
 *
 * @param answers the successful ones, by status
 * @param errors those that the method and the policy of the route do not imply
 */
public record Operation(
        Title title,
        List<Parameter> parameters,
        @Nullable Schema body,
        Map<Integer, Response> answers,
        Set<ErrorResponse> errors) {

    /** @param note details beyond the summary; may be empty */
    public record Title(String tag, String id, String summary, String note) {}

    public static Operation of(String tag, String id, String summary) {
        return new Operation(new Title(tag, id, summary, ""), List.of(), null, Map.of(), Set.of());
    }

    public Operation noting(String note) {
        Title noted = new Title(title.tag, title.id, title.summary, note);
        return new Operation(noted, parameters, body, answers, errors);
    }

    public Operation takes(Parameter... more) {
        List<Parameter> all = new ArrayList<>(parameters);
        all.addAll(Arrays.asList(more));
        return new Operation(title, List.copyOf(all), body, answers, errors);
    }

    public Operation body(Schema schema) {
        return new Operation(title, parameters, schema, answers, errors);
    }

    public Operation answers(Schema schema) {
        return answers(200, Response.json("OK.", schema));
    }

    public Operation created(Schema schema) {
        return answers(201, Response.json("Committed.", schema));
    }

    public Operation answers(int status, Response response) {
        Map<Integer, Response> all = new TreeMap<>(answers);
        all.put(status, response);
        return new Operation(title, parameters, body, all, errors);
    }

    public Operation fails(ErrorResponse... more) {
        Set<ErrorResponse> all = EnumSet.noneOf(ErrorResponse.class);
        all.addAll(errors);
        all.addAll(Arrays.asList(more));
        return new Operation(title, parameters, body, answers, all);
    }

    /** The names of the query parameters. */
    public Set<String> queryNames() {
        Set<String> names = new LinkedHashSet<>();
        parameters.stream().filter(one -> one.in() == Parameter.In.QUERY).forEach(one -> names.add(one.name()));
        return names;
    }

    /**
     * A successful answer.
     *
     * @param schema null if there is no body
     */
    public record Response(
            String description, String mediaType, @Nullable Schema schema) {
        public static Response json(String description, Schema schema) {
            return new Response(description, "application/json", schema);
        }

        Map<String, Object> json(Map<String, Object> components) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("description", description);
            if (schema != null) {
                json.put("content", Map.of(mediaType, Map.of("schema", schema.json(components))));
            }
            return json;
        }
    }
}
