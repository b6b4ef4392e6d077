package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.postrider.server.relay.ConfiguredRelay;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.webhook.WebhookOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Relays that the settings name: made, run, listed, tried, and refused by name where they are none. */
@PostgresTest
@Tag("security")
class RelaySettingsTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void a_webhook_of_the_settings_gets_what_is_emitted_and_can_be_tested_and_paused(TestDatabase database)
            throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        HttpServer endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        endpoint.createContext("/hook", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            if (exchange.getRequestMethod().equals("POST") && body.contains("\"data\"")) {
                received.add(body);
            }
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        endpoint.start();
        String host = "localhost:" + endpoint.getAddress().getPort();
        Map<String, String> settings = Map.of(
                "postrider.relays.audit.type",
                "webhook",
                "postrider.relays.audit.topic",
                "orders",
                "postrider.relays.audit.types",
                "placed,paid",
                "postrider.relays.audit.projects",
                "p1,p2",
                "postrider.relays.audit.url",
                "http://" + host + "/hook",
                "postrider.relays.audit.secrets[0]",
                WebhookOptions.newSecret(),
                "postrider.relays.audit.secrets[1]",
                WebhookOptions.newSecret(),
                "postrider.relays.audit.allowed-hosts",
                host,
                "postrider.relays.audit.start",
                "beginning");
        try (LiveServer server = LiveServer.on(database, settings)) {
            String operator = server.operator();
            emit(server, "placed", "p1");
            emit(server, "seen", "p1");
            emit(server, "paid", "p3");
            emit(server, "paid", "p2");
            Await.until("both came", LONG, () -> received.size() == 2);
            assertThat(received.get(0)).contains("\"type\":\"placed\"", "\"position\":1");
            assertThat(received.get(1)).contains("\"type\":\"paid\"", "\"position\":4");
            var tested = server.post(operator, "/v1/relays/audit/test", "");
            assertThat(tested.status()).as(tested.text()).isEqualTo(200);
            var relay = server.get(operator, "/v1/relays").json().at("/relays/0");
            assertThat(relay.path("name").asString()).isEqualTo("audit");
            assertThat(relay.path("sink").asString()).contains("http").doesNotContain("whsec_", "/hook");
            assertThat(server.post(operator, "/v1/relays/audit/pause", "").status())
                    .isEqualTo(200);
            Await.until(
                    "paused",
                    LONG,
                    () -> server.get(operator, "/v1/relays")
                            .json()
                            .at("/relays/0/paused")
                            .asBoolean());
            assertThat(server.post(operator, "/v1/relays/audit/reset", "{\"position\":1,\"dry_run\":true}")
                            .json()
                            .path("position")
                            .asLong())
                    .isZero();
        } finally {
            endpoint.stop(0);
        }
    }

    @Test
    void a_relay_of_the_settings_sends_in_the_format_that_they_name(TestDatabase database) throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        HttpServer endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        endpoint.createContext("/hook", exchange -> {
            received.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        endpoint.start();
        String host = "localhost:" + endpoint.getAddress().getPort();
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("postrider.relays.audit.type", "webhook");
        settings.put("postrider.relays.audit.topic", "orders");
        settings.put("postrider.relays.audit.format", "payload-with-id");
        settings.put("postrider.relays.audit.url", "http://" + host + "/hook");
        settings.put("postrider.relays.audit.secrets", WebhookOptions.newSecret());
        settings.put("postrider.relays.audit.allowed-hosts", host);
        settings.put("postrider.gateway.format", "payload");
        try (LiveServer server = LiveServer.on(database, settings)) {
            String operator = server.operator();
            Await.until(
                    "the relay runs",
                    LONG,
                    () -> server.get(operator, "/v1/relays")
                            .json()
                            .at("/relays/0/state")
                            .asString("")
                            .equals("running"));
            String id = server.post(operator, "/v1/topics/orders/events", "{\"type\":\"t\",\"payload\":{\"order\":1}}")
                    .json()
                    .path("id")
                    .asString();
            Await.until("it came", LONG, () -> !received.isEmpty());
            assertThat(received).containsExactly("{\"event_id\":\"" + id + "\",\"order\": 1}");
        } finally {
            endpoint.stop(0);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
                    type=webhook                                                | relays.r.topic must be given
                    type=webhook;topic=t;url=https://example.org                | relays.r.secrets must be given
                    type=webhook;topic=t;secrets=SECRET                         | relays.r.url must be given
                    type=webhook;topic=t;secrets=SECRET;url=https://e.org;urll=x| did you mean 'url'
                    type=webhook;topic=t;secrets=SECRET;url=https://e.org;batch=x| relays.r.batch must be a number
                    type=webhook;topic=t;secrets=SECRET;url=https://e.org;policy=stop| block, park or skip
                    type=webhook;topic=t;secrets=SECRET;url=https://e.org;timeout=soon| a time such as
                    type=webhook;topic=t;secrets=SECRET;url=https://e.org;stream=s| unknown setting postrider.relays.r.stream
                    type=webhook;topic=t;secrets=SECRET;url=https://e.org;format=xml| relays.r.format must be cloudevents, payload or payload-with-id
                    type=kafka;topic=t;servers=h:1;format=avro                  | relays.r.format must be cloudevents, payload or payload-with-id
                    type=redis-pubsub;topic=t;url=redis://h;format=avro         | relays.r.format must be cloudevents, payload or payload-with-id
                    type=redis-stream;topic=t;stream=s;url=redis://h;format=avro| relays.r.format must be cloudevents, payload or payload-with-id
                    type=webhook;topic=t;secrets=SECRET;url=https://e.org;shadow=yes| relays.r.shadow must be true or false
                    type=webhook;topic=t;secrets=SECRET;url=https://e.org;compare-id=x| relays.r.compare-table must be given
                    type=webhook;topic=t;secrets=SECRET;url=https://e.org;compare-table=a b| table must match
                    type=redis-stream;topic=t                                   | relays.r.stream must be given
                    type=redis-pubsub;topic=t                                   | REDIS_HOST
                    type=kafka;topic=t                                          | relays.r.servers must be given
                    type=kafka;topic=t;servers=nowhere                          | bootstrap servers
                    type=kafka;topic=t;servers=h:1;properties.sasl.jaas.config=x| sasl.jaas.config
                    """)
    void an_invalid_relay_is_refused_by_name(String settings, String word) {
        Map<String, String> given = new LinkedHashMap<>();
        for (String pair :
                settings.replace("SECRET", WebhookOptions.newSecret()).split(";", -1)) {
            given.put(
                    pair.substring(0, pair.indexOf('=')),
                    pair.substring(pair.indexOf('=') + 1).strip());
        }
        assertThatThrownBy(() ->
                        ConfiguredRelay.of("r", given, name -> null).sink().close())
                .hasMessageContaining(word);
    }

    @Test
    void redis_is_found_by_the_variables_that_others_use() {
        Map<String, String> variables = Map.of("REDIS_HOST", "redis.example", "REDIS_PORT", "6380");
        ConfiguredRelay relay = ConfiguredRelay.of(
                "live", Map.of("type", "redis-pubsub", "topic", "messages", "concurrency", "1"), variables::get);
        assertThat(relay.sink().describe()).contains("redis.example:6380", "new_message_channel");
        relay.sink().close();
        ConfiguredRelay stream = ConfiguredRelay.of(
                "stream",
                Map.of("type", "redis-stream", "topic", "messages", "stream", "s", "url", "redis://other:1"),
                variables::get);
        assertThat(stream.sink().describe()).contains("other:1");
        stream.sink().close();
    }

    private static void emit(LiveServer server, String type, String project) {
        server.post(
                server.operator(),
                "/v1/topics/orders/events",
                "{\"type\":\"" + type + "\",\"project_id\":\"" + project + "\",\"payload\":{\"order\":1}}");
    }
}
