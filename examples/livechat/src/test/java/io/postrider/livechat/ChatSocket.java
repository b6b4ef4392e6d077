package io.postrider.livechat;

import io.postrider.testkit.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The gateway's WebSocket, as a client that is not a page uses it. */
final class ChatSocket implements WebSocket.Listener, AutoCloseable {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration LONG = Duration.ofSeconds(60);

    private final List<String> frames = new CopyOnWriteArrayList<>();
    private final StringBuilder partial = new StringBuilder();
    private volatile int closed = -1;
    private final WebSocket socket;

    private ChatSocket(String url) throws Exception {
        socket = HTTP.newWebSocketBuilder().buildAsync(URI.create(url), this).get(30, TimeUnit.SECONDS);
    }

    static ChatSocket open(Theatre theatre, Guest guest) throws Exception {
        ChatSocket opened = new ChatSocket(theatre.url("/v1/socket").replace("http", "ws"));
        String token = theatre.passes.issue(guest, Duration.ofMinutes(5));
        opened.send("{\"type\":\"hello\",\"token\":\"" + token + "\",\"topic\":\"chat\",\"rooms\":[\"user:"
                + guest.user() + "\"]}");
        opened.await("\"type\":\"position\"");
        return opened;
    }

    void send(String text) throws Exception {
        socket.sendText(text, true).get(30, TimeUnit.SECONDS);
    }

    /** Sends a message and returns the frame that answers it. */
    String say(String id, String data) throws Exception {
        int before = frames.size();
        begin(id, data);
        return await("ack\",\"id\":\"" + id + "\"", before);
    }

    /** Sends a message and does not wait. */
    void begin(String id, String data) throws Exception {
        send("{\"type\":\"send\",\"id\":\"" + id + "\",\"data\":" + data + "}");
    }

    /** A frame that contains this text and has arrived already. */
    Optional<String> find(String text) {
        return frames.stream().filter(frame -> frame.contains(text)).findFirst();
    }

    /** The first frame that contains this text. */
    String await(String text) {
        return await(text, 0);
    }

    private String await(String text, int from) {
        return Await.value("a frame with " + text, LONG, () -> {
            Optional<String> found = frames.stream()
                    .skip(from)
                    .filter(frame -> frame.contains(text))
                    .findFirst();
            if (found.isEmpty() && closed >= 0) {
                throw new IllegalStateException("closed with " + closed + " after " + frames);
            }
            return found;
        });
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
        partial.append(data);
        if (last) {
            frames.add(partial.toString());
            partial.setLength(0);
        }
        webSocket.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket webSocket, int statusCode, String reason) {
        closed = statusCode;
        return null;
    }

    @Override
    public void close() {
        socket.abort();
    }
}
