package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.JobEnd;
import io.postrider.admin.Watch;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The server has done what a worker told it, and the worker never hears of it: the line was cut. */
@PostgresTest
@Tag("slow")
@Tag("hot")
class LostJobAnswersTest {
    private final TestDatabase database;
    private final DeafDataSource deaf;
    private final Postrider node;
    private final Psql psql;
    private final Queue<JobEnd> ends = new ConcurrentLinkedQueue<>();

    LostJobAnswersTest(TestDatabase database) {
        this.database = database;
        this.deaf = new DeafDataSource(database.dataSource());
        Watch watch = new Watch() {
            @Override
            public void jobEnded(ClaimedJob job, JobEnd end, Duration took) {
                ends.add(end);
            }
        };
        this.node = Postrider.on(
                        deaf,
                        Options.defaults().withDirect(database.dataSource()).withWatch(watch))
                .migrate();
        this.psql = new Psql(database);
        psql.execute("create table effect (job bigint)");
    }

    @AfterEach
    void close() {
        node.close();
        psql.close();
    }

    @Test
    void effects_happen_once_although_the_answers_to_commits_are_lost() throws Exception {
        CyclicBarrier all = new CyclicBarrier(8);
        AtomicInteger calls = new AtomicInteger();
        node.add(Worker.on("q")
                .withSlots(8)
                .handlingInTransaction("t", (connection, job) -> {
                    book(connection, job.position());
                    if (calls.incrementAndGet() <= 8) {
                        all.await(60, TimeUnit.SECONDS); // so that what is written about them is written together
                        if (job.position() % 2 == 0) {
                            deaf.loseCommitOfThisThread();
                        } else {
                            throw new IllegalStateException("to be tried again, at once");
                        }
                    }
                    return Fate.done();
                })
                .withRetry("t", RetryPolicy.table(Duration.ZERO)));
        enqueue(8);
        node.start();
        awaitDone(8);
        assertThat(deaf.lost()).isEqualTo(4);
        assertThat(psql.texts("select job::text from effect order by job"))
                .isEqualTo(IntStream.rangeClosed(1, 8).mapToObj(String::valueOf).toList());
        assertSound();
    }

    @Test
    void jobs_whose_claim_answer_was_lost_run_soon() {
        deaf.loseAnswerTo("claim/claim");
        node.add(Worker.on("q").handling("t", job -> Fate.done()));
        enqueue(5);
        node.start();
        awaitDone(5);
        assertThat(deaf.lost()).isEqualTo(1);
        assertThat(psql.texts("select distinct attempt_count::text from postrider.jobs"))
                .containsExactly("1");
        assertSound();
    }

    @Test
    void delayed_jobs_whose_claim_answer_was_lost_run_soon() {
        node.add(Worker.on("q").handling("t", job -> {
            if (job.attempt() == 1) {
                deaf.loseAnswerTo("claim/claim_delayed");
                return Fate.retry(Duration.ZERO);
            }
            return Fate.done();
        }));
        enqueue(1);
        node.start();
        awaitDone(1);
        assertThat(deaf.lost()).isEqualTo(1);
        assertThat(psql.number("select attempt_count from postrider.jobs")).isEqualTo(2);
        assertSound();
    }

