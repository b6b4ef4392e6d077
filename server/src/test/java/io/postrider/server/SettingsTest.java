package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException;
import io.postrider.server.settings.Keyring;
import io.postrider.server.settings.ServerSettings;
import io.postrider.support.DatabaseChoice;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.apache.catalina.connector.Connector;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** What the server is told, by whatever name, and when it would rather not start. */
@PostgresTest
@Tag("security")
class SettingsTest {
    private static String chosen(Map<String, String> variables) {
        return DatabaseChoice.of(variables.get("postrider.database-url"), variables::get)
                .url()
                .map(Object::toString)
                .orElse("embedded");
    }

    @Test
    void the_database_is_found_by_every_name_and_our_own_goes_first() {
        Map<String, String> variables = new HashMap<>();
        assertThat(chosen(variables)).isEqualTo("embedded");
        variables.put("PGHOST", "pg.example");
        variables.put("PGUSER", "me");
        assertThat(chosen(variables)).isEqualTo("postgres://me@pg.example/me");
        variables.putAll(Map.of(
                "PSQL_HOST",
                "psql.example",
                "PSQL_PORT",
                "5433",
                "PSQL_USER",
                "you",
                "PSQL_PASSWORD",
                "p w",
                "PSQL_DATABASE",
                "shop"));
        assertThat(chosen(variables)).isEqualTo("postgres://you@psql.example:5433/shop");
        variables.put("spring.datasource.url", "jdbc:postgresql://spring.example/app");
        variables.put("spring.datasource.username", "spring");
        assertThat(chosen(variables)).isEqualTo("postgres://spring@spring.example/app");
        variables.put("postrider.database-url", "postgres://own@own.example/log");
        assertThat(chosen(variables)).isEqualTo("postgres://own@own.example/log");
    }

    @Test
    void a_malformed_port_and_a_class_in_the_url_are_refused_by_name() {
        assertThatThrownBy(() -> chosen(Map.of("PSQL_HOST", "h", "PSQL_PORT", "x")))
                .hasMessageContaining("PSQL_PORT");
        assertThatThrownBy(() -> chosen(Map.of("postrider.database-url", "postgres://h/d?socketFactory=evil.Factory")))
                .hasMessageContaining("socketFactory");
    }

    @Test
    void the_server_runs_on_the_psql_variables(TestDatabase database) {
        Map<String, String> settings = new HashMap<>(LiveServer.settings(database, LiveServer.newSecret()));
        settings.remove("postrider.database-url");
        settings.put("PSQL_HOST", "127.0.0.1");
        settings.put("PSQL_PORT", Integer.toString(database.server().port()));
        settings.put("PSQL_USER", database.server().user());
        settings.put("PSQL_PASSWORD", database.server().password());
        settings.put("PSQL_DATABASE", database.name());
        try (Server server = Server.start(settings)) {
            assertThat(server.bean(io.postrider.Postrider.class).log().head("orders"))
                    .isZero();
        }
    }

    @Test
    void a_file_of_yaml_is_read(TestDatabase database, @TempDir Path directory) throws Exception {
        Path file = directory.resolve("server.yaml");
        Files.writeString(file, """
                postrider:
                  database-url: "%s"
                  node: from-a-file
                  poll: 250ms
                  log: text
                  payload-cap: 1000
                  http:
                    port: 0
                    origins: [https://a.example, https://b.example]
                  auth:
                    secrets:
                      mint: "%s"
                """.formatted(database.jdbcUrl(), LiveServer.newSecret()));
        Map<String, String> settings =
                Map.of("spring.config.additional-location", "file:" + file, "logging.level.root", "warn");
        try (Server server = Server.start(settings)) {
            assertThat(server.bean(io.postrider.Options.class).toString())
                    .contains("node=from-a-file", "poll=PT0.25S", "payload_cap=1000");
            assertThat(server.bean(ServerSettings.class).http().origins()).hasSize(2);
            assertThat(server.bean(Environment.class).getProperty("logging.structured.format.console"))
                    .as("text is not JSON")
                    .isEqualTo("io.postrider.server.log.TextLines");
        }
    }

