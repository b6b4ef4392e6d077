package io.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.SaslConfigs;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("security")
class KafkaOptionsTest {
    private static final KafkaOptions OPTIONS = KafkaOptions.at("broker:9092");
    private static final String PEM = "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----";

    @Test
    void of_all_properties_of_kafka_only_those_on_the_list_are_allowed() {
        TreeSet<String> all = new TreeSet<>(ProducerConfig.configNames());
        all.addAll(ConsumerConfig.configNames());
        all.addAll(AdminClientConfig.configNames());
        TreeSet<String> allowed = new TreeSet<>();
        for (String name : all) {
            try {
                OPTIONS.withProperties(Map.of(name, "a value that fits nothing\u0000"));
                allowed.add(name);
            } catch (PostriderException e) {
                assertThat(e.kind()).isEqualTo(PostriderException.Kind.REFUSED);
                assertThat(e).hasMessageContaining(name);
                if (!e.getMessage().contains("is not allowed")) {
                    allowed.add(name);
                }
            }
        }
        assertThat(allowed)
                .containsExactly(
                        "acks",
                        "batch.size",
                        "client.id",
                        "compression.type",
                        "delivery.timeout.ms",
                        "enable.idempotence",
                        "linger.ms",
                        "max.in.flight.requests.per.connection",
                        "max.request.size",
                        "security.protocol",
                        "ssl.cipher.suites",
                        "ssl.enabled.protocols",
                        "ssl.key.password",
                        "ssl.keystore.certificate.chain",
                        "ssl.keystore.key",
                        "ssl.truststore.certificates");
    }

    @ParameterizedTest
    @CsvSource({
        "sasl.jaas.config, withLogin",
        "sasl.mechanism, withLogin",
        "sasl.login.class, withLogin",
        "sasl.oauthbearer.token.endpoint.url, withLogin",
        "sasl.oauthbearer.jwks.endpoint.url, withLogin",
        "sasl.client.callback.handler.class, withLogin",
        "ssl.truststore.location, PEM",
        "ssl.keystore.location, PEM",
        "ssl.engine.factory.class, allowed are",
        "ssl.endpoint.identification.algorithm, allowed are",
        "ssl.provider, allowed are",
        "security.providers, allowed are",
        "interceptor.classes, allowed are",
        "metric.reporters, allowed are",
        "partitioner.class, allowed are",
        "key.serializer, allowed are",
        "config.providers, allowed are",
        "config.providers.file.class, allowed are",
        "transactional.id, allowed are",
        "bootstrap.servers, KafkaOptions.at",
        "Client.Id, allowed are",
        "' client.id', allowed are",
    })
    void what_is_not_allowed_is_refused_by_name_with_what_to_do_instead(String name, String instead) {
        assertThatThrownBy(() -> OPTIONS.withProperties(Map.of(name, "x")))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("kafka property " + name + " is not allowed")
                .hasMessageContaining(instead);
    }

