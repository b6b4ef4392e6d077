package io.postrider.gateway.jakarta;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The memory of a message that is not complete. */
@Tag("security")
class MessageBufferTest {
    @Test
    void a_message_takes_no_more_memory_than_it_may_have() {
        MessageBuffer buffer = new MessageBuffer(16_384);
        int pieces = 0;
        while (buffer.add("\u20ac".repeat(100))) {
            pieces++;
            assertThat(buffer.capacity()).isLessThanOrEqualTo(16_384);
        }
        assertThat(pieces).isEqualTo(16_384 / 300);
        assertThat(buffer.take()).isEqualTo("\u20ac".repeat(100 * pieces));
        assertThat(buffer.capacity()).isZero();
    }

    @Test
    void a_message_may_have_exactly_its_maximum() {
        MessageBuffer buffer = new MessageBuffer(10);
        assertThat(buffer.add("123456")).isTrue();
        assertThat(buffer.add("78901")).isFalse();
        assertThat(buffer.add("7890")).isTrue();
        assertThat(buffer.add("")).isTrue();
        assertThat(buffer.take()).isEqualTo("1234567890");
        assertThat(buffer.take()).isEmpty();
    }

    @Test
    void a_character_may_be_in_two_pieces() {
        String text = "a\ud83d\udc0eb";
        MessageBuffer buffer = new MessageBuffer(10);
        for (char one : text.toCharArray()) {
            assertThat(buffer.add(String.valueOf(one))).isTrue();
        }
        assertThat(buffer.take()).isEqualTo(text);
    }
}
