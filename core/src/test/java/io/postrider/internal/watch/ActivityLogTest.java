package io.postrider.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.internal.watch.ActivityLog.Line;
import io.postrider.testkit.Await;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** How many lines about single events and jobs are logged, and what is said about the rest. */
@Tag("once")
class ActivityLogTest {
    private static final Logger SOME = LoggerFactory.getLogger("io.postrider.some");
    private static final Logger OWN = LoggerFactory.getLogger(ActivityLog.class);

    private final PrintStream before = System.err;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private int levelBefore;

    @BeforeEach
    void capture() throws Exception {
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        levelBefore = setLevel(SOME, Level.INFO.toInt());
        setLevel(OWN, Level.INFO.toInt());
    }

    @AfterEach
    void release() throws Exception {
        System.setErr(before);
        setLevel(SOME, levelBefore);
        setLevel(OWN, levelBefore);
    }

    @Test
    void with_a_rate_of_zero_lines_are_written_at_debug_only() throws Exception {
        try (ActivityLog log = new ActivityLog(0)) {
            assertThat(log.level(SOME, Line.JOB_CLAIMED)).isNull();
            setLevel(SOME, Level.DEBUG.toInt());
            assertThat(log.level(SOME, Line.JOB_CLAIMED)).isEqualTo(Level.DEBUG);
        }
        assertThat(leftOut()).isEmpty();
    }

    @Test
    void lines_beyond_the_rate_are_counted_for_each_kind_and_reported_once_per_interval() {
        try (ActivityLog log = new ActivityLog(3, Duration.ofMillis(50))) {
            long admitted = IntStream.range(0, 5_000)
                    .filter(i -> log.level(SOME, Line.JOB_CLAIMED) == Level.INFO)
                    .count();
            assertThat(admitted).as("a second may have begun in between").isBetween(3L, 6L);
            assertThat(log.level(SOME, Line.JOB_COMPLETED))
                    .as("another kind has its own rate")
                    .isEqualTo(Level.INFO);
            Await.until("all are reported", () -> sum("job_claimed") == 5_000 - admitted);
            assertThat(sum("job_completed")).isZero();
            assertThat(leftOut().get(0)).contains("rate=3", "outbox_enqueued=0", "outbox_publish_succeeded=0");
        }
    }

    @Test
    void what_was_left_out_last_is_reported_at_the_end() {
        try (ActivityLog log = new ActivityLog(1)) {
            IntStream.range(0, 100).forEach(i -> log.level(SOME, Line.OUTBOX_ENQUEUED));
            assertThat(leftOut()).as("not before the interval is over").isEmpty();
        }
        assertThat(leftOut()).hasSize(1);
        assertThat(sum("outbox_enqueued")).isBetween(98L, 99L);
    }

    @Test
    void at_debug_every_line_is_written_and_none_is_counted() throws Exception {
        setLevel(SOME, Level.DEBUG.toInt());
        try (ActivityLog log = new ActivityLog(1)) {
            assertThat(IntStream.range(0, 100)
                            .mapToObj(i -> log.level(SOME, Line.OUTBOX_ENQUEUED))
                            .toList())
                    .contains(Level.INFO, Level.DEBUG)
                    .doesNotContainNull();
        }
        assertThat(leftOut()).isEmpty();
    }

    @Test
    void a_text_from_outside_cannot_begin_a_line() {
        assertThat(ActivityLog.clean("a\nlevel=error\u001b")).isEqualTo("a?level=error?");
        assertThat(ActivityLog.clean(null)).isNull();
    }

    private List<String> leftOut() {
        return written.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("log_lines_left_out"))
                .toList();
    }

    private long sum(String kind) {
        return leftOut().stream()
                .mapToLong(line -> Long.parseLong(line.replaceAll(".* " + kind + "=(\\d+).*", "$1")))
                .sum();
    }

    /** SLF4J's simple logger reads its levels once, and tests log errors only. Returns the level before. */
    private static int setLevel(Logger logger, int level) throws ReflectiveOperationException {
        Field field = logger.getClass().getDeclaredField("currentLogLevel");
        field.setAccessible(true);
        int before = field.getInt(logger);
        field.setInt(logger, level);
        return before;
    }
}
