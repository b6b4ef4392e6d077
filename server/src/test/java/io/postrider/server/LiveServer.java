package io.postrider.server;

import io.postrider.Postrider;
import io.postrider.gateway.Identity.Reach;
import io.postrider.gateway.TokenMint;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A real server on a port of its own, and somebody who speaks HTTP with it. The key is made for each. */
final class LiveServer implements AutoCloseable {
    static final Duration HOUR = Duration.ofHours(1);
    private static final JsonMapper JSON = new JsonMapper();

    private final Server server;
    private final String secret;
    private final TokenMint mint;
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(Duration.ofSeconds(10))
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    private LiveServer(Server server, String secret) {
        this.server = server;
        this.secret = secret;
        this.mint = mint(secret);
    }

    static LiveServer on(TestDatabase database, Class<?>... more) {
        return on(database, Map.of(), more);
    }

    static LiveServer on(TestDatabase database, Map<String, String> settings, Class<?>... more) {
        String secret = newSecret();
        Map<String, String> all = new LinkedHashMap<>(settings(database, secret));
        all.putAll(settings);
        return new LiveServer(Server.start(all, more), secret);
    }

    /** What a server on this database with this key is told. */
    static Map<String, String> settings(TestDatabase database, String secret) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("postrider.database-url", database.jdbcUrl());
        settings.put("postrider.http.port", "0");
        settings.put("postrider.auth.secrets.mint", secret);
        settings.put("postrider.log", "text");
        settings.put("postrider.gateway.topics", "orders");
        settings.put("logging.level.root", "warn");
        return settings;
    }

    static String newSecret() {
        byte[] bytes = new byte[48];
        new SecureRandom().nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    static TokenMint mint(String secret) {
        return TokenMint.of("postrider", "postrider", secret.getBytes(StandardCharsets.UTF_8));
    }

    Postrider postrider() {
        return server.bean(Postrider.class);
    }

    Server server() {
        return server;
    }

    int port() {
        return server.port();
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }

    // ── who ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    String operator() {
        return mint.issue("root", null, Reach.ALL, HOUR);
    }

    String project(String project) {
        return mint.issue("service", project, Reach.PROJECT, HOUR);
    }

    String user(String user, @Nullable String project) {
        return mint.issue(user, project, Reach.USER, HOUR);
    }

    TokenMint mint() {
        return mint;
    }

    /** With the right key, for somebody else. */
    TokenMint mintFor(String audience) {
        return TokenMint.of("postrider", audience, secret.getBytes(StandardCharsets.UTF_8));
    }

    // ── what they say ───────────────────────────────────────────────────────────────────────────────────────────────

    /** An answer, with its body read. */
    record Reply(int status, String type, String text, HttpResponse<String> response) {
        JsonNode json() {
            return JSON.readTree(text);
        }

        String detail() {
            return json().path("detail").asString();
        }
    }

    Reply get(@Nullable String token, String path) {
        return send(request(token, path).GET());
    }

    Reply post(@Nullable String token, String path, String body) {
        return send(request(token, path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    HttpRequest.Builder request(@Nullable String token, String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(60));
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    Reply send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
            return new Reply(
                    response.statusCode(),
                    response.headers().firstValue("Content-Type").orElse(""),
                    response.body(),
                    response);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HttpClient client() {
        return client;
    }

    @Override
    public void close() {
        server.close();
    }
}
