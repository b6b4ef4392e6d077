package io.postrider.kafka;

import io.postrider.LogEvent;
import io.postrider.MessageFormat;
import io.postrider.RelayEpoch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * How many records a second go through send(), beside a bare producer that sends the same records as fast as it can and
 * waits only at the end: with Kafka's defaults, and with batches as large as the sink's. One after the other, five rounds; the
 * median counts.
 */
final class KafkaThroughput {
    private static final int RECORDS = Integer.getInteger("records", 200_000);
    private static final int PARTITIONS = Integer.getInteger("partitions", 3);
    private static final int ROUNDS = Integer.getInteger("rounds", 5);

    private KafkaThroughput() {}

    public static void main(String[] args) throws Exception {
        try (Broker broker = Broker.started()) {
            List<LogEvent> events = events();
            for (int size : new int[] {100, 500, 1_000, 5_000}) {
                compare(broker, events, size);
            }
        }
        System.exit(0);
    }

    private static void compare(Broker broker, List<LogEvent> events, int size) throws Exception {
        List<Double> bare = new ArrayList<>();
        List<Double> large = new ArrayList<>();
        List<Double> sink = new ArrayList<>();
        for (int round = 0; round <= ROUNDS; round++) {
            double first = bare(broker, events, 16 << 10);
            double second = bare(broker, events, 128 << 10);
            double third = sink(broker, events, size);
            if (round > 0) { // the first one warms up
                bare.add(first);
                large.add(second);
                sink.add(third);
            }
        }
        System.out.printf(
                "batch %d: bare %.0f/s, bare with large batches %.0f/s, sink %.0f/s, ratios %.2f and %.2f%n",
                size,
                median(bare),
                median(large),
                median(sink),
                median(sink) / median(bare),
                median(sink) / median(large));
    }

    private static double bare(Broker broker, List<LogEvent> events, int batchSize) {
        String topic = broker.topic("bare", PARTITIONS);
        Records records = new Records(topic, new RelayEpoch("relay", "orders", 1), MessageFormat.CLOUD_EVENTS);
        List<ProducerRecord<byte[], byte[]>> all = new ArrayList<>();
        events.forEach(event -> all.add(records.of(event)));
        try (KafkaProducer<byte[], byte[]> producer =
                Topics.stranger(broker, Map.of("acks", "all", "batch.size", batchSize))) {
            producer.partitionsFor(topic);
            long begin = System.nanoTime();
            all.forEach(producer::send);
            producer.flush();
            return perSecond(all.size(), begin);
        }
    }

    private static double sink(Broker broker, List<LogEvent> events, int size) throws Exception {
        String topic = broker.topic("sink", PARTITIONS);
        RelayEpoch epoch = new RelayEpoch("relay", "orders", 1);
        try (KafkaSink sink =
                KafkaSink.to(topic, KafkaOptions.at(broker.servers()).withDeliveryTimeout(Duration.ofSeconds(30)))) {
            sink.send(epoch, events.subList(0, 1));
            long begin = System.nanoTime();
            for (int i = 0; i < events.size(); i += size) {
                if (!sink.send(epoch, events.subList(i, Math.min(i + size, events.size())))
                        .isWhole()) {
                    throw new IllegalStateException("not taken");
                }
            }
            return perSecond(events.size(), begin);
        }
    }

    private static List<LogEvent> events() {
        String payload = "{\"text\": \"" + "x".repeat(180) + "\"}";
        return IntStream.rangeClosed(1, RECORDS)
                .mapToObj(n -> new LogEvent(
                        "orders",
                        n,
                        UUID.randomUUID(),
                        "order.placed",
                        payload,
                        "key" + n % 1_000,
                        "p1",
                        "u1",
                        null,
                        null,
                        "{}",
                        Instant.now()))
                .toList();
    }

    private static double perSecond(int count, long begin) {
        return count * 1e9 / (System.nanoTime() - begin);
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
    }
}
