package io.postrider.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.bench.Scale;
import io.postrider.bench.database.BenchServer;
import io.postrider.bench.measure.Samples;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class FigureTest {
    @Test
    void the_median_is_the_middle_value_or_the_mean_of_the_middle_two() {
        assertThat(Samples.median(new double[] {3, 1, 2})).isEqualTo(2);
        assertThat(Samples.median(new double[] {4, 1, 2, 3})).isEqualTo(2.5);
    }

    @Test
    void the_ratio_is_the_median_of_the_rounds_own_ratios() {
        Samples<Double> samples = new Samples<>();
        // a machine that gets slower from round to round: the medians alone would tell 10 / 20
        List.of(20.0, 10.0, 5.0).forEach(rate -> samples.add("plain", rate));
        List.of(10.0, 5.0, 2.5).forEach(rate -> samples.add("postrider", rate));
        assertThat(samples.ratio("postrider", "plain", Double::doubleValue)).isEqualTo(0.5);
        assertThat(samples.rounds()).isEqualTo(3);
    }

    @Test
    void a_goal_compares_the_ratio_or_the_value_if_there_is_no_ratio() {
        assertThat(Figure.of("a", 100, "events/s", 0.9, Goal.atLeast(0.85, "plain"))
                        .met())
                .isTrue();
        assertThat(Figure.of("a", 100, "ms", 2.6, Goal.atMost(2.5, "bare")).met())
                .isFalse();
        assertThat(Figure.of("a", 1_000, "tuples", Goal.below(1_000, "")).met()).isFalse();
        assertThat(Figure.of("a", 1, "ms").met()).isNull();
    }

    @Test
    void a_missed_goal_says_by_how_much() {
        Figure missed = Figure.of("a", 100, "events/s", 0.68, Goal.atLeast(0.85, "plain"))
                .withNote("shared cores");
        assertThat(missed.remark()).isEqualTo("missed by 20.0 %; shared cores");
    }

    @Test
    void numbers_keep_four_digits_and_no_exponent() {
        assertThat(Figure.plain(1234567.8)).isEqualTo("1234568");
        assertThat(Figure.plain(0.000123456)).isEqualTo("0.0001235");
        assertThat(Figure.plain(12.0)).isEqualTo("12");
        assertThat(Figure.plain(0)).isEqualTo("0");
    }

    @Test
    void the_json_is_escaped() {
        assertThat(JsonReport.quoted("a \"b\"\\\n\u0001")).isEqualTo("\"a \\\"b\\\"\\\\\\n\\u0001\"");
    }

    @Test
    void the_table_is_aligned_in_columns() {
        Report report = new Report(
                "jobs",
                Scale.full(),
                "PostgreSQL",
                List.of(new Report.Part(
                        "one",
                        "conditions",
                        5,
                        List.of(
                                Figure.of("one.rate", 900, "events/s", 0.9, Goal.atLeast(0.85, "plain")),
                                Figure.of("one.latency", 5, "ms", 3, Goal.atMost(2.5, "bare"))))));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new TableReport(report).print(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .contains(
                        "bench jobs",
                        "one (median of 5 interleaved rounds): conditions",
                        "  figure      value unit     ratio goal            met",
                        "  one.rate      900 events/s   0.9 >= 0.85 x plain yes",
                        "  one.latency     5 ms           3 <= 2.5 x bare   NO",
                        "  one.latency: missed by 20.0 %",
                        "1 of 2 goals met");
    }

    @Test
    void a_url_may_have_the_form_that_other_programs_use() {
        assertThat(BenchServer.jdbc("postgres://me:secret@db:5433/shop?sslmode=require"))
                .isEqualTo("jdbc:postgresql://db:5433/shop?sslmode=require&user=me&password=secret");
        assertThat(BenchServer.jdbc("postgresql://db")).isEqualTo("jdbc:postgresql://db/postgres");
        assertThat(BenchServer.jdbc("jdbc:postgresql://db/shop")).isEqualTo("jdbc:postgresql://db/shop");
    }
}
