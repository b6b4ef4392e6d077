package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The formats of messages for subscribers that existed before Postrider. */
@Tag("once")
class MessageFormatTest {
    private static final UUID ID = UUID.fromString("6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e");

    private static LogEvent event(String payload) {
        return new LogEvent("t", 7, ID, "type", payload, null, null, null, null, null, "{}", Instant.EPOCH);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {}                                           | {"event_id":"ID"}
                     { }                                         | {"event_id":"ID"}
                    {"a": 1, "b": [1, {"c": "}"}]}               | {"event_id":"ID","a": 1,"b": [1, {"c": "}"}]}
                    {"event_id": "theirs", "a": 1.50}            | {"event_id":"ID","a": 1.50}
                    {"a": {"event_id": 1}, "event_id": {"x": 1}} | {"event_id":"ID","a": {"event_id": 1}}
                    {"event_id": [1, 2]}                         | {"event_id":"ID"}
                    {"event\\u005fid": 1, "\\\\u005f": 2}        | {"event_id":"ID","\\\\u005f": 2}
                    {"a\\"b": "c\\"}, {", "d": "\\\\"}           | {"event_id":"ID","a\\"b": "c\\"}, {","d": "\\\\"}
                    {"\\\\uzzzz": 1}                             | {"event_id":"ID","\\\\uzzzz": 1}
                    42                                           | {"event_id":"ID","payload":42}
                    "text"                                       | {"event_id":"ID","payload":"text"}
                    [{"event_id": 1}]                            | {"event_id":"ID","payload":[{"event_id": 1}]}
                    null                                         | {"event_id":"ID","payload":null}
                    """)
    void the_id_is_always_the_first_member_and_the_rest_is_unchanged(String payload, String message) {
        String text = MessageFormat.PAYLOAD_WITH_ID.text(event(payload));
        assertThat(text).isEqualTo(message.replace("ID", ID.toString()));
        Json.refuseUnlessObject("message", text);
    }

    @Test
    void the_payload_is_sent_as_it_is_and_the_default_is_the_envelope() {
        LogEvent event = event("{\"a\": 1.50}");
        assertThat(MessageFormat.PAYLOAD.text(event)).isEqualTo("{\"a\": 1.50}");
        assertThat(MessageFormat.CLOUD_EVENTS.text(event)).isEqualTo(Envelope.json(event));
        assertThat(MessageFormat.CLOUD_EVENTS.mediaType()).isEqualTo("application/cloudevents+json");
        assertThat(MessageFormat.PAYLOAD_WITH_ID.mediaType()).isEqualTo("application/json");
    }

    @Test
    void formats_are_found_by_their_word_and_others_are_refused() {
        for (MessageFormat format : MessageFormat.values()) {
            assertThat(MessageFormat.of(format.word())).isEqualTo(format);
        }
        assertThatThrownBy(() -> MessageFormat.of("avro\n"))
                .hasMessage("format must be cloudevents, payload or payload-with-id, was 'avro?'");
    }
}
