package io.postrider.server;

import io.postrider.LogEvent;
import io.postrider.gateway.Identity.Reach;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Somebody with a token who is in some rooms, over a stream or a socket: what it should hear, and what it has heard. */
final class Audience implements AutoCloseable {
    private static final Pattern FRAME = Pattern.compile("^\\{\"type\":\"(\\w+)\",\"position\":(\\d+)");

    final String name;
    private final String token;
    private final List<String> rooms;
    private final Predicate<LogEvent> hears;
    private final List<Long> heard = new ArrayList<>();
    private @Nullable AutoCloseable line;
    private volatile String end = "";
    private volatile boolean welcomed;

    private Audience(String name, String token, List<String> rooms, Predicate<LogEvent> hears) {
        this.name = name;
        this.token = token;
        this.rooms = rooms;
        this.hears = hears;
    }

    /** Everything of a project. */
    static Audience ofProject(LiveServer server, String name, String project) {
        String token = server.mint().issue(name, project, Reach.PROJECT, LiveServer.HOUR);
        return new Audience(name, token, List.of("project:" + project), event -> project.equals(event.projectId()));
    }

    /** What is a user's own in a project, or in none. */
    static Audience ofUser(LiveServer server, String user, String project) {
        String token = server.mint().issue(user, project, Reach.USER, LiveServer.HOUR);
        return new Audience(
                user + " in " + project, token, List.of("user:" + user), event -> isOwn(event, user, project));
    }

    /** Both; an event that is in both rooms comes once. */
    static Audience ofBoth(LiveServer server, String user, String project) {
        String token = server.mint().issue(user, project, Reach.PROJECT, LiveServer.HOUR);
        return new Audience(
                user + " and all of " + project,
                token,
                List.of("project:" + project, "user:" + user),
                event -> project.equals(event.projectId()));
    }

    private static boolean isOwn(LogEvent event, String user, String project) {
        return user.equals(event.userId())
                && (event.projectId() == null || event.projectId().equals(project));
    }

    List<Long> expected(List<LogEvent> all) {
        return all.stream().filter(hears).map(LogEvent::position).toList();
    }

    List<Long> heard() {
        synchronized (heard) {
            return List.copyOf(heard);
        }
    }

    boolean isWelcomed() {
        return welcomed;
    }

    /** Empty while the line stands. */
    String end() {
        return end;
    }

    String token() {
        return token;
    }

    /** As JavaScript. */
    String roomList() {
        return rooms.stream().map(room -> "\"" + room + "\"").collect(Collectors.joining(",", "[", "]"));
    }

    private void frame(String type, long position) {
        welcomed = true;
        if (type.equals("event")) {
            synchronized (heard) {
                heard.add(position);
            }
        } else if (!type.equals("position")) {
            end = type;
        }
    }

    // ── a stream ────────────────────────────────────────────────────────────────────────────────────────────────────

    Audience stream(LiveServer server) throws IOException, InterruptedException {
        String query = rooms.stream().map(room -> "&room=" + room).collect(Collectors.joining());
        HttpResponse<InputStream> response = server.client()
                .send(
                        server.request(token, "/v1/stream?topic=orders" + query)
                                .timeout(Duration.ofMinutes(10))
                                .build(),
                        BodyHandlers.ofInputStream());
        line = response.body();
        Thread reader = new Thread(() -> read(response.body()), "audience-" + name);
        reader.setDaemon(true);
        reader.start();
        return this;
    }

    private void read(InputStream body) {
        long position = 0;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
            for (String text = lines.readLine(); text != null; text = lines.readLine()) {
                if (text.startsWith("id: ")) {
                    position = Long.parseLong(text.substring(4));
                } else if (text.startsWith("event: ")) {
                    frame(text.substring(7), position);
                }
            }
            end = "ended";
        } catch (IOException e) {
            end = e.toString();
        }
    }

    // ── a socket ────────────────────────────────────────────────────────────────────────────────────────────────────

    Audience socket(LiveServer server) throws Exception {
        String url = "ws://127.0.0.1:" + server.port() + "/v1/socket";
        WebSocket socket = server.client()
                .newWebSocketBuilder()
                .buildAsync(java.net.URI.create(url), new Ear())
                .get(30, TimeUnit.SECONDS);
        line = socket::abort;
        socket.sendText(
                        "{\"type\":\"hello\",\"token\":\"" + token + "\",\"topic\":\"orders\",\"rooms\":" + roomList()
                                + ",\"position\":null}",
                        true)
                .get(30, TimeUnit.SECONDS);
        return this;
    }

    private final class Ear implements WebSocket.Listener {
        private final StringBuilder partial = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            partial.append(data);
            if (last) {
                Matcher frame = FRAME.matcher(partial);
                if (frame.find()) {
                    frame(frame.group(1), Long.parseLong(frame.group(2)));
                } else {
                    end = partial.toString();
                }
                partial.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            end = "closed " + status;
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            end = error.toString();
        }
    }

    @Override
    public void close() throws Exception {
        if (line != null) {
            line.close();
        }
    }
}
