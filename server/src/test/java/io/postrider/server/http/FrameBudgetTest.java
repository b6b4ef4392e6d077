package io.postrider.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FrameBudgetTest {
    private final AtomicLong frames = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong(-5);
    private final FrameBudget budget = new FrameBudget(FrameBudget.Limits.STREAMS, frames::get, nanos::get);

    private void pass(long seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void a_client_that_sends_a_token_of_the_largest_size_and_a_ping_every_three_seconds_may_go_on() {
        for (int i = 0; i < 1_000; i++) {
            frames.addAndGet(2);
            assertThat(budget.take(48 * 1024)).isTrue();
            pass(3);
        }
    }

    @Test
    void a_hundred_frames_may_come_at_once_and_two_per_second_afterwards() {
        frames.addAndGet(100);
        assertThat(budget.take(600)).isTrue();
        pass(1);
        frames.addAndGet(2);
        assertThat(budget.take(12)).isTrue();
        frames.addAndGet(1);
        assertThat(budget.take(6)).isFalse();
    }

    @Test
    void frames_that_were_not_sent_are_not_saved_up() {
        pass(3_600);
        frames.addAndGet(101);
        assertThat(budget.take(606)).isFalse();
    }

    @Test
    void bytes_of_a_single_frame_are_limited() {
        assertThat(budget.take(128 * 1024)).isTrue();
        assertThat(budget.take(1)).isFalse();
    }

    @Test
    void a_client_that_may_send_messages_sends_two_hundred_at_once_and_twenty_five_per_second() {
        FrameBudget chatty = new FrameBudget(FrameBudget.Limits.MESSAGES, frames::get, nanos::get);
        frames.addAndGet(200);
        assertThat(chatty.take(200 * 1024)).isTrue();
        for (int i = 0; i < 1_000; i++) {
            pass(1);
            frames.addAndGet(25);
            assertThat(chatty.take(25 * 1024)).isTrue();
        }
        frames.addAndGet(601);
        assertThat(chatty.take(0)).isFalse();
    }
}
