package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Jobs.State;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A notification wakes one thread per node and queue, not every idle slot: 200 slots would make 200 claims for one job. */
@Migrated
@Tag("slow")
@Tag("once")
class WakeStormTest {
    private static final int NODES = 8;
    private static final int SLOTS = 25;

    @Test
    void one_job_costs_at_most_one_claim_per_node_however_many_slots_wait(TestDatabase database) throws Exception {
        AtomicInteger ran = new AtomicInteger();
        try (Psql psql = new Psql(database)) {
            psql.execute("do $$ begin execute format('alter database %I set track_functions = ''all''',"
                    + " current_database()); end $$");
            List<Node> nodes = new ArrayList<>();
            try {
                for (int i = 0; i < NODES; i++) {
                    Node node = new Node(database);
                    nodes.add(node);
                    node.postrider
                            .add(Worker.on("q").withSlots(SLOTS).handling("t", job -> {
                                ran.incrementAndGet();
                                return Fate.done();
                            }))
                            .start();
                }
                Await.until(
                        "all workers are registered",
                        Duration.ofSeconds(60),
                        () -> psql.number("select count(*) from postrider.worker") == NODES);
                awaitState(nodes.get(0), enqueue(nodes.get(0), "{}").get(0), State.DONE);
            } finally {
                nodes.forEach(Node::close); // the sessions send their statistics when they end
            }
            Await.until(
                    "the statistics have arrived",
                    Duration.ofSeconds(30),
                    () -> calls(psql, "claim") >= 1 && calls(psql, "settle") >= 1 && calls(psql, "leave") >= NODES);
            assertThat(ran).hasValue(1);
            assertThat(calls(psql, "claim")).isLessThanOrEqualTo(NODES);
            assertThat(calls(psql, "claim_delayed")).as("nothing is delayed").isZero();
        }
    }

    private static long calls(Psql psql, String function) {
        return psql.number("select coalesce(sum(calls), 0) from pg_stat_user_functions where schemaname = 'postrider'"
                + " and funcname = '" + function + "'");
    }
}
