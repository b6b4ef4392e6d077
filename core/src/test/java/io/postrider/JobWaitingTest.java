package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Jobs.State;
import io.postrider.admin.Queues.Limits;
import io.postrider.admin.WaitReason;
import io.postrider.admin.WaitReason.Reason;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reproduces each reason why a job waits. */
@Migrated
@Tag("hot")
class JobWaitingTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private TestDatabase database;

    @BeforeEach
    void open(TestDatabase given) {
        database = given;
    }

    private static WaitReason waits(Node node, UUID id, Reason reason, String detail) {
        AtomicReference<WaitReason> seen = new AtomicReference<>();
        Await.until(id + " waits: " + reason, LONG, () -> {
            node.postrider.jobs().waiting(id).ifPresent(seen::set);
            return seen.get() != null && seen.get().reason() == reason;
        });
        assertThat(seen.get().detail()).contains(detail);
        return seen.get();
    }

    @Test
    void a_job_without_a_position_is_found_while_the_sequencing_lock_is_held() {
        try (Node node = new Node(database);
                Psql holder = new Psql(database)) {
            holder.begin().execute("lock table postrider.sequencing in exclusive mode");
            UUID id = enqueue(node, Job.of("q", "t", "1").withProject("p"));
            assertThat(node.postrider.jobs().find(id)).hasValueSatisfying(job -> {
                assertThat(job.state()).isEqualTo(State.PENDING);
                assertThat(job.queue()).isEqualTo("q");
                assertThat(job.payload()).isEqualTo("1");
            });
            assertThat(node.postrider.jobs().find(Reach.project("p"), id)).isPresent();
            assertThat(node.postrider.jobs().find(Reach.project("other"), id)).isEmpty();
            waits(node, id, Reason.NO_POSITION, "no position yet");
        }
    }

    @Test
    void the_reason_is_a_missing_worker_or_a_missing_handler() {
        try (Node node = new Node(database)) {
            UUID typo = enqueue(node, Job.of("mial", "t", "1"));
            node.postrider.jobs().sequence();
            waits(node, typo, Reason.NO_WORKER, "no running node works on queue mial");
            node.postrider.add(Worker.on("mail").handling("t", job -> Fate.done()));
            node.postrider.start();
            UUID strange = enqueue(node, Job.of("mail", "wellcome", "1"));
            waits(node, strange, Reason.NO_HANDLER, "no running node handles type wellcome in queue mail");
            waits(node, typo, Reason.NO_WORKER, "mial");
            UUID done = enqueue(node, Job.of("mail", "t", "1"));
            awaitState(node, done, State.DONE);
            assertThat(node.postrider.jobs().waiting(done)).isEmpty();
            assertThat(node.postrider.jobs().waiting(UUID.randomUUID())).isEmpty();
        }
    }

    @Test
    void the_reason_is_a_later_time_a_paused_queue_or_a_retry() {
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q")
                            .handling("t", job -> Fate.retry(Duration.ofHours(1)))
                            .handling("u", job -> Fate.done()))
                    .start();
            Instant later = Instant.now().plus(Duration.ofHours(2));
            UUID timed = enqueue(node, Job.of("q", "u", "1").withRunAt(later));
            Instant until =
                    waits(node, timed, Reason.TIME, "it is scheduled to run").until();
            assertThat(Duration.between(until, later).abs()).isLessThan(Duration.ofSeconds(1));
            UUID failed = enqueue(node, Job.of("q", "t", "1"));
            waits(node, failed, Reason.RETRY, "tried again at");
            node.postrider.queues().pause("q");
            UUID paused = enqueue(node, Job.of("q", "u", "1"));
            waits(node, paused, Reason.PAUSED, "queue q is paused");
        }
    }

    @Test
    void the_reason_is_a_limit_a_busy_key_or_jobs_ahead() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (Node node = new Node(database)) {
            node.postrider.queues().limit("limited", Limits.none().withRunning(1));
            node.postrider.queues().limit("keyed", Limits.none().withPerKey(1));
            for (String queue : new String[] {"limited", "keyed", "narrow"}) {
                node.postrider.add(Worker.on(queue)
                        .withSlots(queue.equals("narrow") ? 1 : 4)
                        .handling("t", job -> {
                            go.await();
                            return Fate.done();
                        }));
            }
            node.postrider.start();
            UUID running = enqueue(node, Job.of("limited", "t", "1"));
            awaitState(node, running, State.IN_PROGRESS);
            assertThat(node.postrider.jobs().waiting(running)).isEmpty();
            UUID limited = enqueue(node, Job.of("limited", "t", "1"));
            waits(node, limited, Reason.LIMIT, "queue limited has reached its limit: 1 at once");
            awaitState(node, enqueue(node, Job.of("keyed", "t", "1").withKey("k")), State.IN_PROGRESS);
            UUID keyed = enqueue(node, Job.of("keyed", "t", "1").withKey("k"));
            waits(node, keyed, Reason.KEY, "the limit per key of queue");
            awaitState(node, enqueue(node, Job.of("narrow", "t", "1")), State.IN_PROGRESS);
            UUID first = enqueue(node, Job.of("narrow", "t", "1"));
            UUID second = enqueue(node, Job.of("narrow", "t", "1"));
            waits(node, first, Reason.BEHIND, "it is next");
            waits(node, second, Reason.BEHIND, "1 jobs are ahead of it");
            go.countDown();
            awaitState(node, second, State.DONE);
        } finally {
            go.countDown();
        }
    }
}
