package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers with a short literal and a very long text are refused before the database expands them. */
@Migrated(shared = true)
@Tag("security")
class NumberLimitsTest {
    private static final String BOMB = "[" + "1e131071,".repeat(7_499) + "1e131071]";
    private static final String FEW = "[" + "1e131071,".repeat(99) + "1e131071]";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.7976931348623157e308",
                "-4.9E-324",
                "1e400",
                "1e+0400",
                "-1e-400",
                "0e0",
                "1e-0000000000000000007",
                "12345678901234567890123456789012345678901234567890.123456789"
            })
    void doubles_and_decimals_are_accepted(String number) {
        assertThat(Event.of("orders", "t", "{\"n\": " + number + "}").payload()).contains(number);
    }

    @Test
    void a_number_has_at_most_1000_characters() {
        assertThat(Event.of("orders", "t", "9".repeat(1_000)).payload()).hasSize(1_000);
        assertThatThrownBy(() -> Event.of("orders", "t", "[0, " + "9".repeat(1_001) + "]"))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("payload has a number of 1001 characters at character 5; the limit is 1000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e401", "1E+401", "-0.5e-401", "1e131071", "1e99999999999999999999", "0e401"})
    void a_large_exponent_is_refused_wherever_json_comes_in(String number) {
        String json = "{\"n\": " + number + "}";
        List<Consumer<String>> doors = List.of(
                text -> Event.of("orders", "t", text),
                text -> Event.of("orders", "t", "{}").withHeaders(text),
                text -> Job.of("mail", "t", text),
                text -> Schedule.of("s", "* * * * *", "mail", "t").withPayload(text),
                Fate::done);
        for (Consumer<String> door : doors) {
            assertThatThrownBy(() -> door.accept(json))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("exponent")
                    .hasMessageContaining("the limit is 400");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e131071", "-1e131071", "1e-16383", "0e-16383"})
    void plain_sql_is_refused_without_writing_the_numbers_out(String number, TestDatabase database) throws IOException {
        String bomb = BOMB.replace("1e131071", number);
        try (Psql psql = new Psql(database)) {
            psql.execute("create temp table stored (v jsonb)").execute("insert into stored values ('" + bomb + "')");
            List<String> inserts = List.of(
                    "insert into postrider.event (topic, type, payload) values ('orders', 't', '" + bomb + "')",
                    "insert into postrider.event (topic, type, payload, headers) values ('orders', 't', '{}', '{\"a\": "
                            + bomb + "}')",
                    "select postrider.emit('orders', 't', '{\"deep\": [[" + bomb + "]]}')",
                    "select postrider.enqueue('mail', 't', '" + bomb + "')",
                    "insert into postrider.event (topic, type, payload) select 'orders', 't', v from stored");
            assertThat(psql.text("select (pg_column_size(v) < 16384)::text from stored"))
                    .as("it is stored compressed")
                    .isEqualTo("true");
            Duration atOnce;
            try (Psql other = new Psql(database)) { // the memory of this one is measured
                atOnce = atOnce(other);
            }
            for (String insert : inserts) {
                long begun = System.nanoTime();
                assertThat(sqlState(psql, insert)).as(insert.substring(0, 70)).isEqualTo("23514");
                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(atOnce);
            }
            assertThat(peakKilobytes(psql.pid()))
                    .as("kilobytes that the backend ever had")
                    .isLessThan(150_000);
            assertThat(psql.text("select count(*)::text from postrider.event")).isEqualTo("0");
        }
    }

    @Test
    void payloads_up_to_4_kib_are_measured_as_text(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            Duration atOnce = atOnce(psql);
            long begun = System.nanoTime();
            assertThat(sqlState(
                            psql,
                            "insert into postrider.event (topic, type, payload) values ('orders', 't', '" + FEW + "')"))
                    .isEqualTo("23514");
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(atOnce);
        }
    }

    /** A quarter of the time that this machine needs now to write the 7,500 numbers out, by a measurement of 100; 1 s or more. */
    private static Duration atOnce(Psql psql) {
        long begun = System.nanoTime();
        assertThat(psql.number("select octet_length('" + FEW + "'::jsonb::text)"))
                .isGreaterThan(13_000_000);
        Duration quarter = Duration.ofNanos((System.nanoTime() - begun) * 75 / 4);
        return quarter.toMillis() < 1_000 ? Duration.ofSeconds(1) : quarter;
    }

    @Test
    void a_large_payload_of_ordinary_numbers_passes(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Postrider postrider = Postrider.on(database.dataSource())) {
            String numbers = "[" + "-12.5e300,1.0,".repeat(500) + "0]";
            UUID id = postrider.emit(psql.begin().connection(), Event.of("numbers", "t", numbers));
            assertThat(psql.text("select jsonb_array_length(payload)::text from postrider.event where event_id = '" + id
                            + "'"))
                    .isEqualTo("1001");
            psql.rollback();
        }
    }

    private static String sqlState(Psql psql, String sql) {
        try {
            psql.execute(sql);
            return "accepted";
        } catch (Psql.SqlFailure e) {
            return e.state();
        }
    }

    private static long peakKilobytes(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .sum();
    }
}
