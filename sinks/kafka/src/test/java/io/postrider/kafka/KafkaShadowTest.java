package io.postrider.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.LogEvent;
import io.postrider.admin.Comparison;
import io.postrider.admin.Comparison.Difference;
import io.postrider.admin.Comparison.Example;
import io.postrider.admin.Publisher;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A relay in shadow mode beside an old publisher that writes to the same topic, and then takes it over. */
@Tag("slow")
class KafkaShadowTest {
    private static final Broker BROKER = Broker.shared();

    @Test
    void a_topic_is_read_compared_and_taken_over() throws Exception {
        String topic = BROKER.topic("shadow", 2);
        try (Orders orders = new Orders();
                KafkaSink sink = KafkaSink.to(topic, BROKER.options())) {
            orders.postrider().add(Orders.relay(sink).withShadow(true)).start();
            orders.emit(1_000);
            orders.awaitCursor(1_000);
            List<LogEvent> events = new ArrayList<>(orders.postrider().log().read("orders", 0, 1_000));
            Collections.swap(events, 100, 102); // even positions on one partition, odd ones on the other
            try (KafkaProducer<byte[], byte[]> old = Topics.stranger(BROKER, Map.of())) {
                for (LogEvent event : events) {
                    if (event.position() != 500) {
                        old.send(record(topic, event)).get();
                    }
                }
            }
            Comparison found = orders.postrider().listeners().compare("relay", Publisher.destination(), 100_000);
            assertThat(positions(found.missing())).containsExactly(500L);
            assertThat(positions(found.different())).containsExactly(600L);
            assertThat(positions(found.reordered())).containsExactly(103L);
            assertThat(found.extra().count() + found.pending().count()).isZero();
            assertThatThrownBy(() -> orders.postrider()
                            .listeners()
                            .compare("relay", Publisher.destination().withPlace("a/b"), 100))
                    .hasMessageContaining("kafka topic must match");

            long live = orders.postrider().listeners().goLive("relay");
            orders.emit(10);
            orders.awaitCursor(1_010);
            assertThat(live).isEqualTo(1_001);
            assertThat(Topics.records(BROKER, topic)).hasSize(999 + 10);
        }
    }

    /** The old message: the payload with its id in it. */
    private static ProducerRecord<byte[], byte[]> record(String topic, LogEvent event) {
        String payload = event.position() == 600 ? "{\"n\": 0}" : event.payload();
        String body = "{\"event_id\":\"" + event.id() + "\"," + payload.substring(1);
        return new ProducerRecord<>(topic, (int) (event.position() % 2), null, body.getBytes(UTF_8));
    }

    private static List<Long> positions(Difference difference) {
        return difference.examples().stream().map(Example::position).toList();
    }
}
