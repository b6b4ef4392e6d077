package io.postrider.server.api;

import tools.jackson.databind.JsonNode;

/** What a route gives back. Immutable. */
public record Answer(int status, String mediaType, String body) {
    private static final String JSON = "application/json";

    /** 200 with this. */
    public static Answer ok(JsonNode json) {
        return of(200, json);
    }

    /** 201 with this. */
    public static Answer created(JsonNode json) {
        return of(201, json);
    }

    /** A status with this. */
    public static Answer of(int status, JsonNode json) {
        return new Answer(status, JSON, JsonText.write(json));
    }

    /** 200 with JSON text as it is. */
    public static Answer text(String json) {
        return new Answer(200, JSON, json);
    }
}
