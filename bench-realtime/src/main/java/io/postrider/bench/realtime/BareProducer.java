package io.postrider.bench.realtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.postrider.Envelope;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.load.Payloads;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The code one would write without a relay: a producer that sends continuously and waits at the end. Its records equal the
 * relay's.
 */
final class BareProducer implements AutoCloseable {
    private static final int READ = 1_000;

    /** Attributes that are the same in every event; their headers are shared to save memory. */
    private static final List<String> SAME = List.of("specversion", "source", "type", "datacontenttype", "topic");

    private final Broker broker;
    private final List<ProducerRecord<byte[], byte[]>> records;
    private final KafkaProducer<byte[], byte[]> producer;

    private BareProducer(
            Broker broker, List<ProducerRecord<byte[], byte[]>> records, KafkaProducer<byte[], byte[]> producer) {
        this.broker = broker;
        this.records = records;
        this.producer = producer;
    }

    static BareProducer open(Broker broker, BenchDatabase database, String topic, Map<String, Object> more, int events)
            throws Exception {
        broker.create(topic);
        return new BareProducer(broker, records(database, topic, events), producer(broker, topic, more));
    }

    /** Another producer with other settings and the same records, including their topic. */
    BareProducer with(String name, Map<String, Object> more) {
        return new BareProducer(broker, records, producer(broker, records.get(0).topic(), more));
    }

    private static KafkaProducer<byte[], byte[]> producer(Broker broker, String topic, Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("bootstrap.servers", broker.servers());
        settings.put("acks", "all");
        settings.put("enable.idempotence", true);
        KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        producer.partitionsFor(topic); // connected before the clock runs
        return producer;
    }

    /** Sends all of them, until the brokers have the last one. Returns records per second. */
    double send() {
        AtomicReference<Exception> failed = new AtomicReference<>();
        long began = System.nanoTime();
        for (ProducerRecord<byte[], byte[]> record : records) {
            Future<RecordMetadata> unused = producer.send(record, (metadata, error) -> {
                if (error != null) {
                    failed.set(error);
                }
            });
        }
        producer.flush();
        double seconds = (System.nanoTime() - began) / 1e9;
        Exception failure = failed.get();
        if (failure != null) {
            throw new IllegalStateException("the bare producer did not get through", failure);
        }
        return records.size() / seconds;
    }

    private static List<ProducerRecord<byte[], byte[]>> records(BenchDatabase database, String topic, int events) {
        Postrider postrider = Postrider.on(database.direct("bench-reader"));
        Map<String, Header> shared = new HashMap<>();
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>(events);
        for (long position = 0; position < events; ) {
            List<LogEvent> read = postrider.log().read(Payloads.TOPIC, position, READ);
            for (LogEvent event : read) {
                records.add(record(topic, event, shared));
                position = event.position();
            }
            if (read.isEmpty()) {
                throw new IllegalStateException("the log ends at " + position + " of " + events);
            }
        }
        return records;
    }

    /** As in the sink: CloudEvents in binary mode, and three headers that identify the relay. */
    private static ProducerRecord<byte[], byte[]> record(String topic, LogEvent event, Map<String, Header> shared) {
        List<Header> headers = new ArrayList<>();
        Envelope.attributes(event).forEach((name, value) -> {
            String header = name.equals("datacontenttype") ? "content-type" : "ce_" + name;
            headers.add(
                    SAME.contains(name)
                            ? shared.computeIfAbsent(header, h -> header(h, value))
                            : header(header, value));
        });
        headers.add(shared.computeIfAbsent("postrider_topic", h -> header(h, event.topic())));
        headers.add(header("postrider_position", Long.toString(event.position())));
        headers.add(shared.computeIfAbsent("postrider_course", h -> header(h, "bench-1/1")));
        String key = event.key();
        return new ProducerRecord<>(
                topic,
                null,
                event.createdAt().toEpochMilli(),
                key == null ? new byte[0] : key.getBytes(UTF_8),
                event.payload().getBytes(UTF_8),
                headers);
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, value.getBytes(UTF_8));
    }

    @Override
    public void close() {
        producer.close();
    }
}
