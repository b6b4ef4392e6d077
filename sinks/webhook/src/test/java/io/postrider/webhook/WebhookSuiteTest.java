package io.postrider.webhook;

import io.postrider.Sink;
import io.postrider.sinks.suite.Arrived;
import io.postrider.sinks.suite.Place;
import io.postrider.sinks.suite.SinkSuite;
import io.postrider.webhook.TestEndpoint.Received;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

/** What every sink must hold, of this one. */
@Tag("slow")
class WebhookSuiteTest extends SinkSuite {
    @Override
    protected Place place() throws IOException {
        return new Receiver();
    }

    /** A consumer that verifies each message, looks at its type, and keeps what it got when its server is gone. */
    private static final class Receiver implements Place {
        private static final Pattern KEY = Pattern.compile("\"partitionkey\":\"((?:[^\"\\\\]|\\\\.)*)\"");
        private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u([0-9a-f]{4})|(.))");

        private static final String POISON = "\"poison\"";

        private final String secret = WebhookOptions.newSecret();
        private final WebhookVerifier verifier = WebhookVerifier.of(secret);
        private final List<TestEndpoint> servers = new ArrayList<>();
        private final int port;

        Receiver() throws IOException {
            servers.add(answering(TestEndpoint.start()));
            port = servers.get(0).port();
        }

        private static TestEndpoint answering(TestEndpoint server) {
            return server.answering((exchange, one) ->
                    TestEndpoint.status(isRefused(one) ? 422 : 204).answer(exchange, one));
        }

        private static boolean isRefused(Received one) {
            return text(one).contains(",\"data\":" + POISON);
        }

        @Override
        public String refusedPayload() {
            return POISON;
        }

        @Override
        public Sink open() {
            WebhookOptions options = WebhookOptions.signedWith(secret).withAllowedHosts("localhost:" + port);
            return WebhookSink.to(URI.create("http://localhost:" + port + "/hook"), options);
        }

        @Override
        public synchronized List<Arrived> arrived() {
            return servers.stream()
                    .flatMap(server -> server.received.stream())
                    .filter(one -> !text(one).contains("\"type\":\"postrider.test\"") && !isRefused(one))
                    .map(this::arrived)
                    .toList();
        }

        @Override
        public void goAway() {
            servers.get(servers.size() - 1).close();
        }

        @Override
        public synchronized void comeBack() throws IOException {
            servers.add(answering(TestEndpoint.start(port)));
        }

        @Override
        public boolean tells() {
            return false;
        }

        @Override
        public List<String> secrets() {
            return List.of(secret, secret.substring("whsec_".length()));
        }

        @Override
        public void close() {
            goAway();
        }

        private Arrived arrived(Received one) {
            verifier.verify(one::header, one.body());
            String body = text(one);
            return new Arrived(
                    one.header("postrider-topic"),
                    Long.parseLong(one.header("postrider-position")),
                    UUID.fromString(one.header("webhook-id")),
                    body.replaceAll("(?s).*?\"type\":\"([^\"]*)\".*", "$1"),
                    key(body),
                    body.substring(body.indexOf(",\"data\":") + 8, body.length() - 1));
        }

        private static String text(Received one) {
            return new String(one.body(), StandardCharsets.UTF_8);
        }

        private static @Nullable String key(String body) {
            Matcher key = KEY.matcher(body);
            if (!key.find()) {
                return null;
            }
            return ESCAPE.matcher(key.group(1)).replaceAll(found -> {
                String code = found.group(1);
                String one = code == null ? found.group(2) : "" + (char) Integer.parseInt(code, 16);
                return Matcher.quoteReplacement(one);
            });
        }
    }
}
