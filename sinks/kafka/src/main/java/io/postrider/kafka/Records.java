package io.postrider.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.postrider.Envelope;
import io.postrider.LogEvent;
import io.postrider.MessageFormat;
import io.postrider.RelayEpoch;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Converts an event to a record: CloudEvents in binary mode, so the value is just the payload, with one header per attribute; or a
 * payload format, with the id and the type as headers. Three additional headers identify the relay, by which {@link LookBack}
 * recognises its own records in any format: a relay whose format was changed finds those of the other one.
 */
final class Records {
    static final String TOPIC = "postrider_topic";
    static final String POSITION = "postrider_position";
    static final String COURSE = "postrider_course";

    private static final String ID = "ce_id";
    private static final String TYPE = "event_type";

    /** The number of attributes of {@link Envelope}. */
    private static final Map<String, String> HEADERS =
            new ConcurrentHashMap<>(Map.of("datacontenttype", "content-type"));

    private final String kafkaTopic;
    private final byte[] topic;
    private final byte[] epoch;
    private final MessageFormat format;

    Records(String kafkaTopic, RelayEpoch epoch, MessageFormat format) {
        this.format = format;
        this.kafkaTopic = kafkaTopic;
        this.topic = epoch.topic().getBytes(UTF_8);
        this.epoch = (epoch.relay() + "/" + epoch.number()).getBytes(UTF_8);
    }

    ProducerRecord<byte @Nullable [], byte[]> of(LogEvent event) {
        byte[] key = event.key() == null ? null : event.key().getBytes(UTF_8);
        ProducerRecord<byte @Nullable [], byte[]> record = new ProducerRecord<>(
                kafkaTopic,
                null,
                event.createdAt().toEpochMilli(),
                key,
                value(event, format).getBytes(UTF_8));
        Headers headers = record.headers();
        if (format == MessageFormat.CLOUD_EVENTS) {
            Envelope.attributes(event)
                    .forEach((name, value) ->
                            headers.add(HEADERS.computeIfAbsent(name, "ce_"::concat), value.getBytes(UTF_8)));
        } else {
            headers.add(MessageFormat.EVENT_ID, event.id().toString().getBytes(UTF_8));
            headers.add(TYPE, event.type().getBytes(UTF_8));
            headers.add("content-type", format.mediaType().getBytes(UTF_8));
        }
        headers.add(TOPIC, topic);
        headers.add(POSITION, Long.toString(event.position()).getBytes(UTF_8));
        headers.add(COURSE, epoch);
        return record;
    }

    /** The value of a record. In CloudEvents' binary mode the envelope is in the headers. */
    static String value(LogEvent event, MessageFormat format) {
        return format == MessageFormat.CLOUD_EVENTS ? event.payload() : format.text(event);
    }

    /** The relay that wrote the record, and its position. */
    record Mark(String relay, String topic, long number, long position, UUID id) {}

    /** Null if the record is not ours: others may write anything to the topic as well. */
    static @Nullable Mark mark(ConsumerRecord<?, ?> record) {
        Headers headers = record.headers();
        String epoch = text(headers.lastHeader(COURSE));
        int slash = epoch.lastIndexOf('/');
        Header id = headers.lastHeader(ID);
        if (slash < 0) {
            return null;
        }
        try {
            return new Mark(
                    epoch.substring(0, slash),
                    text(headers.lastHeader(TOPIC)),
                    Long.parseLong(epoch.substring(slash + 1)),
                    Long.parseLong(text(headers.lastHeader(POSITION))),
                    UUID.fromString(text(id == null ? headers.lastHeader(MessageFormat.EVENT_ID) : id)));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static String text(@Nullable Header header) {
        return header == null || header.value() == null ? "" : new String(header.value(), UTF_8);
    }
}
