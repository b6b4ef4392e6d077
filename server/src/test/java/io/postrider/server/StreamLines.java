package io.postrider.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;

/** A stream of the gateway as somebody reads it, frame by frame. */
final class StreamLines implements AutoCloseable {
    private final BufferedReader reader;

    private StreamLines(BufferedReader reader) {
        this.reader = reader;
    }

    static StreamLines open(LiveServer server, String token, String query) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = server.client()
                .send(server.request(token, "/v1/stream?" + query).build(), BodyHandlers.ofInputStream());
        if (response.statusCode() != 200) {
            throw new AssertionError("the stream was refused with " + response.statusCode());
        }
        return new StreamLines(new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8)));
    }

    /** The next frame of this kind; those of others are passed over. Null at the end. */
    String next(String kind) {
        StringBuilder frame = new StringBuilder();
        try {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                frame.append(line).append('\n');
                if (line.isEmpty()) {
                    if (frame.toString().contains("event: " + kind + "\n")) {
                        return frame.toString();
                    }
                    frame.setLength(0);
                }
            }
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
