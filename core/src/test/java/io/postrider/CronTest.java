package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
class CronTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "* * * * *|UTC|2026-01-01T00:00:30Z|2026-01-01T00:01:00Z",
                "0 3 * * *|UTC|2026-01-01T03:00:00Z|2026-01-02T03:00:00Z",
                "*/15 * * * *|UTC|2026-01-01T10:46:00Z|2026-01-01T11:00:00Z",
                "5/20 * * * *|UTC|2026-01-01T10:46:00Z|2026-01-01T11:05:00Z",
                "0 9-17/4 * * mon-fri|UTC|2026-01-02T17:00:00Z|2026-01-05T09:00:00Z",
                "0 0 13 * fri|UTC|2026-02-01T00:00:00Z|2026-02-06T00:00:00Z",
                "0 0 29 2 *|UTC|2026-01-01T00:00:00Z|2028-02-29T00:00:00Z",
                "0 0 * * 7|UTC|2026-01-01T00:00:00Z|2026-01-04T00:00:00Z",
                "0 0 1 jan,jul *|UTC|2026-01-01T00:00:00Z|2026-07-01T00:00:00Z",
                "@hourly|UTC|2026-01-01T00:00:00Z|2026-01-01T01:00:00Z",
                "30 9 * * *|Asia/Kolkata|2026-01-01T00:00:00Z|2026-01-01T04:00:00Z"
            })
    void the_next_tick_follows_the_expression(String cron, String zone, Instant after, Instant next) {
        assertThat(Cron.of(cron, zone).after(after)).isEqualTo(next);
    }

    /** Berlin 2026: 29 March 02:00 → 03:00, 25 October 03:00 → 02:00. */
    @Test
    void a_skipped_time_ticks_after_the_dst_gap_and_a_repeated_time_ticks_once() {
        assertThat(ticks("30 2 * * *", "2026-03-28T12:00:00Z", 2))
                .containsExactly("2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z");
        assertThat(ticks("30 2 * * *", "2026-10-24T12:00:00Z", 2))
                .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
    }

    @Test
    void a_half_hourly_schedule_follows_elapsed_time() {
        assertThat(ticks("*/30 * * * *", "2026-03-29T00:15:00Z", 4))
                .containsExactly(
                        "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:00:00Z");
        assertThat(ticks("*/30 * * * *", "2026-10-25T00:15:00Z", 5))
                .containsExactly(
                        "2026-10-25T00:30:00Z",
                        "2026-10-25T01:00:00Z",
                        "2026-10-25T01:30:00Z",
                        "2026-10-25T02:00:00Z",
                        "2026-10-25T02:30:00Z");
    }

    @Test
    void a_daily_schedule_ticks_once_on_every_day_of_a_year_in_every_zone() {
        for (String id : ZoneId.getAvailableZoneIds()) {
            Cron cron = Cron.of("15 2 * * *", id);
            ZoneId zone = ZoneId.of(id);
            Instant now = Instant.parse("2026-01-01T12:00:00Z");
            List<Object> days = new ArrayList<>();
            while (now.isBefore(Instant.parse("2027-01-01T12:00:00Z"))) {
                now = cron.after(now);
                days.add(now.atZone(zone).toLocalDate());
            }
            assertThat(days).as(id).doesNotHaveDuplicates().hasSizeBetween(365, 367);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "* * * *",
                "60 * * * *",
                "* 24 * * *",
                "* * 0 * *",
                "* * * 13 *",
                "* * * * 8",
                "*/0 * * * *",
                "5-1 * * * *",
                "a * * * *",
                "1-2-3 * * * *",
                "* * 31 2 *",
                "1,,2 * * * *",
                "*/5/5 * * * *"
            })
    void a_malformed_expression_is_refused_with_the_reason(String cron) {
        assertThatThrownBy(() -> Cron.of(cron, "UTC")).hasMessageStartingWith("cron ");
    }

    @Test
    void a_zone_that_does_not_exist_is_refused() {
        assertThatThrownBy(() -> Cron.of("* * * * *", "Europe/Atlantis"))
                .hasMessage("zone must be a time zone such as Europe/Berlin or UTC, was 'Europe/Atlantis'");
    }

    private static List<String> ticks(String cron, String from, int count) {
        List<String> ticks = new ArrayList<>();
        Instant now = Instant.parse(from);
        for (int i = 0; i < count; i++) {
            now = Cron.of(cron, "Europe/Berlin").after(now);
            ticks.add(now.toString());
        }
        return ticks;
    }
}
