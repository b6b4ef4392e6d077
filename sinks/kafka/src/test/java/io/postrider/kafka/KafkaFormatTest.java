package io.postrider.kafka;

import static io.postrider.kafka.Topics.EPOCH;
import static io.postrider.kafka.Topics.events;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.LogEvent;
import io.postrider.MessageFormat;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Records for consumers that existed before Postrider; the sink finds its own in every format. */
@Tag("slow")
class KafkaFormatTest {
    private static final Broker BROKER = Broker.shared();
    private static final UUID ID = UUID.fromString("6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e");

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    payload         | {"n": 1, "event_id": "theirs"}
                    payload-with-id | {"event_id":"6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e","n": 1}
                    """)
    void a_record_has_the_payload_and_the_headers_that_a_consumer_and_the_sink_need(String word, String value)
            throws Exception {
        String topic = BROKER.topic("format", 1);
        LogEvent event = new LogEvent(
                "orders",
                7,
                ID,
                "order.placed",
                "{\"n\": 1, \"event_id\": \"theirs\"}",
                "k",
                "p",
                "u",
                null,
                null,
                "{\"trace\": \"1\"}",
                Instant.parse("2026-01-02T03:04:05.678Z"));
        try (KafkaSink sink = KafkaSink.to(topic, BROKER.options().withFormat(MessageFormat.of(word)))) {
            assertThat(sink.send(EPOCH, List.of(event)).isWhole()).isTrue();
            assertThat(sink.holds(EPOCH, 0)).isEqualTo(Map.of(7L, ID));
        }
        ConsumerRecord<byte[], byte[]> record = Topics.records(BROKER, topic).get(0);
        assertThat(new String(record.key(), UTF_8)).isEqualTo("k");
        assertThat(new String(record.value(), UTF_8)).isEqualTo(value);
        Map<String, String> headers = new TreeMap<>();
        record.headers().forEach(header -> headers.put(header.key(), new String(header.value(), UTF_8)));
        assertThat(headers)
                .isEqualTo(Map.of(
                        "event_id",
                        ID.toString(),
                        "event_type",
                        "order.placed",
                        "content-type",
                        "application/json",
                        "postrider_topic",
                        "orders",
                        "postrider_position",
                        "7",
                        "postrider_course",
                        "relay/1"));
    }

    @Test
    void a_relay_whose_format_was_changed_finds_what_it_sent_in_the_other_one() throws Exception {
        String topic = BROKER.topic("changed", 1);
        List<LogEvent> sent = new ArrayList<>();
        long position = 0;
        for (MessageFormat format : MessageFormat.values()) {
            List<LogEvent> some = events(position + 1, position + 5);
            position += 5;
            sent.addAll(some);
            try (KafkaSink sink = KafkaSink.to(topic, BROKER.options().withFormat(format))) {
                assertThat(sink.send(EPOCH, some).isWhole()).isTrue();
                Map<Long, UUID> expected = new HashMap<>();
                sent.forEach(event -> expected.put(event.position(), event.id()));
                assertThat(sink.holds(EPOCH, 0)).isEqualTo(expected);
            }
        }
    }

    @Test
    void the_format_is_shown_and_must_be_given() {
        assertThat(BROKER.options().withFormat(MessageFormat.PAYLOAD).toString())
                .contains("format=payload");
        assertThatThrownBy(() -> BROKER.options().withFormat(null)).hasMessage("format must be given, was null");
    }
}
