package io.postrider.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.bench.BenchContext;
import io.postrider.bench.Scale;
import io.postrider.bench.database.BenchServer;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

@PostgresTest
class RoundsTest {
    @Test
    void variants_take_turns_in_alternating_order_after_a_warm_up(TestDatabase database) throws Exception {
        StringBuilder order = new StringBuilder();
        Samples<String> samples = rounds(database, Deadline.none(), order);
        assertThat(order).hasToString("AB" + "BA" + "AB" + "BA");
        assertThat(samples.of("A")).hasSize(3);
    }

    @Test
    void rounds_are_skipped_instead_of_exceeding_the_deadline(TestDatabase database) throws Exception {
        Samples<String> samples = rounds(database, Deadline.none().at(0), new StringBuilder());
        assertThat(samples.rounds()).isEqualTo(1);
    }

    private static Samples<String> rounds(TestDatabase database, Deadline deadline, StringBuilder order)
            throws Exception {
        try (BenchServer server = BenchServer.open(database.jdbcUrl(), Map.of());
                PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8)) {
            Map<String, Rounds.Measure<String>> variants = new LinkedHashMap<>();
            for (String name : new String[] {"A", "B"}) {
                variants.put(name, () -> {
                    order.append(name);
                    return name;
                });
            }
            return new BenchContext(server, Scale.full().withRounds(3), deadline, nowhere).rounds("test", variants);
        }
    }
}
