package io.postrider.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StackTraceTextTest {
    @Test
    void the_text_has_the_causes_and_the_number_of_suppressed_exceptions() {
        IllegalStateException error = new IllegalStateException("outer", new RuntimeException("inner"));
        error.addSuppressed(new RuntimeException("beside"));
        assertThat(StackTraceText.of(error))
                .startsWith("java.lang.IllegalStateException: outer\n\tat io.postrider.internal.db.StackTraceTextTest.")
                .contains("Caused by: java.lang.RuntimeException: inner", "... 1 suppressed", " more")
                .doesNotContain("beside");
        assertThat(StackTraceText.of(null)).isNull();
    }

    @Test
    void the_text_is_bounded_and_contains_the_root_cause() {
        RuntimeException root = new IllegalArgumentException("root");
        RuntimeException deep = deep(1_000, new RuntimeException("ü".repeat(100_000) + "\0", root));
        String text = StackTraceText.of(deep);
        assertThat(text).isNotNull();
        assertThat(text.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(StackTraceText.LONGEST);
        assertThat(text).doesNotContain("\0").contains("IllegalArgumentException: root");
        RuntimeException wide = new RuntimeException("0");
        for (int i = 1; i < 100; i++) {
            wide = new RuntimeException("ü".repeat(3_000), wide);
        }
        text = StackTraceText.of(wide);
        assertThat(text.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(StackTraceText.LONGEST);
        assertThat(text).endsWith("... cut");
    }

    @Test
    void a_cycle_of_causes_ends_the_text() {
        RuntimeException first = new RuntimeException("first");
        RuntimeException second = new RuntimeException("second", first);
        first.initCause(second);
        assertThat(StackTraceText.of(first)).contains("first", "Caused by: java.lang.RuntimeException: second");
    }

    private static RuntimeException deep(int levels, RuntimeException cause) {
        return levels == 0 ? new RuntimeException("top", cause) : deep(levels - 1, cause);
    }
}
