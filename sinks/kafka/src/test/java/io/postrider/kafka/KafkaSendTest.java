package io.postrider.kafka;

import static io.postrider.kafka.Topics.EPOCH;
import static io.postrider.kafka.Topics.event;
import static io.postrider.kafka.Topics.events;
import static io.postrider.kafka.Topics.header;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Envelope;
import io.postrider.LogEvent;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What send() brings into a topic, and what its receipt says. */
@Tag("slow")
class KafkaSendTest {
    private static final Broker BROKER = Broker.shared();
    private static final KafkaOptions OPTIONS = BROKER.options();

    @Test
    void a_record_has_key_payload_time_and_every_attribute_in_its_headers() throws Exception {
        String topic = BROKER.topic("layout", 1);
        LogEvent full = new LogEvent(
                "orders",
                42,
                UUID.randomUUID(),
                "order.placed",
                "{\"name\": \"Zoë 😀\"}",
                "käse",
                "p1",
                "u1",
                "order",
                "o-1",
                "{\"trace\": \"1\"}",
                Instant.parse("2026-01-02T03:04:05.678901Z"));
        assertThat(send(topic, EPOCH, full).isWhole()).isTrue();

        ConsumerRecord<byte[], byte[]> record = Topics.records(BROKER, topic).get(0);
        assertThat(new String(record.key(), UTF_8)).isEqualTo("käse");
        assertThat(new String(record.value(), UTF_8)).isEqualTo(full.payload());
        assertThat(record.timestamp()).isEqualTo(full.createdAt().toEpochMilli());
        Map<String, String> expected = new TreeMap<>(
                Map.of("postrider_topic", "orders", "postrider_position", "42", "postrider_course", "relay/1"));
        Envelope.attributes(full)
                .forEach((name, value) ->
                        expected.put(name.equals("datacontenttype") ? "content-type" : "ce_" + name, value));
        Map<String, String> headers = new TreeMap<>();
        record.headers().forEach(header -> headers.put(header.key(), new String(header.value(), UTF_8)));
        assertThat(headers)
                .isEqualTo(expected)
                .containsEntry("ce_projectid", "p1")
                .containsEntry("ce_specversion", "1.0");
    }

    @Test
    void an_event_without_a_key_is_a_record_without_a_key() throws Exception {
        String topic = BROKER.topic("keyless", 1);
        assertThat(send(topic, EPOCH, event(1, null)).isWhole()).isTrue();
        assertThat(Topics.records(BROKER, topic).get(0).key()).isNull();
    }

