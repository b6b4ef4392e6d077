package io.postrider.bench.realtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.bench.BenchCommand;
import io.postrider.bench.Scale;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** That every scenario runs and tells its figures; what they are is not a test's business. */
@Tag("slow")
@PostgresTest
class BenchRealtimeTest {
    private static final Scale TINY = Scale.brief()
            .withRounds(1)
            .withRealtime(new Scale.Realtime(5, 50, Duration.ofMillis(200), 30, 20, 80, 2_500));

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void every_scenario_reports_its_figures_as_json_and_as_a_table_and_cleans_up(TestDatabase database)
            throws Exception {
        int code = run("realtime", "--json", "--database-url", database.jdbcUrl());

        assertThat(code).as(text(err)).isZero();
        assertThat(text(out)).startsWith("{\"bench\":\"realtime\",");
        Map<String, Parsed> figures = parse(database, text(out));
        assertThat(figures)
                .containsKeys(
                        "commit_to_client.p50",
                        "commit_to_client.p99",
                        "commit_to_client.postrider.commit",
                        "commit_to_client.postrider.pass",
                        "commit_to_client.postrider.sequenced_p50",
                        "commit_to_client.postrider.sequenced_p99",
                        "commit_to_client.postrider.first_p50",
                        "commit_to_client.postrider.spread_p50",
                        "commit_to_client.bare.p50",
                        "commit_to_client.bare.p99",
                        "fan_out.rate",
                        "fan_out.messages",
                        "fan_out.bare",
                        "kafka_relay.rate",
                        "kafka_relay.rate_vs_large",
                        "kafka_relay.bare",
                        "kafka_relay.large",
                        "kafka_relay.send",
                        "kafka_relay.rest",
                        "kafka_relay.wal",
                        "kafka_relay.commits");
        assertThat(figures.values()).allSatisfy(figure -> {
            assertThat(figure.value()).as(figure.name()).isFinite().isNotNegative();
            assertThat(figure.met() == null).as(figure.name()).isEqualTo(figure.goal() == null);
        });
        assertThat(figures.get("commit_to_client.p99").goal()).isEqualTo("<= 2 x bare Redis and SSE");
        assertThat(figures.get("commit_to_client.p99").ratio()).isPositive();
        assertThat(figures.get("commit_to_client.postrider.sequenced_p50").value())
                .isPositive();
        assertThat(figures.get("fan_out.rate").ratio()).isPositive();
        assertThat(figures.get("kafka_relay.rate").goal()).isEqualTo(">= 0.5 x bare producer");
        assertThat(figures.get("kafka_relay.rate").ratio()).isPositive();
        assertThat(text(err)).contains("bench realtime", "commit_to_client.p99", "goals met");
        assertThat(ProcessHandle.current().children().map(BenchRealtimeTest::command))
                .noneMatch(command -> command.contains("bench.realtime") || command.contains("redis"));
        assertThat(scratches()).isZero();
    }

    @Test
    void an_unknown_scenario_is_refused_with_a_list_of_the_scenarios() {
        assertThat(run("realtime", "--only", "drain")).isEqualTo(2);
        assertThat(text(err))
                .contains("--only must be one of commit_to_client, fan_out, kafka_relay, was 'drain'")
                .contains("postrider bench realtime --only fan_out    one of: commit_to_client, fan_out, kafka_relay");
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

    private static String command(ProcessHandle process) {
        return process.info().commandLine().orElse("");
    }

    private static long scratches() throws Exception {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith(Scratch.prefix()))
                    .count();
        }
    }

    private record Parsed(String name, double value, Double ratio, String goal, Boolean met) {}

    /** The server's own parser is the judge of what is JSON. */
    private static Map<String, Parsed> parse(TestDatabase database, String json) throws Exception {
        Map<String, Parsed> figures = new TreeMap<>();
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement select = connection.prepareStatement("""
                        select f.name, f.value, f.ratio, f.goal, f.met
                        from jsonb_to_recordset(?::jsonb -> 'figures')
                          as f (name text, value float8, ratio float8, goal text, met boolean)""")) {
            select.setString(1, json);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    figures.put(
                            rows.getString("name"),
                            new Parsed(
                                    rows.getString("name"),
                                    rows.getDouble("value"),
                                    (Double) rows.getObject("ratio"),
                                    rows.getString("goal"),
                                    (Boolean) rows.getObject("met")));
                }
            }
        }
        return figures;
    }
}
