package io.postrider.kafka;

import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.PublishedMessage;
import io.postrider.PublishedQuery;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.Sink;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends a relay's events to a Kafka topic, ordered by key, and can determine after a failure or a restart what has arrived.
 *
 * <p>States of its producer:
 *
 * <ul>
 *   <li><em>none</em>: at the beginning, or after the last one broke. {@code send} creates one.
 *   <li><em>open</em>: serves every {@code send}. It stays open after a complete result, or after a record that the client
 *       refuses.
 *   <li><em>broken</em>: a record failed at the brokers, or the client's or our timeout is over. The producer is closed without
 *       waiting, since it must not still retry when the next one starts; then there is none.
 * </ul>
 *
 * <p>Records that were in flight when a producer broke, or when a process was killed, may still reach the topic some moments
 * later. Therefore the first call of {@code holds} after such a failure waits until the brokers have answered, then one more
 * second, and then reads the topic.
 *
 * <p>Safe to share among threads.
 */
public final class KafkaSink implements Sink {
    private static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}");
    private static final Duration CLOSE = Duration.ofSeconds(5);

    /** How long a request that a broker has received may be queued there. */
    private static final Duration SETTLE = Duration.ofSeconds(1);

    /** The maximum number of records per partition that holds() reads back: 100,000 of 1 KB take a second or two. */
    private static final int MOST_BACK = 100_000;

    private final String kafkaTopic;
    private final KafkaOptions options;
    private final int mostBack;

    // Guarded by this.
    private @Nullable Producer<byte @Nullable [], byte[]> producer;
    private long doubts = 1;
    private long settled;
    private boolean closed;

    KafkaSink(String kafkaTopic, KafkaOptions options, int mostBack) {
        if (!TOPIC.matcher(kafkaTopic).matches() || kafkaTopic.matches("\\.{1,2}") || kafkaTopic.startsWith("__")) {
            throw PostriderException.refused("kafka topic must match [A-Za-z0-9._-]{1,249}, not begin with __ and not"
                    + " be . or .., was '" + KafkaOptions.shortened(kafkaTopic) + "'");
        }
        this.kafkaTopic = kafkaTopic;
        this.options = options.completed();
        this.mostBack = mostBack;
    }

    /** Does not connect yet. One sink serves one relay: close it after the node. */
    public static KafkaSink to(String kafkaTopic, KafkaOptions options) {
        return new KafkaSink(kafkaTopic, options, MOST_BACK);
    }

    @Override
    public String describe() {
        return "kafka topic " + kafkaTopic + " at " + options.servers();
    }

    @Override
    public SendResult send(RelayEpoch epoch, List<LogEvent> events) throws Exception {
        Producer<byte @Nullable [], byte[]> using;
        try {
            using = open();
        } catch (KafkaException | IllegalStateException e) {
            return SendResult.unavailable(0, e);
        }
        Sending sending = new Sending(using, options.deliveryTimeout().plus(options.answerTimeout()));
        try {
            return sending.send(new Records(kafkaTopic, epoch, options.format()), events);
        } finally {
            if (sending.isProducerBroken()) {
                retire(using);
            }
        }
    }

    @Override
    public Map<Long, UUID> holds(RelayEpoch epoch, long after) throws InterruptedException {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(options.reader(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            LookBack lookBack = new LookBack(consumer, kafkaTopic, options.answerTimeout());
            settle(lookBack);
            return lookBack.find(epoch, after, mostBack);
        }
    }

    /** The value of a record; its headers have the attributes of the event. */
    @Override
    public String message(LogEvent event) {
        return Records.value(event, options.format());
    }

    /** Reads a topic from this time up to its present end; a lane is a partition. */
    @Override
    public boolean readPublished(PublishedQuery query, Consumer<PublishedMessage> messages) {
        String topic = query.place() == null ? kafkaTopic : query.place();
        if (!TOPIC.matcher(topic).matches()) {
            throw PostriderException.refused(
                    "kafka topic must match [A-Za-z0-9._-]{1,249}, was '" + KafkaOptions.shortened(topic) + "'");
        }
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(options.reader(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            return new TopicReading(consumer, topic, options.answerTimeout()).read(query, messages);
        }
    }

    @Override
    public String test() throws Exception {
        try (Admin admin = Admin.create(options.admin())) {
            int brokers = admin.describeCluster().nodes().get().size();
            return describe() + ": " + brokers + (brokers == 1 ? " broker, " : " brokers, ") + topic(admin);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    @Override
    public void close() {
        Producer<byte @Nullable [], byte[]> last;
        synchronized (this) {
            closed = true;
            last = producer;
            producer = null;
        }
        if (last != null) {
            last.close(CLOSE);
        }
    }

    private synchronized Producer<byte @Nullable [], byte[]> open() {
        if (closed) {
            throw new IllegalStateException("the sink to " + describe() + " is closed");
        }
        if (producer == null) {
            producer = new KafkaProducer<>(options.producer(), new ByteArraySerializer(), new ByteArraySerializer());
        }
        return producer;
    }

    private void retire(Producer<byte @Nullable [], byte[]> broken) {
        synchronized (this) {
            doubts++;
            if (producer == broken) {
                producer = null;
            }
        }
        Sending.closeNow(broken);
    }

    private void settle(LookBack lookBack) throws InterruptedException {
        long seen;
        synchronized (this) {
            seen = doubts;
            if (seen == settled) {
                return;
            }
        }
        lookBack.reach();
        TimeUnit.NANOSECONDS.sleep(SETTLE.toNanos());
        synchronized (this) {
            settled = Math.max(settled, seen); // another producer may have broken in the meantime
        }
    }

    private String topic(Admin admin) throws Exception {
        try {
            Map<String, TopicDescription> found =
                    admin.describeTopics(List.of(kafkaTopic)).allTopicNames().get();
            List<TopicPartitionInfo> partitions =
                    List.copyOf(found.values()).get(0).partitions();
            long behind = partitions.stream()
                    .filter(partition -> partition.leader() == null
                            || partition.isr().size() < partition.replicas().size())
                    .count();
            return partitions.size()
                    + (partitions.size() == 1 ? " partition of " : " partitions of ")
                    + partitions.get(0).replicas().size()
                    + (behind == 0 ? " in sync" : ", " + behind + " not in sync");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return "the topic does not exist yet: create it, unless the brokers create topics automatically";
            }
            throw e;
        }
    }
}
