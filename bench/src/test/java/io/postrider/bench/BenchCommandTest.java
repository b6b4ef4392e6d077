package io.postrider.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.bench.database.Statements;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** That every scenario runs and tells its figures; what they are is not a test's business. */
@Tag("slow")
@PostgresTest
class BenchCommandTest {
    private static final Scale TINY = new Scale(
            "tiny",
            1,
            4,
            Duration.ofMillis(60),
            Duration.ofMillis(60),
            1,
            Duration.ofMillis(200),
            Duration.ofMillis(60),
            200,
            3_000,
            1_000,
            4_000,
            3,
            60,
            new Scale.Jobs(2_000, 200, Duration.ofMillis(300), 300, 1_500),
            new Scale.Realtime(2, 20, Duration.ofMillis(200), 0, 2, 10, 100));

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void every_log_scenario_reports_its_figures_as_json_and_as_a_table(TestDatabase database) throws Exception {
        Map<String, Parsed> figures = figuresOf(
                "log",
                database,
                "producers.rate",
                "producers.rate_vs_notifying",
                "producers.burst_rate",
                "producers.burst_rate_vs_notifying",
                "producers.no_node.rate",
                "producers.postrider.wal",
                "latency.p50",
                "latency.p99",
                "latency.postrider.commits",
                "held.writer.rate",
                "held.writer.p50",
                "held.writer.p99",
                "held.writer.dead_tuples",
                "held.reader.rate",
                "held.reader.p50",
                "held.reader.p99",
                "held.reader.dead_tuples",
                "drain.one",
                "drain.one_vs_pgq",
                "drain.eight",
                "drain.read_buffers",
                "flat.pass_1",
                "flat.pass_100",
                "flat.read_1_head",
                "flat.read_100_middle",
                "flat.many.pass_100.buffers");
        assertThat(figures.get("producers.rate").ratio()).isNotNull().isPositive();
        assertThat(figures.get("producers.rate").goal()).isEqualTo(">= 0.85 x plain inserts");
        assertThat(text(err)).contains("bench log", "producers.rate", "goals met");
    }

    @Test
    void every_jobs_scenario_reports_its_figures_as_json_and_as_a_table(TestDatabase database) throws Exception {
        Map<String, Parsed> figures = figuresOf(
                "jobs",
                database,
                "burn_down.postrider",
                "burn_down.postrider_vs_leased",
                "burn_down.sequencing",
                "burn_down.leased.wal",
                "steady.rate",
                "steady.free.pickup_p50",
                "steady.free.pickup_p99",
                "steady.free.commits",
                "steady.held.rate",
                "steady.held.pickup_p99",
                "steady.held.dead_tuples",
                "steady.held.wal",
                "job_latency.p50",
                "job_latency.p99",
                "job_latency.bare.p50",
                "job_latency.postrider.commits",
                "claim_flat.claim",
                "claim_flat.nothing_due",
                "claim_flat.full.claim.buffers",
                "claim_flat.full.wal",
                "claim_flat.empty.commits");
        assertThat(figures.get("steady.rate").goal()).isEqualTo(">= 0.99 x offered rate");
        assertThat(figures.get("job_latency.p50").goal()).isEqualTo("<= 2.5 x bare loop");
        assertThat(figures.get("claim_flat.claim").goal()).isEqualTo("<= 1.2 x empty system");
        assertThat(figures.get("burn_down.postrider.wal").unit()).isEqualTo("bytes/job");
        assertThat(text(err)).contains("bench jobs", "steady.rate", "goals met");
    }

    @Test
    void one_scenario_runs_alone_on_a_server_of_its_own() {
        int code = run("log", "--only", "flat", "--rounds", "2");

        assertThat(code).as(text(err)).isZero();
        assertThat(text(out)).contains("flat.pass_1", "fsync=on", "median of 2").doesNotContain("producers.rate");
    }

    @Test
    void the_ways_to_read_an_outbox_are_compared_and_only_the_plain_cursor_needs_luck() {
        int code = run("alternatives", "--rounds", "1");

        assertThat(code).as(text(err)).isZero();
        assertThat(text(out))
                .contains("cursor.lost", "contiguous.rollback", "margin.p50", "commit_timestamp.p99")
                .contains("high_water_mark.open", "postrider.rollback")
                .containsPattern("postrider.lost +0 +events +< 1 +yes");
    }

