package io.postrider.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Postrider;
import io.postrider.Psql;
import io.postrider.internal.db.Sql;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import org.junit.jupiter.api.Test;

/** Listeners of earlier versions: what they wanted is derived from their ledgers. */
@PostgresTest
class FilterMigrationTest {
    @Test
    void the_starting_points_in_a_ledger_become_filters(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            for (int version = 1; version <= 12; version++) {
                String name = Migrator.MIGRATIONS.get(version - 1);
                psql.execute(Sql.resource("schema/" + name + ".sql"))
                        .execute("insert into postrider.migration (version, name, digest) values (" + version + ", '"
                                + name + "', '')");
            }
            for (String name : new String[] {"all", "late", "reset", "shortened"}) {
                psql.execute(
                        "insert into postrider.listener (name, topic, kind, policy, types, batch, attempts) values ('"
                                + name + "', 'orders', 'relay', 'block', '{a}', 100, 5)");
            }
            deliver(psql, "all", 0, 0);
            deliver(psql, "late", 0, 7);
            deliver(psql, "late", 8, 9);
            deliver(psql, "reset", 0, 0);
            deliver(psql, "reset", 1, 5);
            deliver(psql, "reset", 0, 8); // skips 6..8
            deliver(psql, "reset", 9, 20);
            deliver(psql, "reset", 0, 12); // wants 13..20 again
            deliver(psql, "shortened", 100, 200);
            Postrider.on(database.dataSource()).migrate();
            assertThat(
                            psql.texts(
                                    "select listener || ' ' || from_position || ' ' || case when skipped then 'skipped' else"
                                            + " types::text end from postrider.listener_filter order by listener, from_position"))
                    .containsExactly(
                            "all 1 {a}",
                            "late 1 skipped",
                            "late 8 {a}",
                            "reset 1 {a}",
                            "reset 6 skipped",
                            "reset 9 {a}",
                            "reset 13 {a}");
        }
    }

    private static void deliver(Psql psql, String listener, long from, long to) {
        psql.execute("insert into postrider.delivery (listener, from_position, to_position, events, worker) values ('"
                + listener + "', " + from + ", " + to + ", 0, 'w')");
    }
}
