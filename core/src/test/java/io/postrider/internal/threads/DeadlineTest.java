package io.postrider.internal.threads;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class DeadlineTest {
    @Test
    void a_deadline_now_has_passed_and_one_in_an_hour_has_not() {
        assertThat(Deadline.now().isPassed()).isTrue();
        assertThat(Deadline.now().nanosLeft()).isLessThanOrEqualTo(0);
        Deadline later = Deadline.in(Duration.ofHours(1));
        assertThat(later.isPassed()).isFalse();
        assertThat(later.nanosLeft())
                .isBetween(Duration.ofMinutes(59).toNanos(), Duration.ofHours(1).toNanos());
    }

    @Test
    void the_earlier_of_two_deadlines_does_not_depend_on_the_order() {
        Deadline sooner = Deadline.in(Duration.ofSeconds(1));
        Deadline later = Deadline.in(Duration.ofDays(365));
        assertThat(sooner.earlier(later)).isSameAs(sooner);
        assertThat(later.earlier(sooner)).isSameAs(sooner);
    }
}
