package io.postrider;

import io.postrider.admin.Jobs;
import io.postrider.admin.Jobs.State;
import io.postrider.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What tests do with jobs: enqueue them, and see how they stand. */
final class JobDesk {
    private JobDesk() {}

    /** Jobs of type t on queue q, in one transaction. */
    static List<UUID> enqueue(Node node, String... payloads) {
        List<UUID> ids = new ArrayList<>();
        node.inTransaction(connection -> {
            for (String payload : payloads) {
                ids.add(node.postrider.enqueue(connection, Job.of("q", "t", payload)));
            }
        });
        return ids;
    }

    static UUID enqueue(Node node, Job job) {
        UUID[] id = new UUID[1];
        node.inTransaction(connection -> id[0] = node.postrider.enqueue(connection, job));
        return id[0];
    }

    static Jobs.Status status(Node node, UUID id) {
        return node.postrider.jobs().find(id).orElseThrow();
    }

    static void awaitState(Node node, UUID id, State state) {
        Await.until(
                id + " is " + state,
                Duration.ofSeconds(60),
                () -> node.postrider
                        .jobs()
                        .find(id)
                        .filter(job -> job.state() == state)
                        .isPresent());
    }

    /** A job that takes its time: that is what it does, and nobody waits for it. */
    static void takeMillis(long millis) throws InterruptedException {
        new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    }
}
