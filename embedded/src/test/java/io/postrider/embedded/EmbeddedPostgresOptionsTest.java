package io.postrider.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class EmbeddedPostgresOptionsTest {

    private final EmbeddedPostgresOptions defaults = EmbeddedPostgresOptions.defaults();

    @Test
    void defaults_are_a_temporary_18_on_a_free_port() {
        assertThat(defaults.version()).isEqualTo("18");
        assertThat(defaults.dataDirectory()).isEmpty();
        assertThat(defaults.binaries()).isEmpty();
        assertThat(defaults.settings()).isEmpty();
        assertThat(defaults.port()).isZero();
    }

    @Test
    void each_with_makes_a_new_one_and_leaves_the_old() {
        EmbeddedPostgresOptions changed = defaults.withVersion("14")
                .withDataDirectory(Path.of("data"))
                .withSetting("work_mem", "1MB")
                .withSetting("work_mem", "8MB")
                .withPort(5433)
                .withStartTimeout(Duration.ofSeconds(5));

        assertThat(changed.version()).isEqualTo("14");
        assertThat(changed.dataDirectory()).contains(Path.of("data").toAbsolutePath());
        assertThat(changed.settings()).containsExactly(java.util.Map.entry("work_mem", "8MB"));
        assertThat(changed.port()).isEqualTo(5433);
        assertThat(defaults.settings()).isEmpty();
    }

    @Test
    void bad_values_are_refused_by_name() {
        assertThatThrownBy(() -> defaults.withVersion("18.6"))
                .hasMessage("version must be a major version such as 18, was 18.6");
        assertThatThrownBy(() -> defaults.withPort(-1)).hasMessage("port must be 0..65535, was -1");
        assertThatThrownBy(() -> defaults.withSetting("work mem", "1"))
                .hasMessageStartingWith("setting must be a name");
        assertThatThrownBy(() -> defaults.withSetting("port", "1")).hasMessageEndingWith("use withPort");
        assertThatThrownBy(() -> defaults.withSetting("work_mem", "1\nfsync=off"))
                .hasMessage("setting work_mem must be one line without control characters");
        assertThatThrownBy(() -> defaults.withStartTimeout(Duration.ZERO))
                .hasMessageStartingWith("startTimeout must be");
    }
}