    @Test
    void the_events_of_a_key_stay_in_order_over_many_batches() throws Exception {
        String topic = BROKER.topic("order", 3);
        try (KafkaSink sink = KafkaSink.to(topic, OPTIONS.withBatchSize(1024))) {
            for (int from = 1; from <= 5_000; from += 500) {
                assertThat(sink.send(EPOCH, events(from, from + 499)).isWhole()).isTrue();
            }
        }
        Map<String, List<Long>> byKey = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> record : Topics.records(BROKER, topic)) {
            byKey.computeIfAbsent(new String(record.key(), UTF_8), key -> new ArrayList<>())
                    .add(Long.parseLong(header(record, Records.POSITION)));
        }
        assertThat(byKey)
                .hasSize(10)
                .allSatisfy((key, positions) -> assertThat(positions)
                        .isEqualTo(LongStream.rangeClosed(1, 5_000)
                                .filter(position -> position % 10 == Integer.parseInt(key.substring(1)))
                                .boxed()
                                .toList()));
    }

    @Test
    void a_record_too_large_for_the_client_is_refused_and_those_before_it_are_safe() throws Exception {
        String topic = BROKER.topic("large", 1);
        List<LogEvent> events = new ArrayList<>(events(1, 10));
        events.set(6, event(7, "k7", "\"" + "x".repeat(20_000) + "\""));
        try (KafkaSink sink = KafkaSink.to(topic, OPTIONS.withRecordCap(10_000))) {
            SendResult receipt = sink.send(EPOCH, events);
            assertThat(receipt.isWhole() || receipt.isUnavailable()).isFalse();
            assertThat(receipt.taken()).isEqualTo(6);
            assertThat(receipt.error()).isInstanceOf(RecordTooLargeException.class);
            assertThat(sink.send(EPOCH, events.subList(7, 10)).isWhole()).isTrue();
        }
        assertThat(Topics.positions(BROKER, topic)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 8L, 9L, 10L);
    }

    @Test
    void an_event_of_before_1970_cannot_be_a_record_and_is_refused() throws Exception {
        String topic = BROKER.topic("old", 1);
        LogEvent good = event(1, "k");
        LogEvent old = new LogEvent(
                "orders",
                2,
                UUID.randomUUID(),
                "t",
                "{}",
                "k",
                null,
                null,
                null,
                null,
                "{}",
                Instant.ofEpochSecond(-1));
        SendResult receipt = send(topic, EPOCH, good, old, event(3, "k"));
        assertThat(receipt.isWhole() || receipt.isUnavailable()).isFalse();
        assertThat(receipt.taken()).isEqualTo(1);
        assertThat(Topics.positions(BROKER, topic)).containsExactly(1L);
    }

    @Test
    void a_record_too_large_for_the_topic_is_refused_when_it_stands_alone() throws Exception {
        String topic = BROKER.topic("large-there", 1, Map.of("max.message.bytes", "10000"));
        LogEvent large = event(7, "k", "\"" + "x".repeat(20_000) + "\"");
        try (KafkaSink sink = KafkaSink.to(topic, OPTIONS)) {
            SendResult receipt = sink.send(EPOCH, List.of(large));
            assertThat(receipt.isUnavailable()).isFalse();
            assertThat(receipt.taken()).isZero();
            assertThat(receipt.error()).isInstanceOf(RecordTooLargeException.class);
            assertThat(sink.send(EPOCH, List.of(event(8, "k"))).isWhole()).isTrue();
        }
    }

    @Test
    void of_a_batch_that_the_broker_refuses_for_one_record_no_other_is_blamed() {
        String topic = BROKER.topic("compacted", 1, Map.of("cleanup.policy", "compact"));
        List<LogEvent> events = new ArrayList<>(events(1, 10));
        events.set(6, event(7, null)); // a compacted topic takes nothing without a key
        try (KafkaSink sink = KafkaSink.to(topic, OPTIONS.withLinger(Duration.ofSeconds(1)))) {
            assertThatThrownBy(() -> sink.send(EPOCH, events)).isInstanceOf(InvalidRecordException.class);
        }
    }

    @Test
    void nothing_of_a_key_gets_in_before_an_event_of_it_that_the_broker_refused() throws Exception {
        String topic = BROKER.topic("compacted", 1, Map.of("cleanup.policy", "compact"));
        try (KafkaSink sink = KafkaSink.to(topic, OPTIONS.withBatchSize(1024))) {
            assertThat(sink.send(EPOCH, events(1, 100)).isWhole()).isTrue();
            List<LogEvent> events = new ArrayList<>(events(101, 2_000));
            events.set(300, event(401, null));
            assertRefused(sink, events, 300);
            List<Long> there = Topics.positions(BROKER, topic);
            assertThat(there)
                    .isEqualTo(LongStream.rangeClosed(1, there.size()).boxed().toList())
                    .hasSizeLessThan(401);
        }
    }

    @Test
    void a_broker_that_is_not_there_is_unavailable_in_bounded_time() throws Exception {
        long begin = System.nanoTime();
        try (KafkaSink sink =
                KafkaSink.to("nowhere", KafkaOptions.at("127.0.0.1:1").withDeliveryTimeout(Duration.ofSeconds(3)))) {
            SendResult receipt = sink.send(EPOCH, events(1, 100));
            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(receipt.taken()).isZero();
            assertThatThrownBy(() -> sink.holds(EPOCH, 0)).isInstanceOf(TimeoutException.class);
            assertThatThrownBy(sink::test).isInstanceOf(TimeoutException.class);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void a_host_that_does_not_exist_is_unavailable_too() throws Exception {
        try (KafkaSink sink = KafkaSink.to("nowhere", KafkaOptions.at("no-such-host.invalid:9092"))) {
            assertThat(sink.send(EPOCH, events(1, 3)).isUnavailable()).isTrue();
        }
    }

    @Test
    void a_topic_that_does_not_exist_is_unavailable_until_somebody_makes_it() throws Exception {
        try (KafkaSink sink =
                KafkaSink.to("missing-" + UUID.randomUUID(), OPTIONS.withDeliveryTimeout(Duration.ofSeconds(3)))) {
            SendResult receipt = sink.send(EPOCH, events(1, 3));
            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(receipt.error()).hasMessageContaining("not present in metadata");
            assertThat(sink.test()).contains("the topic does not exist yet");
        }
    }

    @Test
    void test_tells_of_the_topic_and_writes_nothing() throws Exception {
        String topic = BROKER.topic("tested", 3);
        try (KafkaSink sink = KafkaSink.to(topic, OPTIONS)) {
            assertThat(sink.describe()).isEqualTo("kafka topic " + topic + " at " + BROKER.servers());
            assertThat(sink.test()).isEqualTo(sink.describe() + ": 1 broker, 3 partitions of 1 in sync");
        }
        assertThat(Topics.records(BROKER, topic)).isEmpty();
    }

    @Test
    void a_closed_sink_is_unavailable() throws Exception {
        KafkaSink sink = KafkaSink.to("any", OPTIONS);
        sink.close();
        assertThat(sink.send(EPOCH, events(1, 1)).isUnavailable()).isTrue();
    }

    /** By a receipt if it was alone in its batch or the first of it, else by an exception. */
    private static void assertRefused(KafkaSink sink, List<LogEvent> events, int index) {
        try {
            SendResult receipt = sink.send(EPOCH, events);
            assertThat(receipt.isUnavailable()).isFalse();
            assertThat(receipt.taken()).isEqualTo(index);
        } catch (Exception e) {
            assertThat(e).isInstanceOf(InvalidRecordException.class);
        }
    }

    private static SendResult send(String topic, RelayEpoch epoch, LogEvent... events) throws Exception {
        try (KafkaSink sink = KafkaSink.to(topic, OPTIONS)) {
            return sink.send(epoch, List.of(events));
        }
    }
}
