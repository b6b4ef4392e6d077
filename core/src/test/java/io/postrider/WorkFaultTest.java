package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static io.postrider.JobDesk.status;
import static io.postrider.JobDesk.takeMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.admin.JobEnd;
import io.postrider.admin.Jobs.Cancelled;
import io.postrider.admin.Jobs.State;
import io.postrider.admin.Queues.Limits;
import io.postrider.admin.Watch;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What would stop a worker, or let it do too much: one odd job, one odd handler, one odd neighbour. */
@PostgresTest
@Tag("slow")
class WorkFaultTest {
    /** Jobs that are done before a rate is measured, so that the worker has seen that they are quick. */
    private static final int QUICK = 60;

    private final TestDatabase database;

    WorkFaultTest(TestDatabase database) {
        this.database = database;
    }

    @Tag("hot")
    @Test
    void a_job_for_the_year_9999_does_not_stop_the_others() {
        try (Node node = new Node(database)) {
            node.postrider.add(worker(new CopyOnWriteArrayList<>())).start();
            UUID far = enqueue(node, Job.of("q", "t", "{}").withRunAt(Instant.parse("9999-01-01T00:00:00Z")));
            Await.until("it is put aside", () -> node.number("select count(*) from postrider.delayed") == 1);
            awaitState(node, enqueue(node, Job.of("q", "t", "{}")), State.DONE);
            assertThat(status(node, far).state()).isEqualTo(State.PENDING);
        }
    }

