package io.postrider.webhook;

import static io.postrider.webhook.TestEndpoint.COURSE;
import static io.postrider.webhook.TestEndpoint.event;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.postrider.FailurePolicy;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.SendResult;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the README shows is what runs. */
@PostgresTest
class WebhookReadmeTest {
    private final List<byte[]> taken = new CopyOnWriteArrayList<>();

    @Test
    void a_sink_is_added_as_a_relay(TestDatabase database) {
        try (Postrider postrider = Postrider.on(database.dataSource()).migrate()) {
            addTo(postrider, WebhookOptions.newSecret());
        }
    }

    private static void addTo(Postrider postrider, String secret) {
        // region README
        WebhookSink sink =
                WebhookSink.to(URI.create("https://hooks.example.com/orders"), WebhookOptions.signedWith(secret));
        postrider.add(
                Listener.relay("shop-hook", "orders", sink).withConcurrency(8).withPolicy(FailurePolicy.PARK));
        // endregion
        sink.close();
    }

    @Test
    void the_receiver_takes_what_is_genuine_while_secrets_change() throws Exception {
        String older = WebhookOptions.newSecret();
        String newer = WebhookOptions.newSecret();
        HttpServer server = receiver(older, 0);
        server.start();
        int port = server.getAddress().getPort();
        WebhookOptions options = WebhookOptions.signedWith(older).withAllowedHosts("localhost:" + port);
        try (WebhookSink sink = WebhookSink.to(URI.create("http://localhost:" + port + "/orders"), options)) {
            LogEvent event = event(1);
            assertThat(sink.send(COURSE, List.of(event)).isWhole()).isTrue();
            assertThat(taken).hasSize(1);
            rotate(sink, newer, older);
            SendResult receipt = sink.send(COURSE, List.of(event));
            assertThat(receipt.error()).hasMessageEndingWith("answered 401");
            assertThat(taken).hasSize(1);
        } finally {
            server.stop(0);
        }
    }

    private HttpServer receiver(String secret, int port) throws IOException {
        // region README, the other side
        WebhookVerifier verifier = WebhookVerifier.of(secret);
        HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
        server.createContext("/orders", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            try {
                verifier.verify(exchange.getRequestHeaders()::getFirst, body);
                take(body); // once for each webhook-id
                exchange.sendResponseHeaders(204, -1);
            } catch (PostriderException forged) {
                exchange.sendResponseHeaders(401, -1);
            }
            exchange.close();
        });
        // endregion
        return server;
    }

    private static void rotate(WebhookSink sink, String newer, String older) {
        // region README, changing the secret
        sink.rotate(newer, older); // both sign
        // the receiver takes the newer one: WebhookVerifier.of(newer), or of(newer, older) for a while
        sink.rotate(newer);
        // endregion
    }

    private void take(byte[] body) {
        taken.add(body);
    }

    @Test
    void every_java_snippet_is_a_region_of_this_file() throws IOException {
        List<String> known = found(
                "(?s)// region [^\n]*\n(.*?)\n *// endregion",
                Path.of("src/test/java/io/postrider/webhook/WebhookReadmeTest.java"));
        List<String> shown = found("(?s)```java\n(.*?)```", Path.of("README.md"));
        assertThat(shown).hasSize(3);
        assertThat(known).containsExactlyElementsOf(shown);
    }

    /** Lines are broken by a formatter in one place and by a person in the other. */
    private static List<String> found(String pattern, Path file) throws IOException {
        Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(file));
        List<String> all = new ArrayList<>();
        while (matcher.find()) {
            all.add(matcher.group(1).replaceAll("\\s+", ""));
        }
        return all;
    }
}
