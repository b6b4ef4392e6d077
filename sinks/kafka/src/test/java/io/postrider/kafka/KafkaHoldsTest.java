package io.postrider.kafka;

import static io.postrider.kafka.Topics.EPOCH;
import static io.postrider.kafka.Topics.event;
import static io.postrider.kafka.Topics.events;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.LogEvent;
import io.postrider.MessageFormat;
import io.postrider.RelayEpoch;
import io.postrider.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a topic says when it is asked for a epoch. */
@Tag("slow")
@Tag("security")
class KafkaHoldsTest {
    private static final Broker BROKER = Broker.shared();
    private static final KafkaOptions OPTIONS = BROKER.options();

    @Test
    void a_topic_that_does_not_exist_has_nothing() throws Exception {
        assertThat(holds("missing-" + UUID.randomUUID(), EPOCH, 0)).isEmpty();
    }

    @Test
    void an_empty_topic_has_nothing() throws Exception {
        assertThat(holds(BROKER.topic("empty", 3), EPOCH, 0)).isEmpty();
    }

    @Test
    void what_was_sent_after_the_position_is_held_with_its_ids() throws Exception {
        String topic = BROKER.topic("sent", 3);
        List<LogEvent> events = events(1, 50);
        try (KafkaSink sink = KafkaSink.to(topic, OPTIONS)) {
            assertThat(sink.send(EPOCH, events).isWhole()).isTrue();
            assertThat(sink.holds(EPOCH, 30)).isEqualTo(ids(events.subList(30, 50)));
            assertThat(sink.holds(EPOCH, 50)).isEmpty();
            assertThat(sink.holds(EPOCH, 0)).isEqualTo(ids(events));
        }
    }

    @Test
    void of_a_batch_that_arrived_partly_the_partitions_say_which() throws Exception {
        String topic = BROKER.topic("partly", 3);
        List<LogEvent> events = events(1, 9);
        Topics.place(BROKER, topic, 0, EPOCH, List.of(events.get(0), events.get(3), events.get(6)));
        Topics.place(BROKER, topic, 2, EPOCH, List.of(events.get(2), events.get(5)));
        assertThat(holds(topic, EPOCH, 3)).isEqualTo(ids(List.of(events.get(3), events.get(6), events.get(5))));
    }

    @Test
    void other_relays_topics_and_courses_and_strangers_are_not_taken_for_it() throws Exception {
        String topic = BROKER.topic("shared", 1);
        Topics.place(BROKER, topic, 0, new RelayEpoch("relay", "orders", 1), events(1, 5));
        Topics.place(BROKER, topic, 0, new RelayEpoch("relay", "orders", 3), events(1, 5));
        Topics.place(BROKER, topic, 0, new RelayEpoch("relay", "bills", 2), events(1, 5));
        Topics.place(BROKER, topic, 0, new RelayEpoch("other", "orders", 2), events(1, 5));
        Topics.placeForeign(BROKER, topic, 0, 5);
        assertThat(holds(topic, new RelayEpoch("relay", "orders", 2), 0)).isEmpty();

        List<LogEvent> events = events(1, 3);
        Topics.place(BROKER, topic, 0, new RelayEpoch("relay", "orders", 2), events);
        assertThat(holds(topic, new RelayEpoch("relay", "orders", 2), 0)).isEqualTo(ids(events));
    }

    @Test
    void records_whose_headers_are_forged_or_broken_are_passed_over() throws Exception {
        String topic = BROKER.topic("forged", 1);
        try (KafkaProducer<byte[], byte[]> producer = Topics.stranger(BROKER, Map.of())) {
            for (String position : List.of("", "x", "-", "99999999999999999999", "1e3")) {
                producer.send(
                        forged(topic, "relay/1", position, UUID.randomUUID().toString()));
            }
            producer.send(forged(topic, "relay/1", "5", "not-an-id"));
            producer.send(forged(topic, "relay/", "6", UUID.randomUUID().toString()));
            producer.send(forged(topic, "relay", "7", UUID.randomUUID().toString()));
            producer.send(forged(topic, "/1", "8", UUID.randomUUID().toString()));
            ProducerRecord<byte[], byte[]> empty = new ProducerRecord<>(topic, null, null);
            empty.headers().add(Records.COURSE, null).add(Records.POSITION, null);
            producer.send(empty);
        }
        assertThat(holds(topic, EPOCH, 0)).isEmpty();
    }

    @Test
    void it_reads_back_over_thousands_of_others_to_find_its_own() throws Exception {
        String topic = BROKER.topic("deep", 2);
        List<LogEvent> events = events(1, 2_000);
        Topics.place(BROKER, topic, 0, EPOCH, events);
        Topics.placeForeign(BROKER, topic, 0, 12_000);
        Topics.placeForeign(BROKER, topic, 1, 100);
        assertThat(holds(topic, EPOCH, 900)).isEqualTo(ids(events.subList(900, 2_000)));
    }

    @Test
    void an_event_that_was_set_back_and_came_late_hides_nothing() throws Exception {
        String topic = BROKER.topic("late", 1);
        List<LogEvent> events = events(1, 1_600); // more than the first piece that is read
        Topics.place(BROKER, topic, 0, EPOCH, events);
        Topics.place(BROKER, topic, 0, EPOCH, List.of(event(5, "k")));
        assertThat(holds(topic, EPOCH, 90)).isEqualTo(ids(events.subList(90, 1_600)));
    }

