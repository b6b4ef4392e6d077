package io.postrider;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The format of the messages that a sink sends, or that a gateway streams. The default is CloudEvents; the others are for subscribers
 * that exist already and expect the payload itself.
 */
public enum MessageFormat {
    /** An {@link Envelope}: CloudEvents 1.0 with topic and position. */
    CLOUD_EVENTS("cloudevents", Envelope.MEDIA_TYPE) {
        @Override
        public String text(LogEvent event) {
            return Envelope.json(event);
        }
    },

    /** The payload, unchanged. A subscriber cannot tell duplicates apart unless the payload itself has an id. */
    PAYLOAD("payload", "application/json") {
        @Override
        public String text(LogEvent event) {
            return event.payload();
        }
    },

    /**
     * The payload as an object whose first member, {@code event_id}, is the id of the event. A member of the payload with this name is
     * replaced: the value is always the id by which duplicates are recognised. A payload that is not an object becomes the member
     * {@code payload}: {@code {"event_id":"…","payload":42}}.
     */
    PAYLOAD_WITH_ID("payload-with-id", "application/json") {
        @Override
        public String text(LogEvent event) {
            return PayloadWithId.of(event);
        }
    };

    /** The name of the id in messages and in the headers of the two payload formats. */
    public static final String EVENT_ID = "event_id";

    private static final Map<String, MessageFormat> BY_WORD =
            Arrays.stream(values()).collect(Collectors.toMap(MessageFormat::word, format -> format));

    private final String word;
    private final String mediaType;

    MessageFormat(String word, String mediaType) {
        this.word = word;
        this.mediaType = mediaType;
    }

    /** The event in this format, as JSON text. */
    public abstract String text(LogEvent event);

    /** The media type of {@link #text}. */
    public String mediaType() {
        return mediaType;
    }

    /** The word for it in settings: {@code cloudevents}, {@code payload} or {@code payload-with-id}. */
    public String word() {
        return word;
    }

    /** The {@link #word}. */
    @Override
    public String toString() {
        return word;
    }

    /** The format with this word. Refuses others by name. */
    public static MessageFormat of(String word) {
        MessageFormat format = BY_WORD.get(Refuse.missing("format", word));
        if (format == null) {
            throw PostriderException.refused(
                    "format must be cloudevents, payload or payload-with-id, was '" + Refuse.shortened(word) + "'");
        }
        return format;
    }
}