    @Test
    void without_a_key_it_serves_this_machine_only_with_a_key_of_its_own(TestDatabase database) {
        Map<String, String> settings = new HashMap<>(LiveServer.settings(database, LiveServer.newSecret()));
        settings.remove("postrider.auth.secrets.mint");
        try (Server server = Server.start(settings)) {
            String token = server.bean(Keyring.class).development().orElseThrow();
            assertThat(server.bean(Keyring.class).tokens().verify(token).isOperator())
                    .isTrue();
        }
        settings.put("postrider.http.bind", "0.0.0.0");
        assertRefused(settings, "0.0.0.0", "postrider.auth.secrets", "postrider.auth.public-keys");
        Await.until("no session is left", () -> database.sessions().isEmpty());
    }

    @ParameterizedTest
    @CsvSource({"server.address, 0.0.0.0", "server.address, ::"})
    void without_a_key_it_is_judged_by_where_it_really_listens(String key, String value, TestDatabase database) {
        Map<String, String> settings = new HashMap<>(LiveServer.settings(database, LiveServer.newSecret()));
        settings.put(key, value);
        try (Server server = Server.start(settings)) {
            assertThat(server.bean(Listening.class).isLocal())
                    .as("with a key it may")
                    .isFalse();
        }
        settings.remove("postrider.auth.secrets.mint");
        assertRefused(settings, "would listen on", "server.address", "postrider.auth.secrets");
        Await.until("no session is left", () -> database.sessions().isEmpty());
    }

    /** A connector that an application adds. */
    @Configuration(proxyBeanMethods = false)
    static class AnotherConnector {
        @Bean
        WebServerFactoryCustomizer<TomcatServletWebServerFactory> anotherConnector() {
            return factory -> {
                Connector connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
                connector.setPort(0);
                factory.addAdditionalConnectors(connector);
            };
        }
    }

