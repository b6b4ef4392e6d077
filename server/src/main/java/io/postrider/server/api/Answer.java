package io.postrider.server.api;

import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;

/** What a route gives back. Immutable. */
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
        return new Answer(status, JsonText.write(json), () -> {});
    }

    /** 200 with JSON text as it is. */
    public static Answer text(String json) {
        return new Answer(200, json.getBytes(StandardCharsets.UTF_8), () -> {});
    }

    /** The same; this is called when the answer is written, or nobody waits for it any more. */
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

    /** The bytes themselves: an answer may have 8 MiB, and is not copied. Do not change them. */
    public byte[] body() {
        return body;
    }

    /** To be called once, when the body is no longer needed. */
    public void end() {
        ended.run();
    }
}
