package io.postrider.server.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What the API is, as OpenAPI. No secret, so it needs nobody. */
final class Description {
    private Description() {}

    static List<Route> routes() {
        Answer text = Answer.text(read());
        return List.of(Route.get("/v1/openapi.json", Need.NOBODY, call -> text));
    }

    private static String read() {
        try (InputStream in = Description.class.getResourceAsStream("/postrider/openapi.json")) {
            if (in == null) {
                throw new IllegalStateException("no file /postrider/openapi.json in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