    @Test
    void without_a_key_another_connector_on_every_address_is_refused(TestDatabase database) {
        Map<String, String> settings = new HashMap<>(LiveServer.settings(database, LiveServer.newSecret()));
        Server.start(settings, AnotherConnector.class).close();
        settings.remove("postrider.auth.secrets.mint");
        assertThatThrownBy(() -> Server.start(settings, AnotherConnector.class).close())
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("would listen on every address");
        Await.until("no session is left", () -> database.sessions().isEmpty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"postrider.http.bind", "POSTRIDER_HTTP_BIND", "server.address", "SERVER_PORT", "postrider.node"})
    void a_setting_that_is_blank_is_refused_by_name(String key, TestDatabase database) {
        Map<String, String> settings = new HashMap<>(LiveServer.settings(database, LiveServer.newSecret()));
        settings.put(key, " ");
        assertRefused(settings, key, "blank");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    postrider.pol                    | 1s                        | did you mean postrider.poll
                    postrider.http.prot              | 1                         | did you mean postrider.http.port
                    postrider.relay.x.type           | kafka                     | unknown setting postrider.relay.x.type
                    postrider.poll                   | 10m                       | poll must be
                    postrider.poll                   | soon                      | postrider.poll
                    postrider.schema                 | Big                       | schema must match
                    postrider.log                    | xml                       | must be json or text, was 'xml'
                    postrider.roles                  | api,waiter                | postrider.roles
                    postrider.http.bind              | nowhere.invalid           | postrider.http.bind
                    postrider.http.origins           | *                         | postrider.http.origins
                    postrider.auth.secrets.mint      | short                     | at least 32 bytes
                    postrider.auth.secrets.mint      | file:/no/such/file        | postrider.auth.secrets.mint
                    postrider.auth.public-keys.one   | nonsense                  | public key
                    postrider.relays.audit.topic     | orders                    | postrider.relays.audit.type must be given
                    postrider.relays.audit.type      | kafak                     | did you mean 'kafka'
                    postrider.gateway.feed           | redis                     | REDIS_HOST
                    postrider.gateway.recent         | 0                         | recent events must be
                    postrider.api.readers            | 0                         | postrider.api.readers must be 1..64
                    postrider.api.read-timeout       | 1h                        | postrider.api.read-timeout must be
                    """)
    void an_invalid_setting_is_refused_by_name(String key, String value, String word, TestDatabase database) {
        Map<String, String> settings = new HashMap<>(LiveServer.settings(database, LiveServer.newSecret()));
        settings.put(key, value);
        assertRefused(settings, word);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    http.metrics=open                                                   | postrider.http.metrics | token
                    auth.secrets.k=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa                     | postrider.auth.secrets.k | openssl rand
                    relays.k.type=kafka;relays.k.user=u;relays.k.protocol=SASL_PLAINTEXT | postrider.relays.k.protocol | SASL_SSL
                    relays.k.user=u;relays.k.properties.security.protocol=SASL_PLAINTEXT | postrider.relays.k.protocol | SASL_SSL
                    relays.h.type=webhook;relays.h.allowed.hosts=a.example,10.0.0.1     | postrider.relays.h.allowed-hosts | a.example, 10.0.0.1
                    """)
    void an_insecure_setting_is_reported_by_name_with_what_to_do(String given, String key, String words) {
        assertThat(InsecureSettings.of(settings(given)))
                .singleElement()
                .asString()
                .startsWith("key=" + key + " ")
                .contains(words);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http.port=0",
                "http.metrics=token",
                "relays.k.type=kafka;relays.k.user=u;relays.k.password=p",
                "relays.h.type=webhook;relays.h.url=https://a.example",
                "roles=api;relays.h.allowed-hosts=a.example"
            })
    void a_secure_setting_is_not_reported(String given) {
        assertThat(InsecureSettings.of(settings(given))).isEmpty();
    }

    private static ServerSettings settings(String given) {
        Map<String, String> values = new HashMap<>();
        for (String one : given.split(";", -1)) {
            values.put("postrider." + one.split("=", 2)[0], one.split("=", 2)[1]);
        }
        return new Binder(new MapConfigurationPropertySource(values)).bindOrCreate("postrider", ServerSettings.class);
    }

    @Test
    void a_gateway_role_without_topics_is_refused(TestDatabase database) {
        Map<String, String> settings = new HashMap<>(LiveServer.settings(database, LiveServer.newSecret()));
        settings.remove("postrider.gateway.topics");
        settings.put("postrider.roles", "gateway");
        assertRefused(settings, "postrider.gateway.topics");
        settings.remove("postrider.roles");
        Server.start(settings).close();
    }

    @Test
    void a_database_that_is_not_there_is_told_without_its_password() {
        Map<String, String> settings = new HashMap<>();
        settings.put("postrider.database-url", "postgres://me:canary-4711@127.0.0.1:1/shop");
        settings.put("postrider.http.port", "0");
        settings.put("postrider.log", "text");
        settings.put("logging.level.root", "off");
        assertThatThrownBy(() -> Server.start(settings)).satisfies(e -> {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                assertThat(String.valueOf(cause.getMessage())).doesNotContain("canary-4711");
            }
        });
    }

    @Test
    void public_keys_of_three_kinds_are_read(@TempDir Path directory) throws Exception {
        Map<String, String> keys = new HashMap<>();
        for (String algorithm : new String[] {"RSA", "EC", "Ed25519"}) {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            if (algorithm.equals("EC")) {
                generator.initialize(256);
            }
            String pem = "-----BEGIN PUBLIC KEY-----\n"
                    + Base64.getMimeEncoder()
                            .encodeToString(
                                    generator.generateKeyPair().getPublic().getEncoded())
                    + "\n-----END PUBLIC KEY-----\n";
            Path file = Files.writeString(directory.resolve(algorithm + ".pem"), pem);
            keys.put(algorithm, "file:" + file);
        }
        Keyring keyring = Keyring.of(new ServerSettings.Auth("i", "a", Map.of(), keys), "0.0.0.0");
        assertThat(keyring.development()).isEmpty();
    }

    private static void assertRefused(Map<String, String> settings, String... words) {
        assertThatThrownBy(() -> Server.start(settings).close()).satisfies(e -> {
            StringBuilder all = new StringBuilder();
            boolean ours = false;
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                all.append(cause.getMessage()).append('\n');
                ours |= cause instanceof PostriderException;
            }
            assertThat(all.toString()).contains(words);
            assertThat(ours).as(all.toString()).isTrue();
        });
    }
}
