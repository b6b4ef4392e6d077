package io.postrider.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.LogEvent;
import io.postrider.RelayEpoch;
import io.postrider.StartPoint;
import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A relay from a real log to a real topic of three partitions. */
@Timeout(600)
@Tag("slow")
class KafkaRelayTest {
    private static final Broker BROKER = Broker.shared();

    @Test
    void of_a_batch_that_had_arrived_partly_the_rest_is_sent_and_nothing_twice() throws Exception {
        String topic = BROKER.topic("partly", 3);
        try (Orders orders = new Orders();
                KafkaSink sink = KafkaSink.to(topic, BROKER.options())) {
            orders.postrider().start();
            orders.emit(100);
            List<LogEvent> log = Await.value("the log", Orders.LONG, () -> {
                List<LogEvent> events = orders.postrider().log().read("orders", 0, 100);
                return events.size() == 100 ? java.util.Optional.of(events) : java.util.Optional.empty();
            });
            for (int partition : List.of(0, 2)) {
                Topics.place(BROKER, topic, partition, new RelayEpoch("relay", "orders", 1), of(partition, log));
            }
            assertThat(Topics.records(BROKER, topic)).hasSizeBetween(1, 99);

            orders.postrider().add(Orders.relay(sink));
            orders.awaitCursor(100);
            orders.assertAllOnceAndInOrder(BROKER, topic);
        }
    }

    @Test
    void a_reset_is_another_course_and_sends_again() throws Exception {
        String topic = BROKER.topic("reset", 3);
        try (Orders orders = new Orders();
                KafkaSink sink = KafkaSink.to(topic, BROKER.options())) {
            orders.postrider().add(Orders.relay(sink)).start();
            orders.emit(30);
            orders.awaitCursor(30);
            orders.postrider().reset("relay", StartPoint.position(11));
            Await.until(
                    "sent again",
                    Orders.LONG,
                    () -> Topics.records(BROKER, topic).size() == 50);
            Map<String, Set<Long>> byCourse = new HashMap<>();
            for (ConsumerRecord<byte[], byte[]> record : Topics.records(BROKER, topic)) {
                byCourse.computeIfAbsent(Topics.header(record, Records.COURSE), epoch -> new HashSet<>())
                        .add(Long.parseLong(Topics.header(record, Records.POSITION)));
            }
            assertThat(byCourse).hasSize(2);
            assertThat(byCourse.remove("relay/1")).hasSize(30);
            assertThat(byCourse.values().iterator().next()).hasSize(20).allMatch(position -> position > 10);
        }
    }

    @Test
    void a_relay_that_falls_dead_between_sending_and_writing_it_down_goes_on_where_the_topic_ends() throws Exception {
        String topic = BROKER.topic("dead", 3);
        try (Orders orders = new Orders()) {
            for (int round = 1; round <= 3; round++) {
                orders.emit(300);
                try (ChildJvm relay = relay(orders, topic, 3)) {
                    assertThat(relay.awaitExit(Duration.ofSeconds(90))).isEqualTo(137);
                }
            }
            assertThat(orders.status().position()).isLessThan(orders.emitted());
            finish(orders, topic);
        }
    }

    @Test
    void a_relay_that_is_killed_while_it_sends_goes_on_where_the_topic_ends() throws Exception {
        String topic = BROKER.topic("killed", 3);
        try (Orders orders = new Orders()) {
            for (int round = 1; round <= 3; round++) {
                orders.emit(2_000);
                try (ChildJvm relay = relay(orders, topic, 0)) {
                    for (int sends = 0; sends < 3 + round; sends++) {
                        relay.awaitLine("sending", Duration.ofSeconds(90));
                    }
                    relay.kill9();
                }
            }
            assertThat(orders.status().position()).isLessThan(orders.emitted());
            finish(orders, topic);
        }
    }

    private static void finish(Orders orders, String topic) {
        try (ChildJvm relay = relay(orders, topic, 0)) {
            orders.awaitCursor(orders.emitted());
        }
        orders.assertAllOnceAndInOrder(BROKER, topic);
    }

    private static ChildJvm relay(Orders orders, String topic, int sends) {
        return ChildJvm.of(RelayProcess.class)
                .withProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn")
                .withArguments(orders.jdbcUrl(), BROKER.servers(), topic, Integer.toString(sends))
                .start();
    }

    private static List<LogEvent> of(int partition, List<LogEvent> events) {
        return events.stream()
                .filter(event -> BuiltInPartitioner.partitionForKey(event.key().getBytes(UTF_8), 3) == partition)
                .toList();
    }
}
