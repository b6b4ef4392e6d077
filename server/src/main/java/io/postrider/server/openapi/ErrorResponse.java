package io.postrider.server.openapi;

import java.util.LinkedHashMap;
import java.util.Map;

/** The errors of the API. Each is a component of the document; all have the same body. */
public enum ErrorResponse {
    BAD_REQUEST(400, "BadRequest", "The request is invalid; the detail says why."),
    UNAUTHORIZED(401, "Unauthorized", "The token is missing or invalid."),
    FORBIDDEN(403, "Forbidden", "The token's reach is not sufficient, or the origin of the page is not allowed."),
    NOT_FOUND(404, "NotFound", "Missing, or outside the token's reach."),
    NOT_ACCEPTABLE(406, "NotAcceptable", "Responses are JSON, which the Accept header excludes."),
    CONFLICT(409, "Conflict", "The current state does not allow it."),
    TOO_LARGE(413, "TooLarge", "The body is larger than the server's limit."),
    WRONG_TYPE(415, "WrongType", "The body is not application/json."),
    TOO_MANY(429, "TooMany", "The caller has reached its limit of connections or its write rate."),
    UNAVAILABLE(
            503,
            "Unavailable",
            "The database cannot be reached, another transaction holds a lock that the request"
                    + " needs, or a limit of concurrent requests or connections is reached. Retry-After says"
                    + " when to try again.");

    private static final Schema PROBLEM = Schema.object("Problem")
            .described("The body of every error (RFC 9457).")
            .has(
                    "type",
                    Schema.text()
                            .described("The kind of problem, derived from the status.")
                            .with("format", "uri"))
            .has("title", Schema.text())
            .has("status", Schema.integer().with("minimum", 400).with("maximum", 599))
            .has("detail", Schema.text().described("What is wrong."))
            .has("next", Schema.text().described("What to do about it."))
            .mayHave(
                    "retryAfter",
                    Schema.integer()
                            .with("minimum", 0)
                            .described(
                                    "Seconds, as in the header Retry-After; only if a stream is refused temporarily."))
            .example("""
                    {"type": "urn:postrider:problem:400", "title": "Bad request", "status": 400,
                     "detail": "the body has an unknown field 'typ'; did you mean 'type'?",
                     "next": "Correct the request; /v1/openapi.json describes it."}""");

    private final int status;
    private final String component;
    private final String description;

    ErrorResponse(int status, String component, String description) {
        this.status = status;
        this.component = component;
        this.description = description;
    }

    int status() {
        return status;
    }

    Map<String, Object> reference() {
        return Map.of("$ref", "#/components/responses/" + component);
    }

    /** All of them, by their name as a component. */
    static Map<String, Object> components(Map<String, Object> schemas) {
        Map<String, Object> components = new LinkedHashMap<>();
        for (ErrorResponse error : values()) {
            components.put(error.component, error.json(schemas));
        }
        return components;
    }

    private Map<String, Object> json(Map<String, Object> schemas) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("description", description);
        if (this == UNAVAILABLE) {
            json.put(
                    "headers",
                    Map.of("Retry-After", Ordered.map("description", "Seconds.", "schema", Map.of("type", "integer"))));
        }
        json.put("content", Map.of("application/problem+json", Map.of("schema", PROBLEM.json(schemas))));
        return json;
    }
}
