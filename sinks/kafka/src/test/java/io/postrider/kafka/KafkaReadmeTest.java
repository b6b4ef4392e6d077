package io.postrider.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.testkit.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the README shows is what runs here. */
@Tag("slow")
class KafkaReadmeTest {
    private static final Broker BROKER = Broker.shared();

    private final List<String> handledPayloads = new ArrayList<>();

    @Test
    void the_relay_and_the_consumer_of_the_readme() throws Exception {
        String kafkaTopic = BROKER.topic("readme", 3);
        try (Orders orders = new Orders()) {
            Postrider postrider = orders.postrider();
            String brokers = BROKER.servers();
            // region relay
            KafkaSink sink = KafkaSink.to(kafkaTopic, KafkaOptions.at(brokers));
            postrider.add(Listener.relay("orders-to-kafka", "orders", sink).withBatch(1_000));
            postrider.start();
            // endregion
            Await.until("the relay runs", () -> orders.status().state().equals("running"));
            orders.emit(50);
            orders.awaitCursor(50);
            Topics.place(BROKER, kafkaTopic, 0, Topics.EPOCH, List.of(Topics.event(1, "k"), Topics.event(2, "k")));
            consume(kafkaTopic);
            postrider.close();
            sink.close();
        }
        assertThat(handledPayloads).hasSize(52);
    }

    private void consume(String kafkaTopic) {
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", BROKER.servers(), "group.id", kafkaTopic, "auto.offset.reset", "earliest"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of(kafkaTopic));
            Set<String> handled = new HashSet<>();
            Await.until("all are handled", Orders.LONG, () -> {
                // region consumer
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
                    String id = new String(record.headers().lastHeader("ce_id").value(), UTF_8);
                    if (handled.add(id)) { // a table with a primary key, written in the transaction of the effect
                        handle(record.value());
                    }
                }
                // endregion
                return handledPayloads.size() >= 52;
            });
        }
    }

    private void handle(String payload) {
        handledPayloads.add(payload);
    }

    @Test
    void the_options_of_the_readme() {
        String user = "rider";
        String password = "at run time";
        String certificates = "-----BEGIN CERTIFICATE-----";
        // region options
        KafkaOptions options = KafkaOptions.at("broker-1:9093,broker-2:9093")
                .withLogin("SCRAM-SHA-512", user, password)
                .withTrusted(certificates)
                .withCompression("lz4")
                .withProperties(Map.of("linger.ms", "20", "client.id", "orders-relay"));
        // endregion
        assertThat(options.completed().producer())
                .containsEntry("security.protocol", "SASL_SSL")
                .containsEntry("linger.ms", "20");
    }

    @Test
    void every_snippet_of_the_readme_is_a_region_of_this_file() throws Exception {
        List<String> shown = matches("README.md", "(?s)```java\n(.*?)```");
        List<String> regions = matches(
                "src/test/java/io/postrider/kafka/KafkaReadmeTest.java", "(?s)// region \\w+\n(.*?)\n *// endregion");
        assertThat(shown).hasSize(3);
        assertThat(regions).containsAll(shown);
    }

    private static List<String> matches(String file, String pattern) throws Exception {
        Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(Path.of(file)));
        return matcher.results()
                .map(result -> result.group(1).replaceAll("\\s+", " ").strip())
                .toList();
    }
}
