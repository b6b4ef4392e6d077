package io.postrider.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is remembered of topics and queues. */
@Tag("security")
class KnownNamesTest {
    private final Set<String> existing = new HashSet<>();
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE); // overflows, as a clock of nanoseconds may
    private final KnownNames names = new KnownNames(existing::contains, now::get);

    @Test
    void a_name_that_exists_is_remembered() {
        existing.add("orders");
        assertThat(names.isFound("orders")).isFalse();
        assertThat(names.lookUp("orders")).isTrue();
        assertThat(names.isFound("orders")).isTrue();
        assertThat(names.isMissing("orders")).isFalse();
    }

    @Test
    void a_missing_name_is_remembered_for_a_second() {
        assertThat(names.isMissing("nope")).isFalse();
        assertThat(names.lookUp("nope")).isFalse();
        now.addAndGet(TimeUnit.MILLISECONDS.toNanos(900));
        assertThat(names.isMissing("nope")).isTrue();
        now.addAndGet(TimeUnit.MILLISECONDS.toNanos(200));
        assertThat(names.isMissing("nope")).isFalse();
        existing.add("nope");
        assertThat(names.lookUp("nope")).isTrue();
    }

    @Test
    void invented_names_take_little_memory() {
        String first = "nope0";
        for (int i = 0; i < 1_001; i++) {
            names.lookUp("nope" + i);
        }
        assertThat(names.isMissing(first)).isFalse();
        assertThat(names.isMissing("nope1000")).isTrue();
        String longest = "x".repeat(16_000);
        names.lookUp(longest);
        assertThat(names.isMissing(longest)).isFalse();
    }
}
