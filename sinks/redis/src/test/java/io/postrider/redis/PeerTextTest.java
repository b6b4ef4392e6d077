package io.postrider.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An error message of a malicious Redis server is one short line without control characters. */
@Tag("security")
class PeerTextTest {
    @Test
    void line_breaks_control_characters_and_quotes_are_removed() {
        assertThat(PeerText.clean("ERR no\r\n2026 INFO \u001b[2Jforged\u202e field=\"x\""))
                .isEqualTo("ERR no 2026 INFO [2Jforged field='x'");
    }

    @Test
    void a_long_message_is_shortened() {
        assertThat(PeerText.clean("x".repeat(10_000))).isEqualTo("x".repeat(200) + "…");
        assertThat(PeerText.clean(null)).isEqualTo("null");
    }
}
