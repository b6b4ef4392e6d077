package io.postrider.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.postrider.Sink;
import io.postrider.sinks.suite.Arrived;
import io.postrider.sinks.suite.Place;
import io.postrider.sinks.suite.SinkSuite;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;

/** What every sink must hold, for a topic of one partition behind a network that can be cut. */
@Tag("slow")
class KafkaSinkTest extends SinkSuite {
    private static final Broker BROKER = Broker.shared();

    @Override
    protected Place place() {
        return new Topic(BROKER.topic("suite", 1));
    }

    private record Topic(String name) implements Place {
        @Override
        public Sink open() {
            return KafkaSink.to(
                    name,
                    BROKER.optionsBehindProxy()
                            .withLogin("PLAIN", Broker.USER, Broker.PASSWORD)
                            .withRecordCap(230_000)
                            .withDeliveryTimeout(Duration.ofSeconds(3)));
        }

        @Override
        public List<Arrived> arrived() {
            return Topics.records(BROKER, name).stream().map(Topic::arrived).toList();
        }

        @Override
        public void goAway() {
            BROKER.proxy().refuse();
            BROKER.proxy().cutAll();
        }

        @Override
        public void comeBack() {
            BROKER.proxy().accept();
        }

        @Override
        public boolean tells() {
            return true;
        }

        /** Longer than the largest record. */
        @Override
        public String refusedPayload() {
            return "\"" + "x".repeat(250_000) + "\"";
        }

        @Override
        public List<String> secrets() {
            return List.of(Broker.PASSWORD);
        }

        @Override
        public void close() {
            comeBack();
        }

        private static Arrived arrived(ConsumerRecord<byte[], byte[]> record) {
            return new Arrived(
                    Topics.header(record, "postrider_topic"),
                    Long.parseLong(Topics.header(record, "postrider_position")),
                    UUID.fromString(Topics.header(record, "ce_id")),
                    Topics.header(record, "ce_type"),
                    record.key() == null ? null : new String(record.key(), UTF_8),
                    new String(record.value(), UTF_8));
        }
    }
}
