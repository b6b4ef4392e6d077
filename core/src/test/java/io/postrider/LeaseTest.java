package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static io.postrider.JobDesk.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.admin.Jobs;
import io.postrider.admin.Jobs.Cancelled;
import io.postrider.admin.Jobs.State;
import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Who holds a job and until when, in every state; and how long a silent worker keeps its jobs. */
@PostgresTest
@Tag("slow")
class LeaseTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final TestDatabase database;

    LeaseTest(TestDatabase database) {
        this.database = database;
    }

    // ── what the view shows ─────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void holder_lease_and_times_are_right_while_a_job_waits_runs_and_is_done() {
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Node node = node("first")) {
            UUID id = enqueue(node, "{}").get(0);
            node.postrider.jobs().sequence();
            Jobs.Status pending = status(node, id);
            assertThat(pending.state()).isEqualTo(State.PENDING);
            assertUnheld(pending);
            assertThat(pending.claimedAt()).isNull();
            assertThat(pending.finishedAt()).isNull();

            node.postrider.add(worker(mayEnd)).start();
            awaitState(node, id, State.IN_PROGRESS);
            Jobs.Status running = status(node, id);
            assertHeld(running, "first");
            assertThat(running.claimedAt()).isAfterOrEqualTo(running.createdAt());
            assertThat(running.finishedAt()).isNull();

            mayEnd.countDown();
            awaitState(node, id, State.DONE);
            Jobs.Status done = status(node, id);
            assertUnheld(done);
            assertThat(done.claimedAt()).isEqualTo(running.claimedAt());
            assertThat(done.finishedAt()).isAfterOrEqualTo(done.claimedAt());
        }
    }

    @Test
    void between_attempts_no_worker_holds_a_job_and_a_dead_one_has_the_times_of_its_last_attempt() {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch secondMayEnd = new CountDownLatch(1);
        try (Node node = node("first")) {
            node.postrider
                    .add(Worker.on("q")
                            .handling("t", job -> {
                                if (calls.incrementAndGet() == 2) {
                                    secondMayEnd.await(60, TimeUnit.SECONDS);
                                }
                                throw new IllegalStateException("no");
                            })
                            .withRetry("t", RetryPolicy.table(Duration.ofHours(1))))
                    .start();
            UUID id = enqueue(node, "{}").get(0);
            Await.until("it waits for its retry", PATIENCE, () -> {
                Jobs.Status job = status(node, id);
                return job.state() == State.PENDING && job.attempts() == 1;
            });
            Jobs.Status waiting = status(node, id);
            assertUnheld(waiting);
            assertThat(waiting.claimedAt()).isNull();
            assertThat(waiting.finishedAt()).isNull();
            assertThat(waiting.error()).contains("no");

            makeDue(node);
            Await.until("it runs again", PATIENCE, () -> calls.get() == 2);
            Jobs.Status running = status(node, id);
            assertHeld(running, "first");
            assertThat(running.attempts()).isEqualTo(2);

            secondMayEnd.countDown();
            awaitState(node, id, State.FAILED);
            Jobs.Status dead = status(node, id);
            assertUnheld(dead);
            assertThat(dead.claimedAt()).as("of the last attempt").isEqualTo(running.claimedAt());
            assertThat(dead.finishedAt()).isAfterOrEqualTo(running.claimedAt());

            node.postrider.queues().pause("q");
            node.postrider.jobs().retry(id);
            Jobs.Status replayed = status(node, id);
            assertThat(replayed.state()).isEqualTo(State.PENDING);
            assertUnheld(replayed);
            assertThat(replayed.claimedAt()).isNull();
            assertThat(replayed.finishedAt()).as("it is not finished any more").isNull();
        }
    }

    @Test
    void a_cancelled_job_has_a_finished_time_and_no_holder() {
        try (Node node = node("first")) {
            UUID id = enqueue(node, "{}").get(0);
            node.postrider.jobs().sequence();
            assertThat(node.postrider.jobs().cancel(id, "not needed")).isEqualTo(Cancelled.CANCELLED);
            Jobs.Status cancelled = status(node, id);
            assertThat(cancelled.state()).isEqualTo(State.CANCELLED);
            assertUnheld(cancelled);
            assertThat(cancelled.claimedAt()).isNull();
            assertThat(cancelled.finishedAt()).isAfterOrEqualTo(cancelled.createdAt());
        }
    }

    @Test
    void after_a_takeover_the_new_worker_holds_the_job() {
        try (Node node = node("second");
                ChildJvm first = child("first")) {
            UUID id = heldBy(node, first);
            Instant claimed = status(node, id).claimedAt();
            CountDownLatch mayEnd = new CountDownLatch(1);
            node.postrider.add(worker(mayEnd)).start();
            first.kill9();
            Await.until(
                    "the second holds it",
                    PATIENCE,
                    () -> "second".equals(status(node, id).lockedBy()));
            Jobs.Status taken = status(node, id);
            assertHeld(taken, "second");
            assertThat(taken.attempts()).isEqualTo(2);
            assertThat(taken.claimedAt()).isAfter(claimed);
            mayEnd.countDown();
            awaitState(node, id, State.DONE);
            assertUnheld(status(node, id));
            assertThat(status(node, id).claimedAt()).isEqualTo(taken.claimedAt());
        }
    }

    // ── the lease of a queue ────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_job_longer_than_its_lease_keeps_it_while_its_worker_is_alive() {
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        Worker worker = Worker.on("q").handling("t", job -> {
            calls.incrementAndGet();
            mayEnd.await(60, TimeUnit.SECONDS);
            return Fate.done();
        });
        try (Node node = new Node(database, options -> options.withNode("first").withPoll(Duration.ofMinutes(5)));
                Node other = node("other")) {
            node.postrider.queues().lease("q", Duration.ofSeconds(3));
            node.postrider.add(worker).start();
            UUID id = enqueue(node, "{}").get(0);
            awaitState(node, id, State.IN_PROGRESS);
            other.postrider.add(worker).start();
            Instant first = status(node, id).leaseExpiresAt();
            Await.until(
                    "the lease was renewed for longer than it is",
                    PATIENCE,
                    () -> Duration.between(first, status(node, id).leaseExpiresAt())
                                    .toSeconds()
                            >= 6);
            assertHeld(status(node, id), "first");
            mayEnd.countDown();
            awaitState(node, id, State.DONE);
            assertThat(calls).hasValue(1);
            assertThat(status(node, id).attempts()).isEqualTo(1);
        }
    }

    @Test
    void a_silent_worker_loses_its_jobs_after_a_short_lease() {
        try (Node node = node("second");
                ChildJvm first = child("first")) {
            node.postrider.queues().lease("q", Duration.ofSeconds(3));
            UUID id = heldBy(node, first);
            node.postrider.add(worker(new CountDownLatch(0))).start();
            first.freeze();
            long frozen = System.nanoTime();
            awaitState(node, id, State.DONE);
            Duration took = Duration.ofNanos(System.nanoTime() - frozen);
            assertThat(took)
                    .as("before the 10 s of the default")
                    .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(9));
        }
    }

    /** The frozen node leads and holds the lock of the sequencer, so its connection is ended after 10 s. It keeps its jobs. */
    @Test
    void a_silent_worker_keeps_its_jobs_for_a_long_lease_and_settles_them_when_it_is_back() {
        try (Node node = node("second");
                ChildJvm first = child("first")) {
            node.postrider.queues().lease("q", Duration.ofSeconds(60));
            UUID id = heldBy(node, first);
            node.postrider.add(worker(new CountDownLatch(0))).start();
            first.freeze();
            Await.until(
                    "its connection was ended",
                    PATIENCE,
                    () -> node.number("select count(*) from postrider.worker w where w.node = 'first' and not exists ("
                                    + "select from pg_locks k where k.locktype = 'advisory' and k.objsubid = 2"
                                    + " and k.classid = 'postrider.worker'::regclass::oid and k.objid = w.id::oid)")
                            == 1);
            Await.until("some checks have passed", PATIENCE, () -> {
                Jobs.Status job = status(node, id);
                assertThat(job.state()).isEqualTo(State.IN_PROGRESS);
                assertThat(job.lockedBy()).isEqualTo("first");
                return job.leaseExpiresAt() != null
                        && job.leaseExpiresAt().isBefore(Instant.now().plusSeconds(45));
            });
            first.resume();
            node.execute("insert into may_end values (true)");
            awaitState(node, id, State.DONE);
            assertThat(status(node, id).attempts()).isEqualTo(1);
            Await.until(
                    "it is known to be back",
                    PATIENCE,
                    () -> node.number("select count(*) from postrider.worker where kept_until is not null") == 0);
        }
    }

    @Test
    void the_jobs_of_a_process_that_ended_are_taken_over_at_once_however_long_the_lease_is() {
        try (Node node = node("second");
                ChildJvm first = child("first")) {
            node.postrider.queues().lease("q", Duration.ofHours(1));
            UUID id = heldBy(node, first);
            node.postrider.add(worker(new CountDownLatch(0))).start();
            first.kill9();
            long killed = System.nanoTime();
            awaitState(node, id, State.DONE);
            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(Duration.ofSeconds(10));
        }
    }

    @Test
    void a_lease_can_be_set_shown_and_removed_and_is_refused_outside_its_limits() {
        try (Node node = node("first")) {
            node.postrider.queues().lease("q", Duration.ofSeconds(30));
            assertThat(node.postrider.queues().list().get(0).lease()).isEqualTo(Duration.ofSeconds(30));
            node.postrider.queues().lease("q", null);
            assertThat(node.postrider.queues().list().get(0).lease()).isNull();
            assertThatThrownBy(() -> node.postrider.queues().lease("q", Duration.ofSeconds(2)))
                    .hasMessage("lease must be PT3S..PT1H, was PT2S");
            assertThatThrownBy(() -> node.postrider.queues().lease("q", Duration.ofHours(2)))
                    .hasMessage("lease must be PT3S..PT1H, was PT2H");
            assertThatThrownBy(() -> node.postrider.queues().lease("a:b", null))
                    .hasMessageContaining("queue must match");
        }
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private Node node(String name) {
        return new Node(database, options -> options.withNode(name));
    }

    private static Worker worker(CountDownLatch mayEnd) {
        return Worker.on("q").handling("t", job -> {
            mayEnd.await(60, TimeUnit.SECONDS);
            return Fate.done();
        });
    }

    private ChildJvm child(String name) {
        Postrider.on(database.dataSource()).migrate();
        try (Psql psql = new Psql(database)) {
            psql.execute("create table if not exists may_end (it boolean)");
        }
        ChildJvm child = ChildJvm.of(Holder.class)
                .withArguments(database.jdbcUrl(), name)
                .start();
        child.awaitLine("started", PATIENCE);
        return child;
    }

    private static UUID heldBy(Node node, ChildJvm child) {
        UUID id = enqueue(node, "{}").get(0);
        child.awaitLine("handling", PATIENCE);
        assertHeld(status(node, id), "first");
        return id;
    }

    private static void makeDue(Node node) {
        node.execute("update postrider.delayed set due_at = clock_timestamp()");
        node.execute("select pg_notify('postrider', 'steer')");
    }

    private static void assertHeld(Jobs.Status job, String by) {
        assertThat(job.state()).isEqualTo(State.IN_PROGRESS);
        assertThat(job.lockedBy()).isEqualTo(by);
        assertThat(job.leaseExpiresAt()).isAfter(Instant.now());
    }

    private static void assertUnheld(Jobs.Status job) {
        assertThat(job.lockedBy()).isNull();
        assertThat(job.leaseExpiresAt()).isNull();
    }

    /** A worker in a process of its own that can be stopped and killed. Its job ends when the table has a row. */
    static final class Holder {
        public static void main(String[] args) throws Exception {
            PGSimpleDataSource dataSource = new PGSimpleDataSource();
            dataSource.setUrl(args[0]);
            Postrider postrider = Postrider.on(dataSource, Options.defaults().withNode(args[1]));
            postrider.add(Worker.on("q").handling("t", job -> {
                System.out.println("handling");
                try (Psql psql = new Psql(dataSource)) {
                    Await.until("it may end", PATIENCE, () -> psql.number("select count(*) from may_end") > 0);
                }
                return Fate.done();
            }));
            postrider.start();
            System.out.println("started");
            new CountDownLatch(1).await();
        }
    }
}
