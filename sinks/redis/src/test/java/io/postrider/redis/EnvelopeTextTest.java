package io.postrider.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Envelope;
import io.postrider.LogEvent;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeTextTest {
    private static final LogEvent FULL = new LogEvent(
            "chat",
            42,
            UUID.fromString("0190a0a0-0000-7000-8000-000000000001"),
            "message:created",
            "{\"text\": \"ÄÖ 漢字 🐎 \\u0001 \\\" \\\\\", \"n\": 1.50, \"big\": 123456789012345678901234567890, \"x\": [1, {}, null]}",
            "a \"key\" \n 鍵",
            "p1",
            "u1",
            "message",
            "7",
            "{\"trace\": \"t1\"}",
            Instant.parse("2026-01-02T03:04:05.678901Z"));

    @Test
    void an_envelope_is_read_back_as_the_event_it_was() {
        assertThat(EnvelopeText.read(Envelope.json(FULL))).contains(FULL);
    }

    @Test
    void what_an_event_does_not_have_is_read_back_as_nothing() {
        LogEvent bare =
                new LogEvent("chat", 1, FULL.id(), "a", "{}", null, null, null, null, null, "{}", FULL.createdAt());
        assertThat(EnvelopeText.read(Envelope.json(bare))).contains(bare);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "\"\"",
                "\"a \\\" b\"",
                "1",
                "-0.0",
                "1e400",
                "1.50",
                "true",
                "null",
                "{\"a\": {\"data\": [\"}\"]}}",
                "123456789012345678901234567890"
            })
    void a_payload_is_kept_to_the_character(String payload) {
        LogEvent event =
                new LogEvent("chat", 1, FULL.id(), "a", payload, null, null, null, null, null, "{}", FULL.createdAt());
        assertThat(EnvelopeText.read(Envelope.json(event))).contains(event);
    }

    @Test
    void a_payload_that_nests_as_deep_as_core_allows_is_read() {
        String deep = "[".repeat(1_000) + "]".repeat(1_000);
        LogEvent event =
                new LogEvent("chat", 1, FULL.id(), "a", deep, null, null, null, null, null, "{}", FULL.createdAt());
        assertThat(EnvelopeText.read(Envelope.json(event))).contains(event);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "1",
                "[]",
                "{",
                "{}",
                "null",
                "{\"specversion\":\"1.0\"}",
                "{\"position\":1,\"position\":2}",
                "{\"specversion\":\"1.0\",\"id\":\"no\",\"type\":\"a\",\"time\":\"2026-01-02T03:04:05Z\",\"topic\":\"t\",\"position\":1,\"data\":{}}"
            })
    void what_is_no_envelope_is_nothing(String text) {
        assertThat(EnvelopeText.read(text)).isEmpty();
    }

    @Test
    void no_envelope_with_one_thing_wrong_is_taken() {
        String good = Envelope.json(FULL);
        assertThat(EnvelopeText.read(good.replace("\"position\":42", "\"position\":0")))
                .isEmpty();
        assertThat(EnvelopeText.read(good.replace("\"position\":42", "\"position\":-1")))
                .isEmpty();
        assertThat(EnvelopeText.read(good.replace("\"position\":42", "\"position\":1e3")))
                .isEmpty();
        assertThat(EnvelopeText.read(good.replace("\"position\":42", "\"position\":99999999999999999999")))
                .isEmpty();
        assertThat(EnvelopeText.read(good.replace("\"position\":42", "\"position\":\"42\"")))
                .isEmpty();
        assertThat(EnvelopeText.read(good.replace("\"time\":\"2026", "\"time\":\"x")))
                .isEmpty();
        assertThat(EnvelopeText.read(good.replace("\"1.0\"", "\"2.0\""))).isEmpty();
        assertThat(EnvelopeText.read(good + "x")).isEmpty();
        assertThat(EnvelopeText.read(good + good)).isEmpty();
        assertThat(EnvelopeText.read(good.substring(0, good.length() - 1))).isEmpty();
        assertThat(EnvelopeText.read("[".repeat(100_000))).isEmpty();
    }

    @Test
    void a_seal_opens_with_its_secret_on_its_channel_and_no_character_may_change() {
        Seal seal = new Seal("a secret of this test");
        String envelope = Envelope.json(FULL);
        String sealed = seal.seal("c", envelope);

        assertThat(seal.open("c", sealed)).contains(envelope);
        assertThat(EnvelopeText.read(sealed)).contains(FULL); // a stranger passes the seal over
        assertThat(new Seal("another secret here").open("c", sealed)).isEmpty();
        assertThat(seal.open("d", sealed)).isEmpty();
        assertThat(seal.open("c", envelope)).isEmpty();
        for (int i = 0; i < sealed.length(); i++) {
            char other = sealed.charAt(i) == 'x' ? 'y' : 'x';
            assertThat(seal.open("c", sealed.substring(0, i) + other + sealed.substring(i + 1)))
                    .as("character " + i)
                    .isEmpty();
        }
    }
}
