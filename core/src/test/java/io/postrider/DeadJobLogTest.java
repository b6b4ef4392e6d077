package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Jobs.State;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A dead job is logged as an error, like a dead-lettered event. */
@Migrated
class DeadJobLogTest {
    @Test
    void a_dead_job_is_logged_as_error_and_a_retried_one_as_warning(TestDatabase database) {
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q")
                            .handling("t", job -> {
                                throw new IllegalStateException("no such address");
                            })
                            .withRetry("t", RetryPolicy.exponential(2, Duration.ofMinutes(1), Duration.ofMinutes(1))))
                    .start();
            UUID id = enqueue(node, "1").get(0);
            Await.until(
                    "it is set back",
                    () -> "retry".equals(JobDesk.status(node, id).waitsFor()));
            assertThat(failures(written)).as("tests log errors only").isEmpty();
            node.postrider.jobs().retry(id);
            awaitState(node, id, State.FAILED);
            Await.until("it is logged", () -> !failures(written).isEmpty());
        } finally {
            System.setErr(before);
        }
        assertThat(failures(written))
                .singleElement()
                .asString()
                .contains(" ERROR ", "will_retry=false", "no such address");
    }

    private static List<String> failures(ByteArrayOutputStream written) {
        return written.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("job_failed"))
                .toList();
    }
}
