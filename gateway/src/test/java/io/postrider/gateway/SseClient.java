package io.postrider.gateway;

import io.postrider.testkit.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Reads one stream to its end, by a thread of its own. */
final class SseClient implements AutoCloseable {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final HttpResponse<java.io.InputStream> response;
    private final List<Seen> frames = new ArrayList<>();
    private volatile boolean ended;

    private SseClient(HttpResponse<java.io.InputStream> response) {
        this.response = response;
    }

    static SseClient open(int port, String path, String token, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        SseClient client = new SseClient(
                HTTP.send(request.timeout(Duration.ofSeconds(30)).build(), HttpResponse.BodyHandlers.ofInputStream()));
        if (client.status() == 200) {
            Thread reader = new Thread(client::read, "sse-client");
            reader.setDaemon(true);
            reader.start();
        }
        return client;
    }

    int status() {
        return response.statusCode();
    }

    String header(String name) {
        return response.headers().firstValue(name).orElse("");
    }

    /** The body of an answer that is not a stream. */
    String body() throws IOException {
        return new String(response.body().readAllBytes(), StandardCharsets.UTF_8);
    }

    private void read() {
        String type = "";
        String data = "";
        long id = -1;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("id: ")) {
                    id = Long.parseLong(line.substring(4));
                } else if (line.startsWith("event: ")) {
                    type = line.substring(7);
                } else if (line.startsWith("data: ")) {
                    data = line.substring(6);
                } else if (line.isEmpty()) {
                    synchronized (frames) {
                        frames.add(new Seen(type, id, data));
                    }
                }
            }
        } catch (IOException e) {
            // cut
        }
        ended = true;
    }

    List<Seen> frames() {
        synchronized (frames) {
            return List.copyOf(frames);
        }
    }

    List<Long> positions() {
        return Seen.positions(frames());
    }

    Seen await(String what, Predicate<Seen> wanted) {
        return Await.value(what, Duration.ofSeconds(60), () -> {
            Optional<Seen> found = frames().stream().filter(wanted).findFirst();
            if (found.isEmpty()) {
                throw new IllegalStateException("frames: " + frames());
            }
            return found;
        });
    }

    Seen await(String type) {
        return await("a frame " + type, frame -> frame.type().equals(type));
    }

    void awaitEvents(int count) {
        Await.until(count + " events", Duration.ofSeconds(30), () -> {
            if (positions().size() < count) {
                throw new IllegalStateException("frames: " + frames());
            }
            return true;
        });
    }

    void awaitEnd() {
        Await.until("the stream has ended", Duration.ofSeconds(60), () -> ended);
    }

    boolean ended() {
        return ended;
    }

    @Override
    public void close() throws IOException {
        response.body().close();
    }
}