    @Test
    void what_retention_has_taken_is_not_there() throws Exception {
        String topic = BROKER.topic("retained", 2);
        List<LogEvent> events = events(1, 100);
        Topics.place(BROKER, topic, 0, EPOCH, events);
        Topics.place(BROKER, topic, 1, EPOCH, events(101, 110));
        try (Admin admin = BROKER.admin()) {
            admin.deleteRecords(Map.of(
                            new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(60),
                            new TopicPartition(topic, 1), RecordsToDelete.beforeOffset(-1)))
                    .all()
                    .get();
        }
        assertThat(holds(topic, EPOCH, 10)).isEqualTo(ids(events.subList(60, 100)));
    }

    @Test
    void the_marks_of_transactions_of_others_and_one_that_is_open_do_not_stop_it() throws Exception {
        String topic = BROKER.topic("transactions", 1);
        List<LogEvent> events = events(1, 10);
        try (KafkaProducer<byte[], byte[]> stranger =
                Topics.stranger(BROKER, Map.of("transactional.id", "t-" + UUID.randomUUID()))) {
            stranger.initTransactions();
            for (int i = 0; i < 3; i++) {
                stranger.beginTransaction();
                stranger.send(new ProducerRecord<>(topic, "committed".getBytes(UTF_8)));
                stranger.commitTransaction();
            }
            Topics.place(BROKER, topic, 0, EPOCH, events.subList(0, 5));
            stranger.beginTransaction();
            stranger.send(new ProducerRecord<>(topic, "open".getBytes(UTF_8))).get();
            Topics.place(BROKER, topic, 0, EPOCH, events.subList(5, 10));
            assertThat(holds(topic, EPOCH, 3)).isEqualTo(ids(events.subList(3, 10)));
            stranger.abortTransaction();
        }
        assertThat(holds(topic, EPOCH, 3)).isEqualTo(ids(events.subList(3, 10)));
    }

    @Test
    void it_goes_back_no_further_than_its_bound() throws Exception {
        String topic = BROKER.topic("bound", 1);
        List<LogEvent> events = events(1, 3_000);
        Topics.place(BROKER, topic, 0, EPOCH, events);
        try (KafkaSink sink = new KafkaSink(topic, OPTIONS, 2_000)) {
            assertThat(sink.holds(EPOCH, 0)).isEqualTo(ids(events.subList(1_000, 3_000)));
        }
    }

    @Test
    void what_a_process_had_under_way_when_it_was_killed_is_found_if_it_arrives_a_moment_later() throws Exception {
        String topic = BROKER.topic("under-way", 1);
        LogEvent late = event(1, "k");
        try (KafkaProducer<byte[], byte[]> predecessor = Topics.stranger(BROKER, Map.of());
                KafkaSink sink = KafkaSink.to(topic, OPTIONS)) {
            predecessor
                    .send(new ProducerRecord<>(topic, "foreign".getBytes(UTF_8)))
                    .get();
            CompletableFuture<Map<Long, UUID>> asked = CompletableFuture.supplyAsync(() -> {
                try {
                    return sink.holds(EPOCH, 0);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            long begin = System.nanoTime();
            Await.until(
                    "a moment later",
                    () -> System.nanoTime() - begin > Duration.ofMillis(300).toNanos());
            predecessor
                    .send(new Records(topic, EPOCH, MessageFormat.CLOUD_EVENTS).of(late))
                    .get();
            assertThat(asked.get(60, TimeUnit.SECONDS)).isEqualTo(ids(List.of(late)));
        }
    }

    @Test
    void of_two_events_at_one_position_the_later_one_counts() throws Exception {
        String topic = BROKER.topic("restored", 1);
        LogEvent before = event(7, "k");
        LogEvent after = event(7, "k");
        Topics.place(BROKER, topic, 0, EPOCH, List.of(before));
        Topics.placeForeign(BROKER, topic, 0, 1_500); // another piece of the partition
        Topics.place(BROKER, topic, 0, EPOCH, List.of(after));
        assertThat(holds(topic, EPOCH, 6)).isEqualTo(ids(List.of(after)));
    }

    private static ProducerRecord<byte[], byte[]> forged(String topic, String epoch, String position, String id) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, "forged".getBytes(UTF_8));
        record.headers()
                .add(Records.TOPIC, "orders".getBytes(UTF_8))
                .add(Records.COURSE, epoch.getBytes(UTF_8))
                .add(Records.POSITION, position.getBytes(UTF_8))
                .add("ce_id", id.getBytes(UTF_8));
        return record;
    }

    private static Map<Long, UUID> holds(String topic, RelayEpoch epoch, long after) throws Exception {
        try (KafkaSink sink = KafkaSink.to(topic, OPTIONS)) {
            return sink.holds(epoch, after);
        }
    }

    private static Map<Long, UUID> ids(List<LogEvent> events) {
        return events.stream().collect(Collectors.toMap(LogEvent::position, LogEvent::id));
    }
}
