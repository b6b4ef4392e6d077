package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static io.postrider.JobDesk.status;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.DeadLetter;
import io.postrider.admin.DeadLetters;
import io.postrider.admin.JobEnd;
import io.postrider.admin.Jobs;
import io.postrider.admin.Jobs.State;
import io.postrider.admin.Watch;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The traces that a failure leaves for an operator, and how long a failing job is retried. */
@Migrated
class FailureTraceTest {
    private static final Reach PROJECT = Reach.project("p");

    @Test
    void a_job_keeps_the_stack_trace_of_its_last_failure_for_operators(TestDatabase database) {
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q")
                            .handling("t", job -> fail("line one\nline two"))
                            .withRetry("t", RetryPolicy.table(Duration.ZERO, Duration.ofHours(1)))
                            .handlingInTransaction("x", (connection, job) -> fail("in a transaction"))
                            .withRetry("x", RetryPolicy.never()))
                    .start();
            UUID waits = enqueue(node, Job.of("q", "t", "{}").withProject("p"));
            UUID dead = enqueue(node, Job.of("q", "x", "{}").withProject("p"));
            Await.until(
                    "two attempts are over",
                    () -> status(node, waits).attempts() == 2
                            && status(node, waits).state() == State.PENDING);
            awaitState(node, dead, State.FAILED);
            assertThat(status(node, waits).error()).isEqualTo("java.lang.IllegalStateException: line one line two");
            assertThat(status(node, waits).stack())
                    .startsWith("java.lang.IllegalStateException: line one")
                    .contains("at io.postrider.FailureTraceTest.fail(", "Caused by: java.io.IOException: root");
            assertThat(status(node, dead).stack()).contains("in a transaction", "Caused by: java.io.IOException: root");
            Jobs jobs = node.postrider.jobs();
            assertThat(jobs.find(Reach.all(), dead).orElseThrow().stack()).isNotNull();
            assertThat(jobs.find(PROJECT, dead).orElseThrow().stack()).isNull();
            assertThat(jobs.find(PROJECT, waits).orElseThrow().stack()).isNull();
            assertThat(jobs.list(PROJECT, new Jobs.Wanted("q", null, null, 10)).jobs())
                    .hasSize(2)
                    .allMatch(job -> job.stack() == null);
            assertThat(node.deadLetters("queue:q"))
                    .singleElement()
                    .satisfies(letter -> assertThat(letter.stack()).contains("Caused by"));
        }
    }

    @Test
    void a_dead_letter_of_a_listener_has_the_stack_trace_for_operators(TestDatabase database) {
        try (Node node = new Node(database)) {
            node.with(Listener.transactional("l", "orders", (connection, event) -> fail("no"))
                    .withAttempts(2)
                    .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1)));
            node.emit(Event.of("orders", "a", "{}").withProject("p"));
            Await.until("it is dead", () -> node.deadLetters("l").size() == 1);
            DeadLetter letter = node.deadLetters("l").get(0);
            assertThat(letter.error()).isEqualTo("java.lang.IllegalStateException: no");
            assertThat(letter.stack()).contains("FailureTraceTest.fail(", "Caused by: java.io.IOException: root");
            DeadLetters letters = node.postrider.deadLetters();
            assertThat(letters.find(Reach.all(), DeadLetters.Filter.all(), 0, 10)
                            .letters())
                    .singleElement()
                    .satisfies(one -> assertThat(one.stack()).isNotNull());
            assertThat(letters.find(PROJECT, DeadLetters.Filter.all(), 0, 10).letters())
                    .singleElement()
                    .satisfies(one -> assertThat(one.stack()).isNull());
        }
    }

    /** In an outage that outlasts all attempts, none is counted, the reason is visible, and afterwards the job is done. */
    @Test
    void an_unavailable_job_counts_no_attempt(TestDatabase database) {
        AtomicBoolean away = new AtomicBoolean(true);
        AtomicInteger calls = new AtomicInteger();
        List<JobEnd> ends = new CopyOnWriteArrayList<>();
        Watch watch = new Watch() {
            @Override
            public void jobEnded(ClaimedJob job, JobEnd end, Duration took) {
                ends.add(end);
            }
        };
        try (Node node = new Node(database, options -> options.withWatch(watch))) {
            node.postrider
                    .add(Worker.on("q")
                            .handling("t", job -> {
                                int call = calls.incrementAndGet();
                                return away.get()
                                        ? Fate.unavailable(
                                                Duration.ofMillis(call < 5 ? 1 : 3_600_000), "mail server is down")
                                        : Fate.done();
                            })
                            .withRetry("t", RetryPolicy.never()))
                    .start();
            UUID id = enqueue(node, Job.of("q", "t", "{}"));
            Await.until(
                    "it was tried five times",
                    () -> calls.get() == 5 && status(node, id).state() == State.PENDING);
            Jobs.Status job = status(node, id);
            assertThat(job.attempts()).isZero();
            assertThat(job.waitsFor()).isEqualTo("unavailable");
            assertThat(job.errorCode()).isEqualTo("unavailable");
            assertThat(job.error()).isEqualTo("mail server is down");
            away.set(false);
            assertThat(node.postrider.jobs().retry(id)).isTrue();
            awaitState(node, id, State.DONE);
            assertThat(ends).containsOnly(JobEnd.UNAVAILABLE, JobEnd.DONE);
        }
    }

    @Test
    void by_default_a_job_is_tried_for_about_a_day() {
        RetryPolicy policy = RetryPolicy.defaults();
        assertThat(policy.attempts()).isEqualTo(25);
        for (int run = 0; run < 100; run++) {
            Duration sum = IntStream.range(1, 25)
                    .mapToObj(attempt -> policy.after(attempt).orElseThrow())
                    .reduce(Duration.ZERO, Duration::plus);
            assertThat(sum).isBetween(Duration.ofHours(17), Duration.ofHours(35));
        }
        assertThat(policy.after(1).orElseThrow()).isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
        assertThat(policy.after(25)).isEmpty();
    }

    private static Fate fail(String why) {
        throw new IllegalStateException(why, new java.io.IOException("root"));
    }
}
