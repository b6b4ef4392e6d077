package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class BackoffTest {
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
    private static final Backoff BACKOFF_OF_JOBS = new Backoff(Duration.ofSeconds(1), Duration.ofHours(3));

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

    @Test
    void of_jobs_that_fail_at_the_same_moment_no_tenth_of_the_wait_has_more_than_its_share_of_retries() {
        RetryPolicy policy = RetryPolicy.defaults();
        for (int attempt = 1; attempt <= 10; attempt++) {
            long longest = BACKOFF_OF_JOBS.exact(attempt).toMillis();
            int[] tenths = new int[10];
            for (int job = 0; job < 10_000; job++) {
                long wait = policy.after(attempt).orElseThrow().toMillis();
                tenths[(int) Math.min(9, (wait - longest / 2) * 20 / longest)]++;
            }
            assertThat(Arrays.stream(tenths).max().orElseThrow())
                    .as("peak after attempt " + attempt)
                    .isLessThanOrEqualTo(1_500);
        }
    }

    /** A thousand relays lose their destination at the same moment. From the second minute on they try at an even rate. */
    @Test
    void those_who_try_for_minutes_drift_apart_and_their_peak_is_at_most_half_above_the_mean() {
        Backoff trying = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10));
        long end = Duration.ofMinutes(10).toMillis();
        int[] perSecond = new int[(int) (end / 1_000)];
        for (int relay = 0; relay < 1_000; relay++) {
            long at = 0;
            for (int attempt = 1; at < end; attempt++) {
                perSecond[(int) (at / 1_000)]++;
                at += trying.jittered(attempt).toMillis();
            }
        }
        int[] later = Arrays.copyOfRange(perSecond, 120, perSecond.length);
        double mean = Arrays.stream(later).average().orElseThrow();
        assertThat((double) Arrays.stream(later).max().orElseThrow()).isLessThanOrEqualTo(1.5 * mean);
    }
}
