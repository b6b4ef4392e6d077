package io.postrider.webhook;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.postrider.LogEvent;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The JDK's HTTP server on a port of its own, which keeps what it was sent and answers as it is told. */
final class TestEndpoint implements AutoCloseable {
    static final RelayEpoch COURSE = new RelayEpoch("hook", "orders", 1);

    static {
        // Or each answer waits 40 ms for a packet that does not come.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    record Received(String method, String target, Headers headers, byte[] body) {
        String header(String name) {
            return headers.getFirst(name);
        }
    }

    @FunctionalInterface
    interface Answering {
        void answer(HttpExchange exchange, Received received) throws IOException;
    }

    final List<Received> received = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private volatile Answering answering = status(204);

    private TestEndpoint(HttpServer server) {
        this.server = server;
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    static TestEndpoint start() throws IOException {
        return start(0);
    }

    static TestEndpoint start(int port) throws IOException {
        return new TestEndpoint(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0));
    }

    static TestEndpoint secured(SSLContext context) throws IOException {
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return new TestEndpoint(server);
    }

    static Answering status(int status, String... headersAndBody) {
        return (exchange, received) -> {
            int headers = headersAndBody.length / 2 * 2;
            for (int i = 0; i < headers; i += 2) {
                exchange.getResponseHeaders().set(headersAndBody[i], headersAndBody[i + 1]);
            }
            byte[] body = headers < headersAndBody.length
                    ? headersAndBody[headers].getBytes(StandardCharsets.UTF_8)
                    : new byte[0];
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        };
    }

    TestEndpoint answering(Answering newAnswering) {
        answering = newAnswering;
        return this;
    }

    int port() {
        return server.getAddress().getPort();
    }

    String trusted() {
        return "localhost:" + port();
    }

    URI url(String target) {
        return URI.create("http://localhost:" + port() + target);
    }

    /** With everything by default, but that this host is trusted. */
    WebhookSink sink(String... secrets) {
        return WebhookSink.to(url("/hook"), options(secrets));
    }

    WebhookOptions options(String... secrets) {
        return WebhookOptions.signedWith(secrets.length == 0 ? new String[] {WebhookOptions.newSecret()} : secrets)
                .withAllowedHosts(trusted());
    }

    static LogEvent event(long position, @Nullable String key, String payload) {
        return new LogEvent(
                "orders",
                position,
                UUID.randomUUID(),
                "order.placed",
                payload,
                key,
                null,
                null,
                null,
                null,
                "{}",
                Instant.parse("2026-01-02T03:04:05Z"));
    }

    static LogEvent event(long position) {
        return event(position, null, "{\"order\": " + position + "}");
    }

    static List<InetAddress> addresses(String... literals) {
        return java.util.Arrays.stream(literals)
                .map(literal -> {
                    try {
                        return InetAddress.getByName(literal);
                    } catch (java.net.UnknownHostException e) {
                        throw new AssertionError(e);
                    }
                })
                .toList();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Received one = new Received(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    exchange.getRequestHeaders(),
                    exchange.getRequestBody().readAllBytes());
            received.add(one);
            answering.answer(exchange, one);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    /** As a relay does: who took a part only, because a second was over, is sent the rest. */
    static SendResult send(WebhookSink sink, List<LogEvent> events) throws InterruptedException {
        int taken = 0;
        while (true) {
            SendResult receipt = sink.send(COURSE, events.subList(taken, events.size()));
            if (receipt.isWhole()) {
                return receipt;
            }
            taken += receipt.taken();
            Throwable error = receipt.error();
            if (error != null) {
                return receipt.isUnavailable()
                        ? SendResult.unavailable(taken, error, receipt.retryAfter())
                        : SendResult.refused(taken, error, receipt.retryAfter());
            }
        }
    }
}
