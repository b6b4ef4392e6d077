package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.postrider.gateway.Identity.Reach;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.webhook.WebhookOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A dump of the database holds no secret: keys, tokens and webhook secrets stay in the settings. */
@PostgresTest
@Tag("security")
class SecretsAtRestTest {
    private static final String PATH = "canary-4711";

    @Test
    void no_row_of_any_table_holds_a_secret(TestDatabase database) throws Exception {
        HttpServer endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        endpoint.createContext("/", exchange -> {
            exchange.sendResponseHeaders(500, -1);
            exchange.close();
        });
        endpoint.start();
        String host = "localhost:" + endpoint.getAddress().getPort();
        String webhookSecret = WebhookOptions.newSecret();
        String secondKey = LiveServer.newSecret();
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("postrider.auth.secrets.second", secondKey);
        settings.put("postrider.relays.audit.type", "webhook");
        settings.put("postrider.relays.audit.topic", "orders");
        settings.put("postrider.relays.audit.url", "http://" + host + "/" + PATH + "?token=" + PATH);
        settings.put("postrider.relays.audit.secrets", webhookSecret);
        settings.put("postrider.relays.audit.allowed-hosts", host);
        settings.put("postrider.relays.audit.start", "beginning");
        settings.put("postrider.relays.audit.policy", "skip");
        settings.put("postrider.relays.audit.attempts", "1");
        try (LiveServer server = LiveServer.on(database, settings)) {
            String operator = server.operator();
            String revoked = server.mint().issue("service", "shop", Reach.PROJECT, LiveServer.HOUR, "revoked-4712");
            assertThat(server.post(operator, "/v1/topics/orders/events", "{\"type\":\"placed\",\"payload\":1}")
                            .status())
                    .isEqualTo(201);
            assertThat(server.post(
                                    operator,
                                    "/v1/tokens/revoke",
                                    "{\"jti\":\"revoked-4712\",\"expires_at\":\""
                                            + Instant.now().plusSeconds(3600) + "\"}")
                            .status())
                    .isLessThan(300);
            Await.until(
                    "the endpoint refused the event",
                    Duration.ofSeconds(60),
                    () -> !server.get(operator, "/v1/dead-letters")
                            .json()
                            .path("dead_letters")
                            .isEmpty());
            String stored = everyRow(database);
            assertThat(stored).contains("revoked-4712", "answered 500");
            assertThat(stored)
                    .doesNotContain(webhookSecret.substring("whsec_".length()), secondKey, operator, revoked, PATH);
        } finally {
            endpoint.stop(0);
        }
    }

    private static String everyRow(TestDatabase database) throws Exception {
        StringBuilder rows = new StringBuilder();
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            List<String> tables = texts(
                    statement,
                    "select c.oid::regclass::text from pg_class c"
                            + " where c.relnamespace = 'postrider'::regnamespace and c.relkind = 'r'");
            assertThat(tables).hasSizeGreaterThan(20);
            for (String table : tables) {
                texts(statement, "select t::text from " + table + " t")
                        .forEach(row -> rows.append(row).append('\n'));
            }
        }
        return rows.toString();
    }

    private static List<String> texts(Statement statement, String sql) throws Exception {
        List<String> texts = new ArrayList<>();
        try (ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                texts.add(result.getString(1));
            }
        }
        return texts;
    }
}
