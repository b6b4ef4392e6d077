package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.internal.db.SchemaName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("once")
class OptionsTest {
    @Test
    void the_environment_switches_notify_and_poll() {
        Options options =
                Options.defaults().withEnvironment(Map.of("POSTRIDER_NOTIFY", "off", "POSTRIDER_POLL", "250ms"));
        assertThat(options.notifies()).isFalse();
        assertThat(options.poll()).isEqualTo(Duration.ofMillis(250));
        assertThat(options.withEnvironment(Map.of("POSTRIDER_NOTIFY", "on", "POSTRIDER_POLL", "2s")))
                .satisfies(changed -> {
                    assertThat(changed.notifies()).isTrue();
                    assertThat(changed.poll()).isEqualTo(Duration.ofSeconds(2));
                });
    }

    @ParameterizedTest
    @CsvSource({"30s, PT30S", "60s, PT1M", "5m, PT5M", "10ms, PT0.01S"})
    void the_poll_takes_any_value_up_to_5_minutes(String variable, Duration poll) {
        assertThat(Options.defaults()
                        .withEnvironment(Map.of("POSTRIDER_POLL", variable))
                        .poll())
                .isEqualTo(poll);
    }

    @Test
    void the_log_rate_is_off_by_default_and_bounded() {
        assertThat(Options.defaults().logRate()).isZero();
        assertThat(Options.defaults().withLogRate(100).withNode("n").logRate()).isEqualTo(100);
        assertThatThrownBy(() -> Options.defaults().withLogRate(-1)).hasMessage("log rate must be 0..1000000, was -1");
    }

    @Test
    void unset_variables_change_no_option() {
        Options options = Options.defaults().withNotify(false).withPoll(Duration.ofMillis(20));
        assertThat(options.withEnvironment(Map.of("POSTRIDER_NOTIFY", "")).toString())
                .isEqualTo(options.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "POSTRIDER_NOTIFY, yes, 'must be on or off, was ''yes'''",
        "POSTRIDER_POLL, 5, 'must be a time such as 500ms, 30s or 5m, was ''5'''",
        "POSTRIDER_POLL, -1s, 'must be a time such as 500ms, 30s or 5m, was ''-1s'''",
        "POSTRIDER_POLL, 1ms, 'poll must be 10ms..5m, was 1ms'",
        "POSTRIDER_POLL, 6m, 'poll must be 10ms..5m, was 6m'",
        "POSTRIDER_POLL, 1h, 'must be a time such as 500ms, 30s or 5m, was ''1h'''"
    })
    void another_value_is_refused_by_name(String variable, String value, String says) {
        assertThatThrownBy(() -> Options.defaults().withEnvironment(Map.of(variable, value)))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining(says);
    }

    /** The API does not depend on the class that puts the name into statements, so both check it. */
    @Test
    void options_and_statements_accept_the_same_schema_names() {
        for (String name :
                List.of("a", "acme_2", "a".repeat(41), "a".repeat(42), "", "2a", "A", "a-b", "a b", "pg_a")) {
            assertThat(isAccepted(() -> Options.defaults().withSchema(name)))
                    .as(name)
                    .isEqualTo(isAccepted(() -> SchemaName.of(name)));
        }
    }

    private static boolean isAccepted(Runnable check) {
        try {
            check.run();
            return true;
        } catch (PostriderException e) {
            return false;
        }
    }
}
