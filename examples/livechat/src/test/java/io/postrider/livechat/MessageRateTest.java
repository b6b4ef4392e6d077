package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("security")
class MessageRateTest {
    private static final Guest VISITOR = new Guest("v-1", LiveChat.PROJECT, false);
    private static final Guest OTHER = new Guest("v-2", LiveChat.PROJECT, false);

    /** About to overflow, as it may. */
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE);

    private final MessageRate rate = new MessageRate(nanos::get);

    @Test
    void after_a_burst_a_guest_waits_and_others_do_not() {
        rate.take(VISITOR, 100);
        rate.take(VISITOR, 100);
        assertRefused(1, 1);
        assertRefused(90, 4);
        rate.take(OTHER, 100);
        pass(Duration.ofSeconds(1));
        rate.take(VISITOR, MessageRate.PER_SECOND);
        assertRefused(1, 1);
    }

    @Test
    void an_auto_pilot_is_not_refused_though_it_sends_ten_seconds_at_once() {
        for (int stall = 0; stall < 3; stall++) {
            pass(Duration.ofSeconds(10));
            for (int i = 0; i < 4; i++) {
                rate.take(VISITOR, 50);
            }
        }
        pass(Duration.ofSeconds(1));
        for (int i = 0; i < 600; i++) {
            pass(Duration.ofMillis(50));
            rate.take(VISITOR, 1);
        }
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void assertRefused(int messages, long retryAfter) {
        assertThatThrownBy(() -> rate.take(VISITOR, messages)).isInstanceOfSatisfying(Refusal.class, refusal -> {
            assertThat(refusal.status()).isEqualTo(429);
            assertThat(refusal.retryAfter()).isEqualTo(retryAfter);
        });
    }
}
