package io.postrider.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.postrider.PublishedMessage;
import io.postrider.PublishedQuery;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Reads a topic from a time on up to the end that it has when the reading begins. */
final class TopicReading {
    private static final Duration POLL = Duration.ofMillis(200);

    private final Consumer<byte[], byte[]> consumer;
    private final String topic;
    private final Duration patience;

    TopicReading(Consumer<byte[], byte[]> consumer, String topic, Duration patience) {
        this.consumer = consumer;
        this.topic = topic;
        this.patience = patience;
    }

    /** Returns whether all records since that time were read: not if there were too many. */
    boolean read(PublishedQuery query, java.util.function.Consumer<PublishedMessage> messages) {
        List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        if (partitions.isEmpty()) {
            throw new UnknownTopicOrPartitionException("no kafka topic " + topic);
        }
        consumer.assign(partitions);
        Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(partitions));
        Map<TopicPartition, Long> since = new HashMap<>();
        partitions.forEach(partition -> since.put(partition, query.since().toEpochMilli()));
        Map<TopicPartition, OffsetAndTimestamp> begins = consumer.offsetsForTimes(since);
        partitions.forEach(partition -> {
            OffsetAndTimestamp begin = begins.get(partition);
            if (begin == null) {
                ends.remove(partition); // it has no record since that time
                consumer.pause(List.of(partition));
            } else {
                consumer.seek(partition, begin.offset());
            }
        });
        return readTo(ends, query.most(), messages);
    }

    private boolean readTo(
            Map<TopicPartition, Long> ends, int most, java.util.function.Consumer<PublishedMessage> messages) {
        int count = 0;
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            ends.keySet().removeIf(partition -> consumer.position(partition) >= ends.getOrDefault(partition, 0L));
            if (ends.isEmpty()) {
                return true;
            }
            int before = count;
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                if (count == most) {
                    return false;
                }
                messages.accept(message(record));
                count++;
            }
            if (count > before) {
                deadline = System.nanoTime() + patience.toNanos();
            } else if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException("topic " + topic + " gave no record of " + ends.size()
                        + " partitions within " + patience.toMillis() + " ms");
            }
        }
    }

    private static PublishedMessage message(ConsumerRecord<byte[], byte[]> record) {
        Map<String, String> headers = new HashMap<>();
        record.headers().forEach(header -> {
            if (header.value() != null) {
                headers.put(header.key(), new String(header.value(), UTF_8));
            }
        });
        if (record.key() != null) {
            headers.putIfAbsent("key", new String(record.key(), UTF_8));
        }
        String body = record.value() == null ? "" : new String(record.value(), UTF_8);
        return new PublishedMessage(Integer.toString(record.partition()), headers, body);
    }
}
