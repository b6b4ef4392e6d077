package io.postrider.server;

import io.postrider.testkit.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Somebody who listens to one room, and writes down every word. */
interface Hearing extends AutoCloseable {
    /** The ways there are to listen, and to say from where on. */
    enum Way {
        STREAM_BY_POSITION,
        STREAM_BY_LAST_EVENT_ID,
        SOCKET
    }

    /** All that was said, once these words have been. */
    String until(String words);

    @Override
    void close();

    static Hearing open(Way way, LiveServer server, String token, String room, long position) throws Exception {
        return way == Way.SOCKET
                ? new Socket(server, token, room, position)
                : new Stream(server, token, room, position, way == Way.STREAM_BY_LAST_EVENT_ID);
    }

    /** Server-Sent Events. */
    final class Stream implements Hearing {
        private final BufferedReader reader;
        private final StringBuilder said = new StringBuilder();

        Stream(LiveServer server, String token, String room, long position, boolean byHeader) throws Exception {
            String where = "/v1/stream?topic=orders&room=" + room;
            HttpRequest.Builder request = byHeader
                    ? server.request(token, where).header("Last-Event-ID", Long.toString(position))
                    : server.request(token, where + "&position=" + position);
            HttpResponse<InputStream> response = server.client().send(request.build(), BodyHandlers.ofInputStream());
            if (response.statusCode() != 200) {
                throw new AssertionError("the stream of " + room + " was refused with " + response.statusCode());
            }
            reader = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
        }

        /** A frame is whole before anybody looks at it. */
        @Override
        public String until(String words) {
            try {
                boolean found = false;
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    said.append(line).append('\n');
                    found |= line.contains(words);
                    if (found && line.isEmpty()) {
                        return said.toString();
                    }
                }
            } catch (IOException e) {
                throw new AssertionError("broken before " + words + " after: " + said, e);
            }
            throw new AssertionError("the stream ended before " + words + ": " + said);
        }

        @Override
        public void close() {
            try {
                reader.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** A WebSocket. */
    final class Socket implements Hearing {
        private final StringBuffer said = new StringBuffer();
        private final WebSocket socket;

        Socket(LiveServer server, String token, String room, long position) throws Exception {
            socket = server.client()
                    .newWebSocketBuilder()
                    .buildAsync(URI.create("ws://127.0.0.1:" + server.port() + "/v1/socket"), new Words())
                    .get(30, TimeUnit.SECONDS);
            socket.sendText(
                            "{\"type\":\"hello\",\"token\":\"" + token + "\",\"topic\":\"orders\",\"rooms\":[\"" + room
                                    + "\"],\"position\":" + position + "}",
                            true)
                    .get(30, TimeUnit.SECONDS);
        }

        private final class Words implements WebSocket.Listener {
            @Override
            public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
                said.append(data).append(last ? "\n" : "");
                from.request(1);
                return null;
            }

            @Override
            public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
                said.append("closed ").append(code).append(' ').append(reason).append('\n');
                return null;
            }
        }

        @Override
        public String until(String words) {
            Await.until(words + " on the socket", Duration.ofSeconds(60), () -> {
                int found = said.indexOf(words);
                return found >= 0 && said.indexOf("\n", found) > 0;
            });
            return said.toString();
        }

        @Override
        public void close() {
            socket.abort();
        }
    }
}
