package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Jobs;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Headers are data: whatever a producer writes into them, they never change attempts, positions, projects or schedules. */
@Migrated
@Tag("security")
class ForgedHeadersTest {
    private static final Duration SOON = Duration.ofMillis(10);
    private static final List<String> NUMBERS =
            List.of("attempt", "attempts", "attempt_count", "position", "postrider-position", "era", "id", "tx");
    private static final List<String> NAMES = List.of(
            "topic",
            "queue",
            "type",
            "key",
            "project",
            "project_id",
            "projectid",
            "user",
            "user_id",
            "userid",
            "reach",
            "priority",
            "unique_key",
            "schedule",
            "tick",
            "run_at",
            "due_at",
            "worker",
            "state",
            "dead",
            "retry_topic-attempts",
            "webhook-id");

    private static Map<String, String> forged() {
        Map<String, String> headers = new HashMap<>();
        NUMBERS.forEach(name -> headers.put(name, "999999"));
        NAMES.forEach(name -> headers.put(name, "forged"));
        return headers;
    }

    @Test
    void an_event_keeps_its_attributes_its_position_and_its_attempts(TestDatabase database) {
        List<LogEvent> heard = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database)) {
            node.with(Listener.relay("relay", "orders", event -> {
                        heard.add(event);
                        if (heard.size() < 3) {
                            throw new IllegalStateException("fails twice");
                        }
                    })
                    .withAttempts(3)
                    .withBackoff(SOON, SOON));
            node.emit(Event.of("orders", "placed", "{}")
                    .withKey("k")
                    .withProject("p1")
                    .withUser("u1")
                    .withHeaders(forged()));
            node.awaitCursor("relay", 1);
            assertThat(node.deadLetters("relay")).isEmpty();
        }
        assertThat(heard).hasSize(3);
        for (LogEvent event : heard) {
            assertThat(event.position()).isEqualTo(1);
            assertThat(event.key()).isEqualTo("k");
            Map<String, String> outside = new HashMap<>(Envelope.attributes(event));
            assertThat(outside.remove("headers")).contains("forged");
            assertThat(outside)
                    .containsEntry("id", event.id().toString())
                    .containsEntry("topic", "orders")
                    .containsEntry("type", "placed")
                    .containsEntry("position", "1")
                    .containsEntry("projectid", "p1")
                    .containsEntry("userid", "u1")
                    .doesNotContainValue("forged")
                    .doesNotContainValue("999999");
        }
    }

    @Test
    void a_job_keeps_its_queue_its_project_and_its_attempts(TestDatabase database) {
        List<ClaimedJob> seen = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database)) {
            node.postrider.add(Worker.on("mail")
                    .handling("receipt", job -> {
                        seen.add(job);
                        if (seen.size() < 3) {
                            throw new IllegalStateException("fails twice");
                        }
                        return Fate.done();
                    })
                    .withRetry("receipt", RetryPolicy.exponential(3, SOON, SOON)));
            node.postrider.start();
            UUID id = JobDesk.enqueue(
                    node,
                    Job.of("mail", "receipt", "{}")
                            .withKey("k")
                            .withProject("p1")
                            .withHeaders(forged()));
            JobDesk.awaitState(node, id, Jobs.State.DONE);
            assertThat(node.postrider.schedules().list()).isEmpty();
            assertThat(seen).extracting(ClaimedJob::attempt).containsExactly(1, 2, 3);
            for (ClaimedJob job : seen) {
                assertThat(job.id()).isEqualTo(id);
                assertThat(job.queue()).isEqualTo("mail");
                assertThat(job.priority()).isEqualTo(Priority.NORMAL);
                assertThat(job.projectId()).isEqualTo("p1");
                assertThat(job.key()).isEqualTo("k");
            }
        }
    }
}
