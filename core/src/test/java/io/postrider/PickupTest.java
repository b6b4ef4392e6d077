package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Jobs.State;
import io.postrider.admin.Watch;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What a watch learns about the time from emit to pickup. */
@Migrated
class PickupTest {
    private final List<Long> positions = new CopyOnWriteArrayList<>();
    private final List<UUID> jobs = new CopyOnWriteArrayList<>();
    private final Watch watch = new Watch() {
        @Override
        public void pickedUp(String listener, List<LogEvent> events) {
            events.forEach(event -> positions.add(event.position()));
        }

        @Override
        public void jobPickedUp(ClaimedJob job) {
            jobs.add(job.id());
        }
    };

    /** The batch of five fails as a whole and is halved until the third event is alone, which then fails again. */
    @Test
    void each_event_is_picked_up_once_although_its_batch_is_halved_and_it_is_retried(TestDatabase database) {
        AtomicBoolean failed = new AtomicBoolean();
        try (Node node = new Node(database, options -> options.withWatch(watch))) {
            node.emit(
                    Event.of("orders", "a", "1"),
                    Event.of("orders", "a", "2"),
                    Event.of("orders", "a", "3"),
                    Event.of("orders", "a", "4"),
                    Event.of("orders", "a", "5"));
            node.with(Listener.transactionalBatch("l", "orders", (connection, events) -> {
                        boolean bad = events.stream()
                                .anyMatch(event -> event.payload().equals("3"));
                        if (bad && (events.size() > 1 || failed.compareAndSet(false, true))) {
                            throw new IllegalStateException("not yet");
                        }
                    })
                    .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1)));
            node.awaitCursor("l", 5);
        }
        assertThat(positions).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(failed).isTrue();
    }

    @Test
    void a_job_is_picked_up_at_its_first_attempt_and_a_delayed_one_is_not(TestDatabase database) {
        AtomicBoolean failed = new AtomicBoolean();
        try (Node node = new Node(database, options -> options.withWatch(watch))) {
            node.postrider
                    .add(Worker.on("q")
                            .handling(
                                    "t",
                                    job -> failed.compareAndSet(false, true) ? Fate.retry(Duration.ZERO) : Fate.done()))
                    .start();
            UUID first = enqueue(node, Job.of("q", "t", "{}"));
            awaitState(node, first, State.DONE);
            UUID later =
                    enqueue(node, Job.of("q", "t", "{}").withRunAt(Instant.now().plusMillis(500)));
            awaitState(node, later, State.DONE);
            Await.until("the first one is reported", () -> !jobs.isEmpty());
            assertThat(jobs).containsExactly(first);
        }
    }
}