    /** Else whoever takes this worker over, or counts what runs, does not see it. */
    @Test
    void a_long_job_of_one_queue_stays_claimed_while_another_queue_continues() {
        CountDownLatch go = new CountDownLatch(1);
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("long").handling("t", job -> {
                        go.await();
                        return Fate.done();
                    }))
                    .add(worker(new CopyOnWriteArrayList<>()))
                    .start();
            UUID slow = enqueue(node, Job.of("long", "t", "{}"));
            awaitState(node, slow, State.IN_PROGRESS);
            for (int i = 0; i < 5; i++) {
                awaitState(node, enqueue(node, Job.of("q", "t", "{}")), State.DONE);
            }
            assertThat(node.number("select count(*) from postrider.open_claims() where topic = 'queue:long'"))
                    .isEqualTo(1);
            assertThat(node.number("select h.jobs from postrider.hand_over_next("
                            + "(select max(id) from postrider.worker), 3, 0, 2147483647) h"))
                    .isEqualTo(1);
            go.countDown();
            awaitState(node, slow, State.DONE);
        } finally {
            go.countDown();
        }
    }

    @Tag("hot")
    @Test
    void a_fate_that_cannot_be_written_affects_only_its_job() {
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q").handling("t", job -> switch (job.payload()) {
                        case "1" -> Fate.dead("a\0b");
                        case "2" -> new Fate.Done("1e999999"); // past the check of Fate.done
                        case "3" -> Fate.cancel("a\0b");
                        default -> Fate.done();
                    }))
                    .start();
            List<UUID> ids = new ArrayList<>();
            node.inTransaction(connection -> {
                for (int i = 1; i <= 6; i++) {
                    ids.add(node.postrider.enqueue(connection, Job.of("q", "t", "" + i)));
                }
            });
            awaitState(node, ids.get(0), State.FAILED);
            awaitState(node, ids.get(1), State.FAILED);
            awaitState(node, ids.get(2), State.CANCELLED);
            awaitState(node, ids.get(5), State.DONE);
            assertThat(status(node, ids.get(0)).error()).isEqualTo("a?b");
            assertThat(status(node, ids.get(0)).errorCode()).isEqualTo("dead");
            assertThat(status(node, ids.get(1)).error()).startsWith("the outcome of the job cannot be written");
            assertThat(status(node, ids.get(2)).result()).isEqualTo("\"a?b\"");
        }
    }

    @Test
    void a_watch_that_throws_is_ignored() {
        AtomicInteger told = new AtomicInteger();
        Watch watch = new Watch() {
            @Override
            public void jobBegun(ClaimedJob job) {
                throw new IllegalStateException("begun " + told.incrementAndGet());
            }

            @Override
            public void jobEnded(ClaimedJob job, JobEnd end, Duration took) {
                throw new IllegalStateException("ended " + told.incrementAndGet());
            }
        };
        try (Node node = new Node(database, options -> options.withWatch(watch))) {
            node.postrider.add(worker(new CopyOnWriteArrayList<>())).start();
            for (int i = 0; i < 3; i++) {
                awaitState(node, enqueue(node, Job.of("q", "t", "{}")), State.DONE);
            }
        }
        assertThat(told).hasValue(6);
    }

    @Tag("hot")
    @Test
    void a_producer_that_waits_for_a_unique_key_blocks_no_other() {
        CountDownLatch go = new CountDownLatch(1);
        try (Node node = new Node(database);
                Psql producer = new Psql(database)) {
            node.postrider
                    .add(Worker.on("q").handling("t", job -> {
                        go.await(60, TimeUnit.SECONDS);
                        return Fate.done();
                    }))
                    .start();
            UUID held = enqueue(node, Job.of("q", "t", "{}").withUnique("k"));
            awaitState(node, held, State.IN_PROGRESS);
            producer.begin();
            assertThat(producer.text("select postrider.enqueue('q', 't', '{}', unique_key => 'k')::text"))
                    .isEqualTo(held.toString());
            go.countDown();
            awaitState(node, held, State.DONE);
            producer.commit();
            assertThat(enqueue(node, Job.of("q", "t", "{}").withUnique("k")))
                    .as("the key is free again")
                    .isNotEqualTo(held);
        }
    }

    @Test
    void concurrent_producers_of_the_same_unique_keys_do_not_deadlock() {
        try (Node node = new Node(database)) {
            CompletableFuture<?>[] producers = IntStream.range(0, 4)
                    .mapToObj(producer -> CompletableFuture.runAsync(() -> enqueueShuffled(node, 20)))
                    .toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(producers).join();
        }
    }

    private static void enqueueShuffled(Node node, int times) {
        for (int i = 0; i < times; i++) {
            List<String> keys = new ArrayList<>(List.of("a", "b", "c", "d", "e"));
            Collections.shuffle(keys);
            node.inTransaction(connection -> node.postrider.enqueueAll(
                    connection,
                    keys.stream()
                            .map(key -> Job.of("q", "t", "{}").withUnique(key, Duration.ofMillis(1)))
                            .toList()));
        }
    }

    @Tag("hot")
    @Test
    void jobs_run_on_a_database_with_repeatable_read_by_default() {
        try (Psql admin = new Psql(database)) {
            admin.execute("do $$ begin execute format('alter database %I set default_transaction_isolation ="
                    + " %L', current_database(), 'repeatable read'); end $$");
        }
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q")
                            .handling("t", job -> job.attempt() == 1 ? Fate.retry(Duration.ZERO) : Fate.done()))
                    .start();
            awaitState(node, enqueue(node, Job.of("q", "t", "{}")), State.DONE);
        }
    }

    // ── cancelling ──────────────────────────────────────────────────────────────────────────────────────────────────

    @Tag("hot")
    @Test
    void a_running_job_that_was_cancelled_never_starts_again() throws Exception {
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q").handling("t", job -> {
                        calls.incrementAndGet();
                        began.countDown();
                        while (go.getCount() > 0) {
                            Thread.onSpinWait(); // heeds no interrupt
                        }
                        return Fate.retry(Duration.ZERO);
                    }))
                    .start();
            UUID id = enqueue(node, Job.of("q", "t", "{}"));
            assertThat(began.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(node.postrider.jobs().cancel(id, "enough")).isEqualTo(Cancelled.ASKED);
            go.countDown();
            awaitState(node, id, State.CANCELLED);
            assertThat(calls).hasValue(1);
            assertThat(node.number("select count(*) from postrider.cancellation"))
                    .isZero();
        }
    }

    @Test
    void a_scheduled_job_that_is_cancelled_at_any_moment_never_runs() {
        List<Long> done = new CopyOnWriteArrayList<>();
        Set<UUID> cancelled = ConcurrentHashMap.newKeySet();
        try (Node node = new Node(database)) {
            node.postrider.add(worker(done)).start();
            for (int i = 0; i < 60; i++) {
                UUID id = enqueue(
                        node, Job.of("q", "t", "{}").withRunAt(Instant.now().plusSeconds(4)));
                long until = System.nanoTime() + i % 12 * 1_000_000L;
                while (System.nanoTime() - until < 0) {
                    Thread.onSpinWait(); // another moment of its ride each time
                }
                node.postrider.jobs().cancel(id, "not wanted");
                cancelled.add(id);
            }
            cancelled.forEach(id -> awaitState(node, id, State.CANCELLED));
            UUID last =
                    enqueue(node, Job.of("q", "t", "{}").withRunAt(Instant.now().plusSeconds(5)));
            awaitState(node, last, State.DONE);
            assertThat(done).hasSize(1);
            assertThat(node.number("select count(*) from postrider.cancellation"))
                    .isZero();
        }
    }

    // ── limits and turns ────────────────────────────────────────────────────────────────────────────────────────────

    @Tag("hot")
    @Test
    void jobs_that_wait_for_their_key_are_done_by_the_next_node() throws Exception {
        List<Long> done = new CopyOnWriteArrayList<>();
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Node first = new Node(database);
        try (Node second = new Node(database)) {
            first.postrider.queues().limit("q", Limits.none().withPerKey(1));
            first.postrider
                    .add(Worker.on("q").handling("t", job -> {
                        began.countDown();
                        go.await(60, TimeUnit.SECONDS);
                        done.add(job.position());
                        return Fate.done();
                    }))
                    .start();
            for (int i = 0; i < 5; i++) {
                enqueue(first, Job.of("q", "t", "{}").withKey("k"));
            }
            assertThat(began.await(60, TimeUnit.SECONDS)).isTrue();
            Await.until("the others wait", () -> first.number("select count(*) from postrider.delayed") == 4);
            var closing = Background.run(first::close);
            go.countDown();
            closing.join();
            second.postrider.add(worker(done)).start();
            Await.until("all are done", () -> done.size() == 5);
            assertThat(done).containsExactly(1L, 2L, 3L, 4L, 5L);
        } finally {
            first.close();
        }
    }

    @Test
    void a_job_left_by_its_worker_runs_before_later_jobs_of_its_key() {
        List<Long> done = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            node.postrider.queues().limit("q", Limits.none().withPerKey(1));
            for (int i = 0; i < 4; i++) {
                enqueue(node, Job.of("q", "t", "{}").withKey("k" + i % 2));
            }
            psql.passAll();
            leave(psql, 2);
            node.postrider.add(worker(done)).start();
            Await.until("all are done", () -> done.size() == 4);
            assertThat(done.indexOf(1L)).isLessThan(done.indexOf(3L));
            assertThat(done.indexOf(2L)).isLessThan(done.indexOf(4L));
        }
    }

    @Tag("once")
    @Test
    @Tag("alone")
    void a_rate_limit_counts_starts_and_not_claims() {
        AtomicInteger quick = new AtomicInteger();
        List<Long> claimed = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database)) {
            node.postrider.queues().limit("q", Limits.none().withRate(1_000, Duration.ofSeconds(2)));
            node.postrider
                    .add(Worker.on("q").withSlots(1).handling("t", job -> {
                        if (job.position() <= QUICK) {
                            quick.incrementAndGet();
                            return Fate.done();
                        }
                        claimed.add(node.number("select sum(jobs) - " + QUICK + " from postrider.claim"));
                        if (claimed.size() == 1) {
                            takeMillis(1_900);
                        }
                        return Fate.done();
                    }))
                    .start();
            // Without a rate, a worker with quick jobs claims several ahead.
            enqueueMany(node, QUICK);
            Await.until("the quick ones are done", Duration.ofSeconds(60), () -> quick.get() == QUICK);
            node.postrider.queues().limit("q", Limits.none().withRate(10, Duration.ofSeconds(2)));
            long last = node.number("select max(n) from postrider.claim");
            enqueueMany(node, 20);
            Await.until("all are done", Duration.ofSeconds(60), () -> claimed.size() == 20);
            assertThat(node.number(WorkTest.mostBegunWithin("2 s", last))).isEqualTo(10);
        }
        assertThat(claimed)
                .as("jobs that count as begun when each begins: one that is claimed early begins in a later period")
                .isEqualTo(LongStream.rangeClosed(1, 20).boxed().toList());
    }

    private static void enqueueMany(Node node, int jobs) {
        node.inTransaction(connection -> node.postrider.enqueueAll(
                connection,
                IntStream.range(0, jobs).mapToObj(i -> Job.of("q", "t", "{}")).toList()));
    }

    @Test
    @Tag("alone")
    void delayed_jobs_of_high_priority_run_first() {
        List<String> begun = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database)) {
            Instant soon = Instant.now().plusSeconds(2);
            List<Job> jobs = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                jobs.add(Job.of("q", "t", "\"low\"").withPriority(Priority.LOW).withRunAt(soon));
            }
            for (int i = 0; i < 5; i++) {
                jobs.add(
                        Job.of("q", "t", "\"high\"").withPriority(Priority.HIGH).withRunAt(soon.plusMillis(200)));
            }
            node.inTransaction(connection -> node.postrider.enqueueAll(connection, jobs));
            node.postrider
                    .add(Worker.on("q").withSlots(2).handling("t", job -> {
                        begun.add(job.payload());
                        takeMillis(10);
                        return Fate.done();
                    }))
                    .start();
            Await.until("all are done", Duration.ofSeconds(60), () -> begun.size() == 305);
            assertThat(begun.lastIndexOf("\"high\""))
                    .as("not after all of the others")
                    .isLessThan(250);
        }
    }

    // ── suspects and leaving ────────────────────────────────────────────────────────────────────────────────────────

    @Test
    @Tag("alone")
    void a_suspect_on_a_paused_queue_is_not_polled_continuously() {
        AtomicInteger looks = new AtomicInteger();
        Watch watch = new Watch() {
            @Override
            public void jobsLookedFor(String queue, int claimed) {
                looks.incrementAndGet();
            }
        };
        List<Long> done = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database, options -> options.withWatch(watch));
                Psql psql = new Psql(database)) {
            enqueue(node, Job.of("q", "t", "{}"));
            psql.passAll();
            leave(psql, 1);
            psql.execute("update postrider.delayed set crashes = 2");
            node.postrider.queues().pause("q");
            node.postrider.add(worker(done)).start();
            Await.until("it looks", () -> looks.get() > 0);
            int before = looks.get();
            long began = System.nanoTime();
            Await.until("a second is over", () -> System.nanoTime() - began > 1_000_000_000L);
            assertThat(looks.get() - before).as("looks in a second").isLessThan(20);
            node.postrider.queues().resume("q");
            Await.until("it is done", () -> done.size() == 1);
        }
    }

    @Tag("once")
    @Test
    void a_job_that_ignores_the_shutdown_of_its_node_is_not_a_suspect() {
        AtomicBoolean stubborn = new AtomicBoolean(true);
        AtomicInteger calls = new AtomicInteger();
        Node first = new Node(database);
        try (Node second = new Node(database)) {
            first.postrider
                    .add(Worker.on("q").handling("t", job -> {
                        calls.incrementAndGet();
                        while (stubborn.get()) {
                            Thread.onSpinWait();
                        }
                        return Fate.done();
                    }))
                    .start();
            UUID id = enqueue(first, Job.of("q", "t", "{}"));
            Await.until("it runs", () -> calls.get() == 1);
            first.close();
            second.postrider.add(worker(new CopyOnWriteArrayList<>())).start();
            awaitState(second, id, State.DONE);
            assertThat(status(second, id).attempts()).isEqualTo(1);
            assertThat(second.number("select count(*) from postrider.worker where leaving"))
                    .isEqualTo(1);
        } finally {
            stubborn.set(false);
            first.close();
        }
    }

    // ── looking ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Tag("hot")
    @Test
    void a_job_is_found_and_cancelled_the_moment_it_is_committed() {
        try (Node node = new Node(database)) {
            UUID id = enqueue(node, Job.of("q", "t", "{}"));
            assertThat(status(node, id).state()).isEqualTo(State.PENDING);
            UUID other = enqueue(node, Job.of("q", "t", "{}"));
            assertThat(node.postrider.jobs().cancel(other, "not wanted")).isEqualTo(Cancelled.CANCELLED);
            assertThatThrownBy(() -> node.postrider.jobs().cancel(UUID.randomUUID(), "not wanted"))
                    .hasMessageContaining("no job");
        }
    }

    @Tag("hot")
    @Test
    void a_dead_job_takes_its_unique_key_again_or_is_refused() {
        AtomicBoolean broken = new AtomicBoolean(true);
        CountDownLatch go = new CountDownLatch(1);
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q").handling("t", job -> {
                        if (broken.get()) {
                            return Fate.dead("broken");
                        }
                        go.await(60, TimeUnit.SECONDS);
                        return Fate.done();
                    }))
                    .start();
            UUID first = enqueue(node, Job.of("q", "t", "{}").withUnique("k"));
            awaitState(node, first, State.FAILED);
            broken.set(false);
            UUID second = enqueue(node, Job.of("q", "t", "{}").withUnique("k"));
            assertThat(second).isNotEqualTo(first);
            assertThatThrownBy(() -> node.postrider.jobs().retry(first)).hasMessageContaining(second.toString());
            go.countDown();
            awaitState(node, second, State.DONE);
            assertThat(node.postrider.jobs().retry(first)).isTrue();
            awaitState(node, first, State.DONE);
        }
    }

    @Tag("hot")
    @Test
    void a_replayed_dead_job_takes_its_unique_key_again_or_stays_a_dead_letter() {
        AtomicBoolean broken = new AtomicBoolean(true);
        CountDownLatch go = new CountDownLatch(1);
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q").handling("t", job -> {
                        if (broken.get()) {
                            return Fate.dead("broken");
                        }
                        go.await(60, TimeUnit.SECONDS);
                        return Fate.done();
                    }))
                    .start();
            UUID held = enqueue(node, Job.of("q", "t", "{}").withUnique("held"));
            UUID free = enqueue(node, Job.of("q", "t", "{}").withUnique("free"));
            awaitState(node, held, State.FAILED);
            awaitState(node, free, State.FAILED);
            broken.set(false);
            UUID holder = enqueue(node, Job.of("q", "t", "{}").withUnique("held"));
            assertThat(replayAll(node)).isEqualTo(1);
            assertThat(status(node, held).state()).isEqualTo(State.FAILED);
            assertThat(enqueue(node, Job.of("q", "t", "{}").withUnique("free")))
                    .as("the job that holds the key of the replayed one")
                    .isEqualTo(free);
            go.countDown();
            awaitState(node, holder, State.DONE);
            awaitState(node, free, State.DONE);
            assertThat(node.number("select count(*) from postrider.unique_job"))
                    .as("keys that are still held")
                    .isZero();
            assertThat(replayAll(node)).isEqualTo(1);
            awaitState(node, held, State.DONE);
        }
    }

    @Test
    void a_replayed_dead_job_holds_the_unique_key_of_a_period_until_its_end() {
        AtomicBoolean broken = new AtomicBoolean(true);
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q").handling("t", job -> broken.get() ? Fate.dead("broken") : Fate.done()))
                    .start();
            Job daily = Job.of("q", "t", "{}").withUnique("daily", Duration.ofDays(1));
            UUID first = enqueue(node, daily);
            awaitState(node, first, State.FAILED);
            broken.set(false);
            assertThat(replayAll(node)).isEqualTo(1);
            awaitState(node, first, State.DONE);
            assertThat(enqueue(node, daily)).as("the job that holds the key").isEqualTo(first);
        }
    }

    @Test
    void a_dead_job_does_not_take_its_unique_key_from_a_job_that_is_enqueued_meanwhile() {
        try (Node node = new Node(database);
                Psql producer = new Psql(database)) {
            node.postrider
                    .add(Worker.on("q").handling("t", job -> Fate.dead("broken")))
                    .start();
            UUID first = enqueue(node, Job.of("q", "t", "{}").withUnique("k"));
            awaitState(node, first, State.FAILED);
            String second = producer.begin().text("select postrider.enqueue('q', 't', '{}', unique_key => 'k')::text");
            CompletableFuture<Boolean> retried =
                    Background.get(() -> node.postrider.jobs().retry(first));
            Await.until(
                    "the retry waits for the producer",
                    () -> node.number("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                                    + " and datname = current_database()")
                            == 1);
            producer.commit();
            assertThatThrownBy(retried::join).hasMessageContaining(second);
        }
    }

    private static int replayAll(Node node) {
        return node.postrider
                .deadLetters()
                .replay(node.deadLetters("queue:q").stream()
                        .map(letter -> letter.id())
                        .toList());
    }

    @Test
    void a_schedule_that_this_machine_cannot_read_does_not_stop_the_others() {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            node.postrider.schedules().set(Schedule.of("good", "* * * * *", "q", "t"));
            psql.execute("insert into postrider.schedule (name, queue, type, payload, cron, zone, next_at)"
                    + " values ('bad', 'q', 't', '{}', '* * * * *', 'Mars/Olympus', now() - interval '2 minutes')");
            psql.execute("update postrider.schedule set next_at = now() - interval '1 minute' where name = 'good'");
            node.postrider.add(worker(new CopyOnWriteArrayList<>())).start();
            Await.until("it ticks", () -> psql.number("select count(*) from postrider.jobs where state = 'DONE'") >= 1);
        }
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private static Worker worker(List<Long> done) {
        return Worker.on("q").handling("t", job -> {
            done.add(job.position());
            return Fate.done();
        });
    }

    /** Claims the next jobs as a worker that is gone then, and is taken over. */
    private static void leave(Psql psql, int jobs) {
        long worker = psql.number("insert into postrider.worker (node) values ('gone') returning id");
        psql.text("select count(*)::text from postrider.claim('q', 'queue:q', " + worker + ", " + jobs
                + ", 10, 1000000, null)");
        psql.text("select h.jobs::text from postrider.hand_over_next(" + worker + ", 5, 0, 2147483647) h");
    }
}
