package io.postrider.internal.retain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ClockGuardTest {
    private final Instant start = Instant.parse("2026-01-01T00:00:00Z");
    private long nanos;
    private final ClockGuard guard = new ClockGuard(() -> nanos);

    @Test
    void a_clock_that_runs_normally_or_goes_back_is_trusted() {
        assertThat(guard.isBelieved(start)).isTrue();
        pass(Duration.ofDays(3));
        assertThat(guard.isBelieved(start.plus(Duration.ofDays(3)))).isTrue();
        pass(Duration.ofSeconds(2));
        assertThat(guard.isBelieved(start)).isTrue();
    }

    @Test
    void after_a_jump_ahead_nothing_is_removed_until_it_is_back_or_an_hour_has_passed() {
        assertThat(guard.isBelieved(start)).isTrue();
        pass(Duration.ofSeconds(2));
        Instant ahead = start.plus(Duration.ofDays(40));
        assertThat(guard.isBelieved(ahead)).isFalse();
        pass(Duration.ofSeconds(2));
        assertThat(guard.isBelieved(start.plusSeconds(4))).isTrue();
        pass(Duration.ofSeconds(2));
        assertThat(guard.isBelieved(ahead)).isFalse();
        pass(Duration.ofMinutes(59));
        assertThat(guard.isBelieved(ahead.plus(Duration.ofMinutes(59)))).isFalse();
        pass(Duration.ofMinutes(2));
        assertThat(guard.isBelieved(ahead.plus(Duration.ofMinutes(61)))).isTrue();
        pass(Duration.ofSeconds(2));
        assertThat(guard.isBelieved(ahead.plus(Duration.ofMinutes(62)))).isTrue();
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }
}
