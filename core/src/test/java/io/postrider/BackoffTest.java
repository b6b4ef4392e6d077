package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class BackoffTest {
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

    @Test
    void waits_double_from_the_base_up_to_the_cap() {
        List<Long> waits = IntStream.rangeClosed(1, 8)
                .mapToObj(attempt -> BACKOFF.exact(attempt).toMillis())
                .toList();
        assertThat(waits).containsExactly(100L, 200L, 400L, 800L, 1_600L, 3_200L, 5_000L, 5_000L);
    }

    @Test
    void the_number_of_attempts_does_not_overflow() {
        assertThat(BACKOFF.exact(Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(5));
        Duration century = Duration.ofDays(36_500);
        assertThat(new Backoff(century, century).exact(1_000_000)).isEqualTo(century);
        assertThat(new Backoff(Duration.ofMillis(3), century).exact(1_000_000)).isEqualTo(century);
    }

    @Test
    void a_wait_is_at_least_a_millisecond() {
        assertThat(new Backoff(Duration.ofNanos(1), Duration.ofNanos(1)).exact(3))
                .isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void jitter_spreads_a_wait_from_half_of_it_to_all_of_it() {
        List<Long> waits = IntStream.range(0, 10_000)
                .mapToObj(i -> BACKOFF.jittered(3).toMillis())
                .toList();
        assertThat(waits).allMatch(wait -> wait >= 200 && wait <= 400);
        assertThat(waits).anyMatch(wait -> wait < 220).anyMatch(wait -> wait > 380);
    }
}
