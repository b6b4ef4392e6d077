package io.postrider.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.Sink;
import io.postrider.StartPoint;
import io.postrider.admin.Relays;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A log of orders in a database of its own, relayed to a topic; and what must be true of the topic in the end. */
final class Orders implements AutoCloseable {
    static final int KEYS = 20;
    static final Duration LONG = Duration.ofMinutes(3);

    private final TestDatabase database = TestDatabase.createFrom(
            "kafka-relay", dataSource -> Postrider.on(dataSource).migrate());
    private final Postrider postrider = Postrider.on(database.dataSource());
    private long emitted;

    static Listener relay(Sink sink) {
        return Listener.relay("relay", "orders", sink).withStart(StartPoint.beginning());
    }

    Postrider postrider() {
        return postrider;
    }

    String jdbcUrl() {
        return database.jdbcUrl();
    }

    synchronized long emitted() {
        return emitted;
    }

    synchronized void emit(int count) throws SQLException {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long n = ++emitted;
            events.add(Event.of("orders", "order.placed", "{\"n\": " + n + "}").withKey("key-" + n % KEYS));
        }
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            postrider.emitAll(connection, events);
            connection.commit();
        }
    }

    Relays.Status status() {
        return postrider.relays().list().get(0);
    }

    void awaitCursor(long position) {
        Await.until("the relay is at " + position, LONG, () -> status().position() >= position);
    }

    /** Everything is there, nothing twice, each key in order; and no event was blamed for anything. */
    void assertAllOnceAndInOrder(Broker broker, String topic) {
        List<ConsumerRecord<byte[], byte[]>> records = Topics.records(broker, topic);
        Set<Long> seen = new HashSet<>();
        Set<UUID> ids = new HashSet<>();
        List<Long> twice = new ArrayList<>();
        Map<String, List<Long>> byKey = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            long position = Long.parseLong(Topics.header(record, Records.POSITION));
            if (!seen.add(position) || !ids.add(UUID.fromString(Topics.header(record, "ce_id")))) {
                twice.add(position);
            }
            byKey.computeIfAbsent(new String(record.key(), UTF_8), key -> new ArrayList<>())
                    .add(position);
        }
        System.out.printf(
                "events %d, records %d, twice %d %s%n", emitted(), records.size(), twice.size(), topic.split("-")[0]);
        assertThat(twice).as("there twice").isEmpty();
        List<Long> lost = LongStream.rangeClosed(1, emitted())
                .filter(position -> !seen.contains(position))
                .boxed()
                .toList();
        assertThat(lost).as("lost").isEmpty();
        assertThat(byKey).hasSize(KEYS);
        byKey.values().forEach(positions -> assertThat(positions).isSorted());
        assertThat(status().deadLetters()).isZero();
    }

    @Override
    public void close() {
        postrider.close();
        database.close();
    }
}
