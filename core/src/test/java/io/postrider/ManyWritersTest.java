package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestServer;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many transactions that have emitted and stay open. Each is in the snapshot that a pass keeps, and each is looked up by the pass that
 * comes after its commit. Prepared transactions stand for sessions: the same snapshot, without a process each.
 */
@Tag("slow")
@Tag("once")
class ManyWritersTest {
    private static final int WRITERS = 1_000;

    /** A transaction id is 8 bytes in a snapshot. */
    private static final int BYTES_PER_WRITER = 8;

    @Test
    void a_thousand_open_writers_delay_nobody_and_a_pass_writes_eight_bytes_for_each() {
        try (EmbeddedPostgres server = EmbeddedPostgres.start(TestServer.options()
                        .withSetting("max_prepared_transactions", Integer.toString(WRITERS + 10))
                        .withSetting("autovacuum", "off")
                        .withSetting("full_page_writes", "off")
                        .withSetting("fsync", "off"));
                TestDatabase database = TestDatabase.create(server)) {
            Postrider.on(database.dataSource()).migrate();
            try (Psql psql = new Psql(database);
                    Psql sequencer = new Psql(database)) {
                psql.execute("set postrider.notify = off");
                long alone = walOfPass(psql, sequencer, 20);

                IntStream.rangeClosed(1, WRITERS)
                        .forEach(i -> psql.begin()
                                .emit("orders", "late-" + i)
                                .execute("prepare transaction 'w" + i + "'")
                                .commit());
                long beside = walOfPass(psql, sequencer, 20);
                System.out.printf("WAL of a pass: %d bytes alone, %d beside %d open writers%n", alone, beside, WRITERS);
                assertThat(beside - alone)
                        .as("bytes more for %d writers", WRITERS)
                        .isLessThan(2L * BYTES_PER_WRITER * WRITERS);
                assertThat(psql.number("select max(pg_column_size(p.snapshot)) from postrider.pass p"))
                        .isLessThan((long) BYTES_PER_WRITER * WRITERS + 500);

                // Every second one commits: the pass looks up 500 late transactions between 500 that are still open.
                commit(psql, 1);
                assertThat(sequencer.pass()).isEqualTo(WRITERS / 2);
                psql.emit("orders", "between");
                assertThat(sequencer.pass()).isEqualTo(1);
                commit(psql, 2);
                assertThat(sequencer.pass()).isEqualTo(WRITERS / 2);
                assertThat(late(psql.log("orders")))
                        .containsExactlyElementsOf(IntStream.concat(everySecond(1), everySecond(2))
                                .mapToObj(i -> "late-" + i)
                                .toList());
                assertThat(walOfPass(psql, sequencer, 20))
                        .as("bytes, when all have ended")
                        .isLessThan(2 * alone);
            }
        }
    }

    private static IntStream everySecond(int first) {
        return IntStream.rangeClosed(1, WRITERS).filter(i -> i % 2 == first % 2);
    }

    private static void commit(Psql psql, int first) {
        everySecond(first).forEach(i -> psql.execute("commit prepared 'w" + i + "'"));
    }

    private static List<String> late(List<String> log) {
        return log.stream().filter(type -> type.startsWith("late-")).toList();
    }

    /** The least of some, because the first pass after a change also writes catalogs and splits pages. */
    private static long walOfPass(Psql psql, Psql sequencer, int passes) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < passes; i++) {
            psql.emit("orders", "plain");
            String before = psql.text("select pg_current_wal_insert_lsn()");
            assertThat(sequencer.pass()).isEqualTo(1);
            least = Math.min(
                    least, psql.number("select (pg_current_wal_insert_lsn() - '" + before + "'::pg_lsn)::int8"));
        }
        return least;
    }
}
