package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Topics.Requirement;
import io.postrider.testkit.TestDatabase;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the required fields of one topic cost the events of another. */
@Migrated
@Tag("slow")
@Tag("alone")
@Tag("prove")
class RequirementCostTest {
    private static final int EVENTS = 2_000;
    private static final int ROUNDS = 5;

    @Test
    void a_requirement_costs_other_topics_little(TestDatabase database) throws Exception {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            List<Double> without = new ArrayList<>();
            List<Double> with = new ArrayList<>();
            micros(psql); // warms up
            for (int round = 0; round < ROUNDS; round++) {
                node.postrider.topics().require(Requirement.none("chat"));
                without.add(micros(psql));
                node.postrider.topics().require(new Requirement("chat", true, true));
                with.add(micros(psql));
            }
            Collections.sort(without);
            Collections.sort(with);
            double before = without.get(ROUNDS / 2);
            double after = with.get(ROUNDS / 2);
            System.out.printf(
                    "requirement_cost micros_without=%.1f micros_with=%.1f of an event on another topic%n",
                    before, after);
            assertThat(after).isLessThan(before * 1.3 + 5);
        }
    }

    /** Microseconds per event: one insert each, in one transaction, without a project or a user. */
    private static double micros(Psql psql) throws SQLException {
        psql.begin();
        long began = System.nanoTime();
        try (PreparedStatement emit = psql.connection()
                .prepareStatement("insert into postrider.event (topic, type, payload) values ('orders', 'a', '{}')")) {
            for (int i = 0; i < EVENTS; i++) {
                emit.executeUpdate();
            }
        }
        double micros = (System.nanoTime() - began) / 1_000.0 / EVENTS;
        psql.rollback();
        return micros;
    }
}