    @Test
    void jobs_whose_settlement_answer_was_lost_do_not_run_again() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch together = new CountDownLatch(6);
        node.add(Worker.on("q").handling("t", job -> {
            calls.incrementAndGet();
            together.countDown();
            together.await(60, TimeUnit.SECONDS);
            deaf.loseCommitOf("postrider-settler");
            return job.position() % 2 == 0 || job.attempt() > 1 ? Fate.done() : Fate.retry(Duration.ZERO);
        }));
        enqueue(6);
        node.start();
        awaitDone(6);
        assertThat(deaf.lost()).isPositive();
        assertThat(calls).hasValue(9);
        assertSound();
    }

    /** The attempt of a snoozed job does not count, so its next claim has the same number. */
    @Test
    void a_repeated_settlement_leaves_the_next_claim_of_a_delayed_job_alone() {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch nextClaim = new CountDownLatch(1);
        AtomicReference<String> holder = new AtomicReference<>("not read");
        node.add(Worker.on("q").withSlots(2).handling("t", job -> {
            int call = calls.incrementAndGet();
            if (call == 2) {
                deaf.loseCommitOf("postrider-settler", nextClaim);
            }
            if (call <= 2) {
                return Fate.snooze(Duration.ZERO);
            }
            if (call == 3) {
                nextClaim.countDown();
                Await.until("the settlement was repeated", Duration.ofSeconds(60), () -> ends.size() == 2);
                try (Psql other = new Psql(database)) {
                    holder.set(other.text("select coalesce(worker::text, 'nobody') from postrider.delayed"));
                }
            }
            return Fate.done();
        }));
        enqueue(1);
        node.start();
        awaitDone(1);
        assertThat(deaf.lost()).isEqualTo(1);
        assertThat(holder.get())
                .as("the worker that holds the job while its third call runs")
                .isEqualTo(psql.text("select max(id) from postrider.worker"));
        assertThat(calls).hasValue(3);
        Await.until("the last end was reported", Duration.ofSeconds(60), () -> ends.size() == 3); // after the commit
        assertThat(ends).containsExactly(JobEnd.SNOOZED, JobEnd.SNOOZED, JobEnd.DONE);
        assertSound();
    }

    @Test
    void a_delayed_job_that_was_settled_and_never_heard_of_is_not_reported_as_lost() {
        CountDownLatch together = new CountDownLatch(3);
        AtomicInteger snoozes = new AtomicInteger();
        node.add(Worker.on("q").withSlots(3).handling("t", job -> {
            if (job.attempt() == 1) {
                return Fate.retry(Duration.ZERO);
            }
            together.countDown();
            together.await(60, TimeUnit.SECONDS);
            deaf.loseCommitOf("postrider-settler");
            return switch ((int) job.position()) {
                case 1 -> Fate.dead("broken");
                case 2 -> snoozes.incrementAndGet() == 1 ? Fate.snooze(Duration.ZERO) : Fate.done();
                default -> Fate.done();
            };
        }));
        enqueue(3);
        node.start();
        awaitDone(2);
        Await.until("all ends are reported", Duration.ofSeconds(60), () -> ends.size() == 7);
        assertThat(deaf.lost()).isPositive();
        assertThat(ends)
                .containsExactlyInAnyOrder(
                        JobEnd.RETRIED,
                        JobEnd.RETRIED,
                        JobEnd.RETRIED,
                        JobEnd.DEAD,
                        JobEnd.SNOOZED,
                        JobEnd.DONE,
                        JobEnd.DONE);
        assertSound();
    }

    @Test
    void a_connection_cut_during_an_unwritable_settlement_blocks_nothing() {
        CountDownLatch together = new CountDownLatch(3);
        node.add(Worker.on("q").handling("t", job -> {
            together.countDown();
            together.await(60, TimeUnit.SECONDS);
            if (job.position() == 2) {
                deaf.loseAnswerTo("settle/bury");
                return new Fate.Done("1e999999"); // bypasses the check of Fate.done: more than jsonb can hold
            }
            return Fate.done();
        }));
        enqueue(3);
        node.start();
        awaitDone(2);
        Await.until(
                "the one is dead",
                Duration.ofSeconds(60),
                () -> psql.number("select count(*) from postrider.jobs where state = 'FAILED'") == 1);
        assertThat(deaf.lost()).isEqualTo(1);
        enqueue(1);
        awaitDone(3);
        assertSound();
    }

    /** As a crash does: a claim waits for no flush, and neither do the numbers that were drawn for it. */
    @Test
    void effects_happen_once_although_the_server_loses_a_claim_and_its_number() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch again = new CountDownLatch(2);
        node.add(Worker.on("q").withSlots(4).handlingInTransaction("t", (connection, job) -> {
            begun.countDown();
            if (job.position() == 1) {
                again.countDown();
                again.await(60, TimeUnit.SECONDS);
            }
            book(connection, job.position());
            return Fate.done();
        }));
        enqueue(1);
        node.start();
        Await.until("it has begun", () -> begun.getCount() == 0);
        psql.execute("delete from postrider.claim");
        psql.execute("select setval('postrider.claim_numbers', 1, false)");
        enqueue(1);
        awaitDone(2);
        assertThat(again.getCount()).isZero();
        assertThat(psql.texts("select job::text from effect order by job")).containsExactly("1", "2");
        assertSound();
    }

    @Test
    void a_reused_claim_number_settles_nothing_in_another_queue() {
        psql.execute("select postrider.enqueue('other', 't', '{}')").passAll();
        psql.execute("insert into postrider.worker (node, pooled, seen_at) values ('here', true, clock_timestamp())");
        psql.execute(
                "select postrider.claim('other', 'queue:other', max(w.id), 1, 1, 1000000, null) from postrider.worker w");
        String settle =
                "select postrider.settle(c.worker, array[c.n], array['{[1,2)}']::int8multirange[], array['done'],"
                        + " array[null]::jsonb[], null, array['queue:%s']) from postrider.claim c";
        assertThat(psql.text(String.format(settle, "q"))).isEqualTo("lost");
        assertThat(psql.text(String.format(settle, "other"))).isEqualTo("written");
    }

    private void enqueue(int jobs) {
        psql.execute("select postrider.enqueue('q', 't', '{}') from generate_series(1, " + jobs + ")");
    }

    private void awaitDone(int jobs) {
        Await.until(
                "all are done",
                Duration.ofSeconds(60),
                () -> psql.number("select count(*) from postrider.jobs where state = 'DONE'") == jobs);
    }

    /** What `postrider verify` would say. */
    private void assertSound() {
        node.close();
        assertThat(Postrider.on(database.dataSource()).verifier().verify(step -> {}))
                .allSatisfy(
                        proof -> assertThat(proof.holds()).as(proof.toString()).isTrue());
    }

    private static void book(Connection connection, long job) throws Exception {
        try (PreparedStatement insert = connection.prepareStatement("insert into effect values (?)")) {
            insert.setLong(1, job);
            insert.executeUpdate();
        }
    }
}
