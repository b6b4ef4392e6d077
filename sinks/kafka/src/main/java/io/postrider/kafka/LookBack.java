package io.postrider.kafka;

import io.postrider.RelayEpoch;
import io.postrider.kafka.Records.Mark;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the records of a relay epoch after a position in a topic. Each partition is read backwards from its end, in chunks of
 * growing size, until the oldest record of the relay in a chunk is at or before that position, or of an earlier epoch.
 *
 * <p>The <em>oldest</em> record of a chunk decides, not just any: an event that was retried is sent late, behind events of
 * greater positions, and must not hide them.
 */
final class LookBack {
    private static final Logger LOG = LoggerFactory.getLogger(LookBack.class);

    private static final int FIRST_PIECE = 1_000;
    private static final int GROWTH = 4;

    /** Results are kept in memory: about 100 bytes each. */
    private static final int MOST_OF_ALL = 1_000_000;

    private static final Duration POLL = Duration.ofMillis(200);

    private final Consumer<byte[], byte[]> consumer;
    private final String kafkaTopic;
    private final Duration patience;

    LookBack(Consumer<byte[], byte[]> consumer, String kafkaTopic, Duration patience) {
        this.consumer = consumer;
        this.kafkaTopic = kafkaTopic;
        this.patience = patience;
    }

    /** Returns when the leader of every partition has answered. */
    void reach() {
        consumer.endOffsets(partitions());
    }

    /**
     * The event ids by position.
     *
     * @param most the maximum number of records to read back per partition
     */
    Map<Long, UUID> find(RelayEpoch epoch, long after, int most) {
        Map<Long, UUID> found = new HashMap<>();
        List<Stretch> open = stretches(epoch, after, most);
        while (!open.isEmpty()) {
            open.forEach(Stretch::stepBack);
            read(open);
            open.forEach(stretch -> stretch.found.forEach(found::putIfAbsent)); // of two, the later one wins
            open.removeIf(Stretch::isDone);
        }
        return found;
    }

    /** Assigns them first: for unassigned partitions the client logs a warning whenever it learns their end offset. */
    private List<TopicPartition> partitions() {
        List<TopicPartition> partitions = consumer.partitionsFor(kafkaTopic).stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        consumer.assign(partitions);
        return partitions;
    }

    private List<Stretch> stretches(RelayEpoch epoch, long after, int most) {
        List<TopicPartition> partitions = partitions();
        Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions);
        List<Stretch> stretches = new ArrayList<>();
        consumer.endOffsets(partitions).forEach((partition, end) -> {
            long begin = begins.getOrDefault(partition, 0L);
            long floor = end - Math.min(most, MOST_OF_ALL / partitions.size());
            if (end > begin) {
                stretches.add(new Stretch(partition, epoch, after, begin, floor, end));
            }
        });
        return stretches;
    }

    private void read(List<Stretch> stretches) {
        consumer.assign(stretches.stream().map(stretch -> stretch.partition).toList());
        consumer.resume(consumer.paused()); // paused while reading the previous chunk
        stretches.forEach(stretch -> consumer.seek(stretch.partition, stretch.from));
        List<Stretch> reading = new ArrayList<>(stretches);
        long deadline = System.nanoTime() + patience.toNanos();
        while (!reading.isEmpty()) {
            consumer.poll(POLL).forEach(record -> note(reading, record));
            if (forget(reading)) {
                deadline = System.nanoTime() + patience.toNanos();
            } else if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException("topic " + kafkaTopic + " gave no record of " + reading.size()
                        + " partitions within " + patience.toMillis() + " ms");
            }
        }
    }

    private static void note(List<Stretch> reading, ConsumerRecord<byte[], byte[]> record) {
        for (Stretch stretch : reading) {
            if (stretch.partition.partition() == record.partition()) {
                stretch.note(record);
            }
        }
    }

    /** Removes the partitions that have reached their end. True if any has made progress. */
    private boolean forget(List<Stretch> reading) {
        boolean moved = false;
        for (Stretch stretch : List.copyOf(reading)) {
            long position = consumer.position(stretch.partition);
            moved |= position > stretch.position;
            stretch.position = position;
            if (position >= stretch.to) {
                consumer.pause(List.of(stretch.partition));
                reading.remove(stretch);
            }
        }
        return moved;
    }

    /** One partition and the chunk of it that is being read: from … to. */
    private static final class Stretch {
        private final TopicPartition partition;
        private final RelayEpoch epoch;
        private final long after;
        private final long begin;
        private final long floor;

        private int piece = FIRST_PIECE;
        private long from;
        private long to;
        private long position;
        private @Nullable Mark oldest;
        private final Map<Long, UUID> found = new HashMap<>();

        Stretch(TopicPartition partition, RelayEpoch epoch, long after, long begin, long floor, long end) {
            this.partition = partition;
            this.epoch = epoch;
            this.after = after;
            this.begin = begin;
            this.floor = Math.max(begin, floor);
            this.from = end;
        }

        void stepBack() {
            to = from;
            from = Math.max(floor, to - piece);
            position = from;
            piece *= GROWTH;
            oldest = null;
            found.clear();
        }

        void note(ConsumerRecord<?, ?> record) {
            Mark mark = record.offset() < to ? Records.mark(record) : null;
            if (mark == null || !isOfRelay(mark)) {
                return;
            }
            if (oldest == null) {
                oldest = mark;
            }
            if (mark.number() == epoch.number() && mark.position() > after) {
                found.put(mark.position(), mark.id());
            }
        }

        private boolean isOfRelay(Mark mark) {
            return mark.relay().equals(epoch.relay())
                    && mark.topic().equals(epoch.topic())
                    && mark.number() <= epoch.number();
        }

        boolean isDone() {
            if (oldest != null && (oldest.number() < epoch.number() || oldest.position() <= after)) {
                return true;
            }
            if (from == floor && floor > begin) {
                LOG.warn(
                        "kafka_read_back_limited relay={} kafka_topic={} partition={} read_back={} no record of the"
                                + " relay at or before position {} was found. Older records were not read; their"
                                + " events may be sent again",
                        epoch.relay(),
                        partition.topic(),
                        partition.partition(),
                        to - from,
                        after);
            }
            return from == floor;
        }
    }
}
