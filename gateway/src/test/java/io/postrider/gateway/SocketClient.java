package io.postrider.gateway;

import io.postrider.testkit.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A WebSocket as the JDK has it, and what came over it. */
final class SocketClient implements WebSocket.Listener, AutoCloseable {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Pattern TYPE = Pattern.compile("^\\{\"type\":\"(\\w+)\"");
    private static final Pattern POSITION = Pattern.compile("\"position\":(\\d+)");

    private final List<Seen> frames = new ArrayList<>();
    private final StringBuilder partial = new StringBuilder();
    private volatile int closeCode = -1;
    private WebSocket socket;

    static SocketClient open(String url, UnaryOperator<WebSocket.Builder> how) throws Exception {
        SocketClient client = new SocketClient();
        client.socket = how.apply(HTTP.newWebSocketBuilder())
                .buildAsync(URI.create(url), client)
                .get(30, TimeUnit.SECONDS);
        return client;
    }

    void hello(String token, String topic, Long position, String... rooms) throws Exception {
        String list = Stream.of(rooms).map(room -> "\"" + room + "\"").collect(Collectors.joining(","));
        send("{\"type\":\"hello\",\"token\":\"" + token + "\",\"topic\":\"" + topic + "\",\"rooms\":[" + list
                + "],\"position\":" + position + "}");
    }

    void send(String text) throws Exception {
        socket.sendText(text, true).get(60, TimeUnit.SECONDS);
    }

    /** Not the last piece of a message. */
    void sendPiece(String text) throws Exception {
        socket.sendText(text, false).get(60, TimeUnit.SECONDS);
    }

    void sendPong() throws Exception {
        socket.sendPong(ByteBuffer.allocate(0)).get(60, TimeUnit.SECONDS);
    }

    void sendBinary(byte[] bytes) throws Exception {
        socket.sendBinary(ByteBuffer.wrap(bytes), true).get(60, TimeUnit.SECONDS);
    }

    @Override
    public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
        partial.append(data);
        if (last) {
            String json = partial.toString();
            partial.setLength(0);
            Matcher type = TYPE.matcher(json);
            Matcher position = POSITION.matcher(json);
            synchronized (frames) {
                frames.add(new Seen(
                        type.find() ? type.group(1) : "?",
                        position.find() ? Long.parseLong(position.group(1)) : -1,
                        json));
            }
        }
        webSocket.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket webSocket, int statusCode, String reason) {
        closeCode = statusCode;
        return null;
    }

    @Override
    public void onError(WebSocket webSocket, Throwable error) {
        closeCode = 1006;
    }

    int awaitClose() {
        Await.until("the socket is closed; frames " + frames(), Duration.ofSeconds(60), () -> closeCode >= 0);
        return closeCode;
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
                throw new IllegalStateException("frames: " + frames() + " closed: " + closeCode);
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

    @Override
    public void close() {
        socket.abort();
    }
}
