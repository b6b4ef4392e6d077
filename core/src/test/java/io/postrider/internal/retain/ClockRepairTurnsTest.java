package io.postrider.internal.retain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ClockRepairTurnsTest {
    private static final Duration ROUND = Duration.ofSeconds(2);

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private long nanos;
    private final ClockRepairTurns turns = new ClockRepairTurns(() -> nanos);

    @Test
    void with_a_steady_clock_it_searches_at_the_start_and_every_ten_minutes() {
        assertThat(search()).isTrue();
        assertThat(searches(Duration.ofMinutes(9))).isZero();
        assertThat(searches(Duration.ofMinutes(61))).isEqualTo(7);
    }

    @Test
    void after_the_clock_was_set_back_it_searches_at_once_and_twice_more_within_a_minute() {
        assertThat(search()).isTrue();
        searches(Duration.ofMinutes(1));
        now = now.minus(Duration.ofDays(40));
        nanos += ROUND.toNanos();
        assertThat(search()).isTrue();
        assertThat(searches(Duration.ofSeconds(70))).isEqualTo(2);
        assertThat(searches(Duration.ofMinutes(8))).isZero();
    }

    @Test
    void a_clock_that_jumps_ahead_or_is_set_back_by_a_second_causes_no_search() {
        assertThat(search()).isTrue();
        now = now.plus(Duration.ofDays(40));
        assertThat(searches(Duration.ofMinutes(1))).isZero();
        now = now.minusSeconds(1);
        assertThat(searches(Duration.ofMinutes(1))).isZero();
    }

    @Test
    void a_search_that_failed_is_repeated() {
        assertThat(turns.isDue(now)).isTrue();
        assertThat(searches(Duration.ofSeconds(31))).isEqualTo(1);
    }

    @Test
    void a_search_that_found_rows_is_repeated() {
        assertThat(turns.isDue(now)).isTrue();
        turns.searched(true);
        assertThat(searches(Duration.ofSeconds(31))).isEqualTo(1);
    }

    private int searches(Duration time) {
        int searches = 0;
        for (Duration passed = ROUND; passed.compareTo(time) <= 0; passed = passed.plus(ROUND)) {
            now = now.plus(ROUND);
            nanos += ROUND.toNanos();
            searches += search() ? 1 : 0;
        }
        return searches;
    }

    private boolean search() {
        boolean due = turns.isDue(now);
        if (due) {
            turns.searched(false);
        }
        return due;
    }
}