    @Test
    void a_way_that_the_server_cannot_support_is_left_out(TestDatabase database) throws Exception {
        figuresOf("alternatives", database, "cursor.lost", "high_water_mark.lost", "postrider.lost");

        assertThat(text(err)).contains("commit_timestamp: left out").doesNotContain("commit_timestamp.lost");
    }

    @Test
    void an_unknown_suite_prints_the_usage() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("job")).isEqualTo(2);
        assertThat(run("realtime")).isEqualTo(2);
        assertThat(run("jobs", "--only", "drain")).isEqualTo(2);
        assertThat(run("log", "--only", "producer")).isEqualTo(2);
        assertThat(run("log", "--rounds", "0")).isEqualTo(2);
        assertThat(run("log", "--rounds")).isEqualTo(2);
        assertThat(run("log", "--fast")).isEqualTo(2);
        assertThat(text(err))
                .contains("bench needs a suite: log, jobs, realtime or alternatives")
                .contains("no such bench 'job'; there are: log, jobs, realtime, alternatives")
                .contains("bench realtime is not on the class path; start it by the script: ./postrider bench realtime")
                .contains("--only must be one of burn_down, steady, job_latency, claim_flat, was 'drain'")
                .contains("--only must be one of producers, latency, held, drain, flat, was 'producer'")
                .contains("--rounds must be 1..1000, was '0'")
                .contains("no such option '--fast'")
                .contains("postrider bench log --short", "one of: burn_down, steady, job_latency, claim_flat");
        assertThat(text(out)).isEmpty();
    }

    @Test
    void an_unreachable_server_is_reported_as_unreachable() {
        assertThat(run("log", "--database-url", "jdbc:postgresql://127.0.0.1:1/postgres"))
                .isEqualTo(5);
    }

    /** Runs all of a suite, and looks at what holds for each. */
    private Map<String, Parsed> figuresOf(String suite, TestDatabase database, String... names) throws Exception {
        int code = run(suite, "--json", "--database-url", database.jdbcUrl());

        assertThat(code).as(text(err)).isZero();
        assertThat(text(out)).startsWith("{\"bench\":\"" + suite + "\",");
        Map<String, Parsed> figures = parse(database, text(out));
        assertThat(figures).containsKeys(names);
        assertThat(figures.values()).allSatisfy(figure -> {
            assertThat(figure.value()).as(figure.name()).isFinite().isNotNegative();
            assertThat(figure.unit()).as(figure.name()).isNotBlank();
            assertThat(figure.met() == null).as(figure.name()).isEqualTo(figure.goal() == null);
        });
        assertThat(leftBehind(database)).isZero();
        return figures;
    }

    private int run(String... args) {
        return BenchCommand.run(
                args,
                TINY,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private static String text(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }

    private record Parsed(String name, double value, String unit, Double ratio, String goal, Boolean met) {}

    /** The server's own parser is the judge of what is JSON. */
    private static Map<String, Parsed> parse(TestDatabase database, String json) throws Exception {
        Map<String, Parsed> figures = new TreeMap<>();
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement select = connection.prepareStatement("""
                        select f.name, f.value, f.unit, f.ratio, f.goal, f.met, f.short
                        from jsonb_to_recordset(?::jsonb -> 'figures')
                          as f (name text, value float8, unit text, ratio float8, goal text, met boolean, short boolean)""")) {
            select.setString(1, json);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    assertThat(rows.getBoolean("short")).isTrue();
                    figures.put(
                            rows.getString("name"),
                            new Parsed(
                                    rows.getString("name"),
                                    rows.getDouble("value"),
                                    rows.getString("unit"),
                                    (Double) rows.getObject("ratio"),
                                    rows.getString("goal"),
                                    (Boolean) rows.getObject("met")));
                }
            }
        }
        return figures;
    }

    private static long leftBehind(TestDatabase database) throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            return Statements.number(
                    connection, "select count(*) from pg_database where datname like 'postrider_bench_%'");
        }
    }
}
