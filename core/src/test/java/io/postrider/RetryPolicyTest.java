package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class RetryPolicyTest {
    @Test
    void a_table_has_one_more_run_than_waits_and_its_waits_are_exact() {
        RetryPolicy policy = RetryPolicy.table(Duration.ofSeconds(30), Duration.ofMinutes(5));
        assertThat(policy.attempts()).isEqualTo(3);
        assertThat(policy.after(1)).contains(Duration.ofSeconds(30));
        assertThat(policy.after(2)).contains(Duration.ofMinutes(5));
        assertThat(policy.after(3)).isEmpty();
        assertThat(policy.after(4)).isEmpty();
        assertThat(policy).hasToString("3 attempts after [PT30S, PT5M]");
    }

    @Test
    void never_is_one_run() {
        assertThat(RetryPolicy.never().attempts()).isEqualTo(1);
        assertThat(RetryPolicy.never().after(1)).isEmpty();
    }

    @Test
    void an_exponential_policy_doubles_up_to_its_cap_and_ends_after_its_attempts() {
        RetryPolicy policy = RetryPolicy.exponential(5, Duration.ofSeconds(1), Duration.ofSeconds(3));
        long[] longest = {1_000, 2_000, 3_000, 3_000};
        for (int attempt = 1; attempt <= 4; attempt++) {
            assertThat(policy.after(attempt).orElseThrow().toMillis())
                    .as("after attempt " + attempt)
                    .isBetween(longest[attempt - 1] / 2, longest[attempt - 1]);
        }
        assertThat(policy.after(5)).isEmpty();
        assertThat(policy).hasToString("5 attempts, PT1S doubled up to PT3S");
    }

    @Test
    void jobs_are_tried_25_times_by_default() {
        RetryPolicy policy = RetryPolicy.defaults();
        assertThat(policy).hasToString("25 attempts, PT1S doubled up to PT3H");
        assertThat(policy.attempts()).isEqualTo(25);
        assertThat(policy.after(24)).isPresent();
        assertThat(policy.after(25)).isEmpty();
    }

    @Test
    void values_outside_the_limits_are_refused_by_name() {
        assertThatThrownBy(() -> RetryPolicy.table(Duration.ofSeconds(-1))).hasMessageContaining("retry wait must be");
        assertThatThrownBy(() -> RetryPolicy.exponential(0, Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .hasMessageContaining("attempts must be 1..1000000, was 0");
        assertThatThrownBy(() -> RetryPolicy.exponential(1, Duration.ZERO, Duration.ofSeconds(1)))
                .hasMessageContaining("backoff base must be");
        assertThatThrownBy(() -> RetryPolicy.exponential(1, Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessageContaining("backoff cap must be");
    }

    /** Dashboards and runbooks are written against these. */
    @Test
    void a_listener_has_5_attempts_waits_of_1_second_up_to_5_minutes_and_a_batch_of_100_by_default() {
        Listener listener = Listener.relay("mail", "orders", event -> {});
        assertThat(listener.attempts()).isEqualTo(5);
        assertThat(listener.backoff()).isEqualTo(Duration.ofSeconds(1));
        assertThat(listener.backoffCap()).isEqualTo(Duration.ofMinutes(5));
        assertThat(listener.batch()).isEqualTo(100);
    }
}
