package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static io.postrider.JobDesk.status;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Jobs;
import io.postrider.admin.Jobs.State;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The retry table "0 s, 30 s, 5 min, FAILED" read as three runs: at once, 30 s and 5 min after the failure before. */
@Migrated
@Tag("slow")
class RetryTableTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void at_once_then_30_s_then_5_min_then_failed_are_three_runs(TestDatabase database) {
        List<Instant> runs = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q")
                            .handling("t", job -> {
                                runs.add(Instant.now());
                                throw new IllegalStateException("run " + job.attempt());
                            })
                            .withRetry("t", RetryPolicy.table(Duration.ofSeconds(30), Duration.ofMinutes(5))))
                    .start();
            UUID id = enqueue(node, "{}").get(0);
            assertWaits(node, id, runs, 1, Duration.ofSeconds(30));
            makeDue(node);
            assertWaits(node, id, runs, 2, Duration.ofMinutes(5));
            makeDue(node);
            awaitState(node, id, State.FAILED);
            assertThat(runs).hasSize(3);
            assertThat(status(node, id).attempts()).isEqualTo(3);
            assertThat(status(node, id).error()).contains("run 3");
        }
    }

    private static void assertWaits(Node node, UUID id, List<Instant> runs, int run, Duration wait) {
        Await.until("run " + run + " has failed", PATIENCE, () -> {
            Jobs.Status job = status(node, id);
            return runs.size() == run && job.state() == State.PENDING && job.error() != null;
        });
        Duration planned = Duration.between(runs.get(run - 1), status(node, id).runAt());
        assertThat(planned).as("wait after run " + run).isBetween(wait.minusSeconds(1), wait.plusSeconds(10));
    }

    /** Time passes: the row is due now, and the node checks for due jobs. */
    private static void makeDue(Node node) {
        node.execute("update postrider.delayed set due_at = clock_timestamp()");
        node.execute("select pg_notify('postrider', 'steer')");
    }
}
