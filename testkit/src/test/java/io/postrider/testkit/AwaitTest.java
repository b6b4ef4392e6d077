package io.postrider.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {

    private static final Duration SHORT = Duration.ofMillis(30);

    @Test
    void it_looks_until_it_holds() {
        AtomicInteger looks = new AtomicInteger();
        Await.until("three looks", () -> looks.incrementAndGet() == 3);
        assertThat(looks).hasValue(3);
    }

    @Test
    void it_gives_the_value() {
        assertThat(Await.value("a word", SHORT, () -> Optional.of("word"))).isEqualTo("word");
    }

    @Test
    void what_throws_may_still_come_to_hold() {
        AtomicInteger looks = new AtomicInteger();
        Await.until("recovered", () -> {
            if (looks.incrementAndGet() < 3) {
                throw new IllegalStateException("starting up");
            }
            return true;
        });
    }

    @Test
    void the_failure_says_what_was_waited_for_and_why_not() {
        assertThatThrownBy(() -> Await.until("pigs fly", SHORT, () -> false))
                .isInstanceOf(AssertionError.class)
                .hasMessage("not within 30 ms: pigs fly");
        assertThatThrownBy(() -> Await.until("pigs fly", SHORT, () -> {
                    throw new IllegalStateException("no wings");
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("no wings")
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void an_interrupt_ends_it_and_is_not_swallowed() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Await.until("pigs fly", () -> false)).hasMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
    }
}
