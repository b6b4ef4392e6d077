package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("security")
class BacklogTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE);
    private final AtomicLong waiting = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private final Backlog backlog = new Backlog(this::read, nanos::get);

    private long read() {
        reads.incrementAndGet();
        return waiting.get();
    }

    @Test
    void messages_that_were_accepted_count_before_the_number_is_read_again() {
        for (int i = 0; i < Backlog.MOST / 100; i++) {
            backlog.add(100);
        }
        assertRefused();
        assertThat(reads).hasValue(1);
    }

    @Test
    void messages_are_accepted_again_when_others_are_saved() {
        waiting.set(Backlog.MOST);
        assertRefused();
        waiting.set(Backlog.MOST - 1);
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        backlog.add(1);
        assertRefused();
    }

    private void assertRefused() {
        assertThatThrownBy(() -> backlog.add(1))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.status()).isEqualTo(503));
    }
}
