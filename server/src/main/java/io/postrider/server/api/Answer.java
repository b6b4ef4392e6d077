package io.postrider.server.api;

import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;

/** The answer of a route. Immutable. */
public final class Answer {
    private static final String JSON = "application/json";

    private final int status;
    private final byte[] body;
    private final Runnable ended;

    private Answer(int status, byte[] body, Runnable ended) {
        this.status = status;
        this.body = body;
        this.ended = ended;
    }

    /** Status 200 with this body. */
    public static Answer ok(JsonNode json) {
        return of(200, json);
    }

    /** Status 201 with this body. */
    public static Answer created(JsonNode json) {
        return of(201, json);
    }

    /** This status with this body. */
    public static Answer of(int status, JsonNode json) {
        return new Answer(status, JsonText.write(json), () -> {});
    }

    /** Status 200 with this JSON text, unchanged. */
    public static Answer text(String json) {
        return new Answer(200, json.getBytes(StandardCharsets.UTF_8), () -> {});
    }

    /** The same answer; runs this when the answer is written, or when its client is gone. */
    Answer whenEnded(Runnable then) {
        return new Answer(status, body, then);
    }

    public int status() {
        return status;
    }

    public String mediaType() {
        return JSON;
    }

    int size() {
        return body.length;
    }

    /** The bytes themselves, not a copy: an answer may have 8 MiB. Do not change them. */
    public byte[] body() {
        return body;
    }

    /** Call this once, when the body is no longer needed. */
    public void end() {
        ended.run();
    }
}
