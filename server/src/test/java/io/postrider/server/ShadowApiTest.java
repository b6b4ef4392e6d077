package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.webhook.WebhookOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Shadow mode over HTTP: a relay that the settings put into it, compared with a table that the settings name. */
@PostgresTest
class ShadowApiTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void a_relay_of_the_settings_is_compared_and_goes_live(TestDatabase database) throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        HttpServer endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        endpoint.createContext("/hook", exchange -> {
            received.add(new String(exchange.getRequestBody().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        endpoint.start();
        try (LiveServer server = LiveServer.on(
                database, settings("localhost:" + endpoint.getAddress().getPort()))) {
            String operator = server.operator();
            emit(server, operator, 3);
            awaitPosition(server, operator, 3);
            assertThat(received).isEmpty();
            JsonNode relay = server.get(operator, "/v1/relays").json().at("/relays/0");
            assertThat(relay.path("mode").asString()).isEqualTo("shadow");
            assertThat(relay.path("shadow_from").asLong()).isEqualTo(1);

            try (Connection connection = database.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(
                        "create table public.event_outbox as select event_id as id, 'PUBLISHED'::text as status,"
                                + " position as published_at from postrider.events where topic = 'orders' and position <> 2");
            }
            JsonNode compared = post(server, operator, "/v1/relays/audit/compare", "{\"with\":\"table\"}", 200);
            assertThat(compared.path("same").asBoolean()).isFalse();
            assertThat(compared.at("/missing/count").asLong()).isEqualTo(1);
            assertThat(compared.at("/missing/examples/0/position").asLong()).isEqualTo(2);
            assertThat(compared.path("order_compared").asBoolean()).isTrue();

            JsonNode live = post(server, operator, "/v1/relays/audit/go-live", "{\"position\":3}", 200);
            assertThat(live.path("live_from").asLong()).isEqualTo(3);
            emit(server, operator, 1);
            Await.until("both came", LONG, () -> received.size() == 2);
            JsonNode shadow = post(server, operator, "/v1/listeners/audit/shadow", "{}", 200);
            assertThat(shadow.path("shadow_from").asLong()).isEqualTo(5);
            refusals(server, operator);
        } finally {
            endpoint.stop(0);
        }
    }

    private static void refusals(LiveServer server, String operator) {
        post(server, operator, "/v1/relays/nobody/shadow", "{}", 404);
        post(server, operator, "/v1/listeners/nobody/go-live", "{}", 404);
        post(server, operator, "/v1/relays/audit/go-live", "{\"position\":1}", 409);
        post(server, operator, "/v1/relays/audit/go-live", "{\"position\":0}", 400);
        post(server, operator, "/v1/relays/audit/go-live", "{\"at\":1}", 400);
        post(server, operator, "/v1/relays/audit/compare", "{\"with\":\"nothing\"}", 400);
        post(server, operator, "/v1/relays/audit/compare", "{\"table\":\"pg_authid\"}", 400);
        post(server, operator, "/v1/relays/audit/compare", "{\"listen_seconds\":100}", 400);
        post(server, operator, "/v1/relays/audit/compare", "{\"listener\":\"nobody\"}", 409); // nothing is recorded yet
        String project = server.project("red");
        for (String verb : List.of("shadow", "go-live", "compare")) {
            assertThat(server.post(project, "/v1/relays/audit/" + verb, "{}").status())
                    .isEqualTo(403);
        }
    }

    private static Map<String, String> settings(String host) {
        Map<String, String> settings = new LinkedHashMap<>();
        String relay = "postrider.relays.audit.";
        settings.put(relay + "type", "webhook");
        settings.put(relay + "topic", "orders");
        settings.put(relay + "start", "beginning");
        settings.put(relay + "shadow", "true");
        settings.put(relay + "url", "http://" + host + "/hook");
        settings.put(relay + "secrets", WebhookOptions.newSecret());
        settings.put(relay + "allowed-hosts", host);
        settings.put(relay + "compare-table", "public.event_outbox");
        settings.put(relay + "compare-published", "status=PUBLISHED");
        settings.put(relay + "compare-order", "published_at");
        return settings;
    }

    private static void emit(LiveServer server, String operator, int count) {
        for (int i = 0; i < count; i++) {
            server.post(operator, "/v1/topics/orders/events", "{\"type\":\"placed\",\"payload\":{\"order\":1}}");
        }
    }

    private static void awaitPosition(LiveServer server, String operator, long position) {
        Await.until(
                "it is there",
                LONG,
                () -> server.get(operator, "/v1/relays")
                                .json()
                                .at("/relays/0/position")
                                .asLong()
                        == position);
    }

    private static JsonNode post(LiveServer server, String token, String path, String body, int status) {
        var reply = server.post(token, path, body);
        assertThat(reply.status()).as(path + " " + body + ": " + reply.text()).isEqualTo(status);
        return reply.json();
    }
}
