package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@PostgresTest
@Tag("hot")
class FirstJobTest {
    @Test
    @Tag("alone")
    void a_hundred_jobs_created_at_once_are_done_once_each_within_five_seconds(TestDatabase database) {
        List<Long> done = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("mail").handling("welcome", job -> {
                        done.add(job.position());
                        return Fate.done();
                    }))
                    .start();
            long began = System.nanoTime();
            node.inTransaction(connection -> node.postrider.enqueueAll(
                    connection,
                    IntStream.rangeClosed(1, 100)
                            .mapToObj(i -> Job.of("mail", "welcome", "{\"n\":" + i + "}"))
                            .toList()));
            awaitSettled(node, 100);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
            assertThat(done).hasSize(100).doesNotHaveDuplicates();
        }
    }

    @Test
    void a_job_without_a_notification_is_found_by_the_poll_of_each_second(TestDatabase database) {
        List<Long> done = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database, options -> options.withNotify(false));
                Psql psql = new Psql(database)) {
            node.postrider
                    .add(Worker.on("mail").handling("welcome", job -> {
                        done.add(job.position());
                        return Fate.done();
                    }))
                    .start();
            for (int i = 1; i <= 3; i++) {
                psql.text("select postrider.enqueue('mail', 'welcome', '{}')::text");
                int wanted = i;
                Await.until("it is done", Duration.ofSeconds(60), () -> done.size() == wanted);
            }
            assertThat(done).containsExactly(1L, 2L, 3L);
        }
    }

    @Test
    void a_job_that_is_rolled_back_never_runs(TestDatabase database) {
        List<String> done = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("mail").handling("welcome", job -> {
                        done.add(job.payload());
                        return Fate.done();
                    }))
                    .start();
            node.inTransaction(connection -> {
                node.postrider.enqueue(connection, Job.of("mail", "welcome", "1"));
                connection.rollback();
                node.postrider.enqueue(connection, Job.of("mail", "welcome", "2"));
            });
            awaitSettled(node, 1);
            assertThat(done).containsExactly("2");
        }
    }

    @Test
    void a_failing_job_is_retried_and_then_becomes_a_dead_letter(TestDatabase database) {
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("mail")
                            .handling("welcome", job -> {
                                attempts.add(job.attempt());
                                throw new IllegalStateException("no");
                            })
                            .withRetry("welcome", RetryPolicy.table(Duration.ZERO, Duration.ofMillis(20))))
                    .start();
            node.inTransaction(connection -> node.postrider.enqueue(connection, Job.of("mail", "welcome", "{}")));
            Await.until("it is dead", () -> node.number("select count(*) from postrider.dead_letter") == 1);
            assertThat(attempts).containsExactly(1, 2, 3);
            assertThat(node.deadLetters("queue:mail"))
                    .singleElement()
                    .satisfies(letter -> assertThat(letter.error()).contains("IllegalStateException: no"));
            assertThat(node.number("select count(*) from postrider.delayed")).isZero();
        }
    }

    @Test
    @Tag("alone")
    void a_scheduled_job_does_not_start_early(TestDatabase database) {
        AtomicInteger done = new AtomicInteger();
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("mail").handling("welcome", job -> {
                        done.incrementAndGet();
                        return Fate.done();
                    }))
                    .start();
            node.inTransaction(connection -> node.postrider.enqueue(
                    connection,
                    Job.of("mail", "welcome", "{}").withRunAt(Instant.now().plusMillis(700))));
            Await.until("it waits", () -> node.number("select count(*) from postrider.delayed where why = 'due'") == 1);
            assertThat(done.get()).isZero();
            Await.until("it is done", () -> node.number("select count(*) from postrider.finish") == 1);
            assertThat(node.number("select extract(epoch from (f.claimed_at - e.due_at)) * 1000 from postrider.finish f"
                            + " join postrider.event e on e.topic = f.topic"))
                    .isBetween(0L, 500L);
        }
    }

    @Test
    void effects_of_a_transactional_handler_happen_once(TestDatabase database) {
        try (Node node = new Node(database)) {
            node.execute("create table booked (position bigint)");
            AtomicInteger calls = new AtomicInteger();
            node.postrider
                    .add(Worker.on("books").handlingInTransaction("book", (connection, job) -> {
                        book(connection, job.position());
                        return calls.incrementAndGet() % 7 == 0 ? Fate.retry(Duration.ZERO) : Fate.done();
                    }))
                    .start();
            node.inTransaction(connection -> node.postrider.enqueueAll(
                    connection,
                    IntStream.rangeClosed(1, 50)
                            .mapToObj(i -> Job.of("books", "book", "{}"))
                            .toList()));
            Await.until("all are booked", () -> node.number("select count(*) from booked") == 50);
            assertThat(node.number("select count(distinct position) from booked"))
                    .isEqualTo(50);
        }
    }

    @Test
    void a_job_of_an_unknown_type_is_left_for_a_node_that_handles_it(TestDatabase database) {
        List<String> done = new CopyOnWriteArrayList<>();
        try (Node old = new Node(database);
                Node young = new Node(database)) {
            old.postrider
                    .add(Worker.on("mail").handling("known", job -> {
                        done.add("old " + job.type());
                        return Fate.done();
                    }))
                    .start();
            old.inTransaction(connection -> {
                old.postrider.enqueue(connection, Job.of("mail", "new", "{}"));
                old.postrider.enqueue(connection, Job.of("mail", "known", "{}"));
            });
            Await.until(
                    "it is left",
                    () -> old.number("select count(*) from postrider.delayed where why = 'unknown'") == 1);
            young.postrider
                    .add(Worker.on("mail").handling("new", job -> {
                        done.add("young " + job.type() + " " + job.attempt());
                        return Fate.done();
                    }))
                    .start();
            Await.until("both are done", () -> done.size() == 2);
            assertThat(done).containsExactly("old known", "young new 1");
        }
    }

    @Test
    void two_nodes_never_do_the_same_job(TestDatabase database) {
        ConcurrentHashMap<Long, Integer> done = new ConcurrentHashMap<>();
        try (Node one = new Node(database);
                Node other = new Node(database)) {
            List<Node> nodes = List.of(one, other);
            nodes.forEach(node -> node.postrider
                    .add(Worker.on("mail").withSlots(4).handling("welcome", job -> {
                        done.merge(job.position(), 1, Integer::sum);
                        return Fate.done();
                    }))
                    .start());
            for (int round = 0; round < 20; round++) {
                List<Job> jobs = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    jobs.add(Job.of("mail", "welcome", "{}"));
                }
                one.inTransaction(connection -> one.postrider.enqueueAll(connection, jobs));
            }
            awaitSettled(one, 2_000);
            assertThat(done).hasSize(2_000);
            assertThat(done.values()).containsOnly(1);
        }
    }

    private static void awaitSettled(Node node, long jobs) {
        Await.until(
                jobs + " are settled",
                Duration.ofSeconds(60),
                () -> node.number("select coalesce(sum(upper(r) - lower(r)), 0) from postrider.settlement s,"
                                + " unnest(s.positions) r where s.fate = 'done'")
                        == jobs);
    }

    private static void book(Connection connection, long position) throws Exception {
        try (PreparedStatement insert = connection.prepareStatement("insert into booked values (?)")) {
            insert.setLong(1, position);
            insert.executeUpdate();
        }
    }
}