    @ParameterizedTest
    @CsvSource({
        "acks, 1",
        "acks, 0",
        "enable.idempotence, false",
        "max.in.flight.requests.per.connection, 2",
        "linger.ms, 1001",
        "linger.ms, -1",
        "batch.size, 0",
        "batch.size, 99999999999",
        "max.request.size, 67108865",
        "delivery.timeout.ms, 2999",
        "delivery.timeout.ms, ${env:TIMEOUT}",
        "compression.type, brotli",
        "security.protocol, ssl",
        "client.id, a b",
        "ssl.enabled.protocols, TLSv1",
        "ssl.cipher.suites, a/b",
        "ssl.truststore.certificates, /etc/ssl/certs/ca.pem",
        "ssl.keystore.key, ${file:/etc/key.pem}",
    })
    void a_value_out_of_bounds_is_refused_by_name(String name, String value) {
        assertThatThrownBy(() -> OPTIONS.withProperties(Map.of(name, value)))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("kafka property " + name + " must be");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "broker",
                "broker:",
                ":9092",
                "user:secret@broker:9092",
                "http://broker:9092",
                "broker:9092,",
                "a:1, b:2",
                "a:1\nb:2"
            })
    void brokers_are_host_and_port_and_nothing_else(String servers) {
        assertThatThrownBy(() -> KafkaOptions.at(servers))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("bootstrap servers must be host:port");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a b", "a/b", "__consumer_offsets", "ä"})
    void a_topic_name_that_kafka_would_not_take_is_refused_at_once(String topic) {
        assertThatThrownBy(() -> KafkaSink.to(topic, OPTIONS))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("kafka topic must match");
    }

    @Test
    void each_option_becomes_a_property_of_its_client() {
        KafkaOptions options = KafkaOptions.at("a:9092,[::1]:9093")
                .withClientId("orders-relay")
                .withLinger(Duration.ofMillis(7))
                .withBatchSize(65_536)
                .withRecordCap(2 << 20)
                .withCompression("lz4")
                .withDeliveryTimeout(Duration.ofSeconds(12))
                .withProtocol("SSL")
                .withTrusted(PEM)
                .completed();
        assertThat(options.producer())
                .containsEntry("bootstrap.servers", "a:9092,[::1]:9093")
                .containsEntry("client.id", "orders-relay")
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", true)
                .containsEntry("max.in.flight.requests.per.connection", 1)
                .containsEntry("linger.ms", "7")
                .containsEntry("batch.size", "65536")
                .containsEntry("max.request.size", "2097152")
                .containsEntry("compression.type", "lz4")
                .containsEntry("delivery.timeout.ms", "12000")
                .containsEntry("request.timeout.ms", 4_000)
                .containsEntry("max.block.ms", 4_000L)
                .containsEntry("ssl.truststore.type", "PEM");
        assertThat(options.reader())
                .containsEntry("security.protocol", "SSL")
                .containsEntry("allow.auto.create.topics", false)
                .doesNotContainKeys("linger.ms", "group.id");
        assertThat(options.admin()).containsEntry("ssl.truststore.certificates", PEM);
    }

    @Test
    void a_login_goes_over_an_encrypted_line_unless_it_is_said_otherwise() {
        KafkaOptions login = OPTIONS.withLogin("SCRAM-SHA-512", "rider", "secret");
        assertThat(login.completed().producer())
                .containsEntry(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "SASL_SSL")
                .containsEntry(SaslConfigs.SASL_MECHANISM, "SCRAM-SHA-512");
        assertThat(login.withProtocol("SASL_PLAINTEXT").completed().producer())
                .containsEntry(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "SASL_PLAINTEXT");
        assertThatThrownBy(() -> KafkaSink.to("t", login.withProtocol("SSL"))).hasMessageContaining("use SASL_SSL");
        assertThatThrownBy(() -> KafkaSink.to("t", OPTIONS.withProtocol("SASL_SSL")))
                .hasMessageContaining("withLogin");
        assertThatThrownBy(() -> OPTIONS.withLogin("OAUTHBEARER", "a", "b")).hasMessageContaining("mechanism");
    }

    @Test
    void secrets_are_in_no_text_and_no_error() {
        String canary = "canary-" + UUID.randomUUID();
        KafkaOptions options = OPTIONS.withLogin("PLAIN", "rider", canary)
                .withIdentity(PEM, "-----BEGIN PRIVATE KEY-----\n" + canary)
                .withProperties(Map.of("ssl.key.password", canary));
        try (KafkaSink sink = KafkaSink.to("orders", options)) {
            assertThat(options + sink.describe() + sink + options.completed()).doesNotContain(canary);
        }
        assertThat(options.toString()).contains("ssl.keystore.key=(given)").contains("login=PLAIN");
        assertThatThrownBy(() -> OPTIONS.withLogin("PLAIN", "rider", canary + "\n"))
                .hasMessageContaining("password")
                .hasMessageNotContaining(canary);
        assertThatThrownBy(() -> OPTIONS.withProperties(Map.of("ssl.keystore.key", canary)))
                .hasMessageNotContaining(canary);
    }
}
