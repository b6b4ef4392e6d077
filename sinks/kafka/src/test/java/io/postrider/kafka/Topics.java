package io.postrider.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.postrider.LogEvent;
import io.postrider.MessageFormat;
import io.postrider.RelayEpoch;
import io.postrider.testkit.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** What tests send, and what they find in a topic with a consumer of their own. */
final class Topics {
    static final RelayEpoch EPOCH = new RelayEpoch("relay", "orders", 1);

    private Topics() {}

    static LogEvent event(long position, String key) {
        return event(position, key, "{\"n\": " + position + "}");
    }

    static LogEvent event(long position, String key, String payload) {
        return new LogEvent(
                "orders",
                position,
                UUID.randomUUID(),
                "order.placed",
                payload,
                key,
                null,
                null,
                null,
                null,
                "{}",
                Instant.parse("2026-01-02T03:04:05.678901Z"));
    }

    /** Positions from … to, with keys k0 … k9 in turn. */
    static List<LogEvent> events(long from, long to) {
        return LongStream.rangeClosed(from, to)
                .mapToObj(position -> event(position, "k" + position % 10))
                .toList();
    }

    /** Every record, partition by partition, in the order of each. */
    static List<ConsumerRecord<byte[], byte[]>> records(Broker broker, String topic) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.servers(), "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            Await.until("the end of " + topic, Duration.ofSeconds(60), () -> {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                return ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
            });
        }
        return records;
    }

    static List<Long> positions(Broker broker, String topic) {
        return records(broker, topic).stream()
                .map(record -> Long.parseLong(header(record, Records.POSITION)))
                .toList();
    }

    static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }

    static KafkaProducer<byte[], byte[]> stranger(Broker broker, Map<String, Object> more) {
        Map<String, Object> properties = new java.util.HashMap<>(more);
        properties.put("bootstrap.servers", broker.servers());
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Puts these into one partition, as a relay of this epoch would. */
    static void place(Broker broker, String topic, int partition, RelayEpoch epoch, List<LogEvent> events) {
        Records records = new Records(topic, epoch, MessageFormat.CLOUD_EVENTS);
        try (KafkaProducer<byte[], byte[]> producer = stranger(broker, Map.of("linger.ms", 20))) {
            sendAll(
                    producer,
                    events.stream()
                            .map(records::of)
                            .map(record -> new ProducerRecord<>(
                                    topic,
                                    partition,
                                    record.timestamp(),
                                    record.key(),
                                    record.value(),
                                    record.headers())));
        }
    }

    /** Records that no relay wrote. */
    static void placeForeign(Broker broker, String topic, int partition, int count) {
        try (KafkaProducer<byte[], byte[]> producer = stranger(broker, Map.of("linger.ms", 20))) {
            sendAll(
                    producer,
                    IntStream.range(0, count)
                            .mapToObj(i ->
                                    new ProducerRecord<>(topic, partition, null, ("foreign " + i).getBytes(UTF_8))));
        }
    }

    /** Fails if the broker has not taken every record: a record that is missing would look like one that was deleted. */
    private static void sendAll(
            KafkaProducer<byte[], byte[]> producer, Stream<ProducerRecord<byte[], byte[]>> records) {
        List<Future<RecordMetadata>> sent = records.map(producer::send).toList();
        producer.flush();
        for (Future<RecordMetadata> answer : sent) {
            try {
                answer.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("a record was not written: " + e.getCause(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while records were written", e);
            }
        }
    }
}
