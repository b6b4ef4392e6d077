package io.postrider.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Listeners;
import io.postrider.admin.Queues;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.AnsiColours;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The dashboard, on made-up readings. */
class DashboardTest {
    private final DemoCounters counters = new DemoCounters();
    private final Dashboard dashboard = new Dashboard(
            new AnsiColours(false),
            counters,
            "http://127.0.0.1:8080/",
            "PostgreSQL 18.6, durable",
            new Instructions(
                    54_321, "postgres", "demo", Path.of("/tmp/postrider-postgres1234567890/password"), "./postrider"));

    @ParameterizedTest
    @CsvSource({"80, 24", "100, 28", "130, 34", "200, 60"})
    void every_part_of_the_dashboard_fits_on_the_screen(int columns, int rows) {
        List<String> lines = dashboard.lines(history(), new Terminal.Size(columns, rows), "Ctrl-C ends it");
        assertThat(lines)
                .hasSizeLessThanOrEqualTo(rows)
                .allSatisfy(line -> assertThat(line).hasSizeLessThan(columns));
        assertThat(String.join("\n", lines))
                .contains("LISTENER", "● ledger", "● mail", "● flaky")
                .contains("QUEUE", "● parcels", "● receipts", "FAILURES", "IN ANOTHER TERMINAL", "Ctrl-C ends it");
    }

    @Test
    void the_numbers_of_a_queue_are_below_their_headings() {
        List<String> lines = dashboard.lines(history(), new Terminal.Size(80, 24), "");
        assertThat(lines)
                .contains(
                        " QUEUE       DEPTH RUNNING SCHEDULED  DONE/S  RETRIES  DEAD     OLDEST  STATE",
                        " ● receipts      0       2         1       0        0     3          –  paused")
                .anyMatch(line -> line.matches(
                        " ● parcels   1,234       4        25      20        0     0     6\\d\\.\\d s  working"));
    }

    @Test
    void the_plain_view_prints_the_same_numbers_in_one_line() {
        assertThat(dashboard.plain(history()))
                .endsWith("  parcels 40 (-1234) scheduled 25  receipts 0 scheduled 1 dead 3");
    }

    private static ReadingHistory history() {
        ReadingHistory history = new ReadingHistory();
        history.add(reading(Duration.ofSeconds(8), 0));
        history.add(reading(Duration.ofSeconds(10), 40));
        return history;
    }

    private static Reading reading(Duration elapsed, long packed) {
        return new Reading(
                elapsed,
                1_000,
                400,
                30,
                1_000,
                Stream.of(DemoListeners.LEDGER, DemoListeners.MAIL, DemoListeners.FLAKY)
                        .map(DashboardTest::listener)
                        .toList(),
                List.of(
                        new QueueReading(
                                queue(
                                        DemoWorkers.PARCELS,
                                        1_234,
                                        25,
                                        4,
                                        Instant.now().minusSeconds(60),
                                        0,
                                        false),
                                packed),
                        new QueueReading(queue(DemoWorkers.RECEIPTS, 0, 1, 2, null, 3, true), 0)));
    }

    private static Listeners.Status listener(String name) {
        return new Listeners.Status(
                name,
                Shop.TOPIC,
                "relay",
                "park",
                990,
                1_000,
                10,
                null,
                0,
                null,
                null,
                0,
                0,
                false,
                null,
                "here",
                "live",
                null,
                null);
    }

    private static Queues.Status queue(
            String name, long depth, long scheduled, long running, Instant oldest, long dead, boolean paused) {
        return new Queues.Status(name, depth, scheduled, running, oldest, 1.0, dead, paused, null, null, null, null);
    }
}
