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
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** How jobs are done, retried, limited, steered and taken over. */
@PostgresTest
@Tag("slow")
@Tag("hot")
class WorkTest {
    private final TestDatabase database;

    WorkTest(TestDatabase database) {
        this.database = database;
    }

    // ── fates ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void each_fate_leads_to_its_job_state() {
        Map<String, Integer> calls = new ConcurrentHashMap<>();
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q").handling("t", job -> {
                        int call = calls.merge(job.payload(), 1, Integer::sum);
                        return switch (job.payload()) {
                            case "\"result\"" -> Fate.done("{\"answer\": 42}");
                            case "\"retry\"" -> call == 1 ? Fate.retry(Duration.ZERO) : Fate.done();
                            case "\"snooze\"" -> call <= 2 ? Fate.snooze(Duration.ZERO) : Fate.done("" + job.attempt());
                            case "\"dead\"" -> Fate.dead("hopeless");
                            case "\"cancel\"" -> Fate.cancel("not needed");
                            default -> Fate.done();
                        };
                    }))
                    .start();
            List<UUID> ids = enqueue(node, "\"result\"", "\"retry\"", "\"snooze\"", "\"dead\"", "\"cancel\"");
            awaitState(node, ids.get(0), State.DONE);
            awaitState(node, ids.get(1), State.DONE);
            awaitState(node, ids.get(2), State.DONE);
            awaitState(node, ids.get(3), State.FAILED);
            awaitState(node, ids.get(4), State.CANCELLED);
            assertThat(status(node, ids.get(0)).result()).isEqualTo("{\"answer\": 42}");
            assertThat(status(node, ids.get(1)).attempts()).isEqualTo(2);
            assertThat(status(node, ids.get(2)).result())
                    .as("a snooze is no attempt")
                    .isEqualTo("1");
            assertThat(status(node, ids.get(3)).error()).isEqualTo("hopeless");
            assertThat(calls).containsEntry("\"dead\"", 1).containsEntry("\"cancel\"", 1);
        }
    }

    @Test
    void an_invalid_fate_or_job_is_refused_by_name() {
        assertThatThrownBy(() -> Fate.retry(Duration.ofSeconds(-1)))
                .hasMessageContaining("retry must be 0s..36500d, was -1s");
        assertThatThrownBy(() -> Fate.done("{")).hasMessageContaining("result");
        assertThatThrownBy(() -> Job.of("a:b", "t", "{}")).hasMessageContaining("queue must match");
        assertThatThrownBy(() -> Job.of("q", "t", "{}").withRunAt(Instant.parse("+10000-01-01T00:00:00Z")))
                .hasMessageContaining("before the year 10000");
        assertThatThrownBy(() -> Worker.on("q").withSlots(0)).hasMessageContaining("slots must be 1..10000");
        assertThatThrownBy(() -> Worker.on("q").withTimeout("t", Duration.ofSeconds(1)))
                .hasMessageContaining("has no handler yet");
        assertThatThrownBy(() -> Limits.none().withRunning(0)).hasMessageContaining("running limit must be 1..");
        try (Psql psql = new Psql(database);
                Node node = new Node(database)) {
            assertThatThrownBy(() -> node.postrider.add(Worker.on("q")).start()).hasMessageContaining("has no handler");
            assertThatThrownBy(() -> psql.text("select postrider.enqueue('q', 't', '{}', priority => 'urgent')::text"))
                    .hasMessageContaining("priority must be high, normal or low, was 'urgent'");
            assertThatThrownBy(() -> psql.text("select postrider.emit('queue:q:urgent', 't', '{}')::text"))
                    .hasMessageContaining("queue_topic_is_a_lane");
            assertThatThrownBy(() -> psql.text("select postrider.enqueue('q', 't', '{}', unique_key => '')::text"))
                    .hasMessageContaining("unique_key must have 1..1024 bytes");
            assertThatThrownBy(() -> psql.text("select postrider.enqueue('q', null, '{}')::text"))
                    .hasMessageContaining("type must be given");
            assertThatThrownBy(() -> psql.text("select postrider.enqueue('q', 't', '{}', '10000-01-01')::text"))
                    .hasMessageContaining("before the year 10000");
        }
    }

    @Test
    void job_ids_begin_with_the_time_in_java_and_sql() {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            long before = System.currentTimeMillis() - 1_000; // two clocks
            UUID java = enqueue(node, "{}").get(0);
            UUID sql = UUID.fromString(psql.text("select postrider.enqueue('q', 't', '{}')::text"));
            for (UUID id : List.of(java, sql)) {
                assertThat(id.version()).isEqualTo(7);
                assertThat(id.variant()).isEqualTo(2);
                assertThat(id.getMostSignificantBits() >>> 16).isBetween(before, System.currentTimeMillis() + 1_000);
            }
        }
    }

    @Test
    void a_handler_that_returns_null_has_failed() {
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q").handling("t", job -> null).withRetry("t", RetryPolicy.never()))
                    .start();
            UUID id = enqueue(node, "{}").get(0);
            awaitState(node, id, State.FAILED);
            assertThat(status(node, id).error()).contains("returned null instead of a fate");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"commit", "rollback", "commit; select 1", "commit and chain", "rollback and chain"})
    void a_handler_that_ends_the_transaction_by_a_statement_has_failed(String statement) {
        Fate[] fates = {Fate.done(), Fate.snooze(Duration.ZERO)};
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q")
                            .handlingInTransaction("t", (connection, job) -> {
                                try (Statement ending = connection.createStatement()) {
                                    ending.execute(statement);
                                }
                                return fates[job.attempt() - 1];
                            })
                            .withRetry("t", RetryPolicy.table(Duration.ZERO)))
                    .start();
            UUID id = enqueue(node, "{}").get(0);
            awaitState(node, id, State.FAILED);
            assertThat(status(node, id).error()).contains("ended the transaction with its own statement");
            assertThat(status(node, id).attempts())
                    .as("by the range and by itself")
                    .isEqualTo(2);
        }
    }

    @Test
    void a_job_that_takes_too_long_is_interrupted_and_has_failed() {
        AtomicBoolean interrupted = new AtomicBoolean();
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q")
                            .handling("t", job -> {
                                try {
                                    new CountDownLatch(1).await();
                                } catch (InterruptedException e) {
                                    interrupted.set(true);
                                    throw e;
                                }
                                return Fate.done();
                            })
                            .withRetry("t", RetryPolicy.never())
                            .withTimeout("t", Duration.ofMillis(50)))
                    .start();
            UUID id = enqueue(node, "{}").get(0);
            awaitState(node, id, State.FAILED);
            assertThat(interrupted).isTrue();
            assertThat(status(node, id).error()).isEqualTo("it took longer than its timeout of PT0.05S");
        }
    }

    @Test
    void the_progress_of_a_running_job_is_visible_until_it_ends() throws Exception {
        List<ClaimedJob> claimed = new CopyOnWriteArrayList<>();
        CountDownLatch half = new CountDownLatch(1);
        CountDownLatch seen = new CountDownLatch(1);
        try (Node node = new Node(database)) {
            JobHandler.Plain handler = job -> {
                claimed.add(job);
                node.postrider.report(job, 10, null);
                node.postrider.report(job, 50, "half of it");
                half.countDown();
                seen.await(60, TimeUnit.SECONDS);
                return Fate.done();
            };
            node.postrider
                    .add(Worker.on("q")
                            .handling("t", handler)
                            .handlingInTransaction("in-transaction", (connection, job) -> handler.handle(job)))
                    .start();
            UUID plain = enqueue(node, Job.of("q", "t", "{}").withPriority(Priority.LOW));
            UUID transactional = enqueue(node, Job.of("q", "in-transaction", "{}"));
            for (UUID id : List.of(plain, transactional)) {
                Await.until(
                        "it is half done",
                        () -> Integer.valueOf(50).equals(status(node, id).progress()));
                assertThat(status(node, id).progressNote()).isEqualTo("half of it");
            }
            assertThatThrownBy(() -> node.postrider.report(claimed.get(0), 101, null))
                    .hasMessageContaining("percent must be 0..100, was 101");
            seen.countDown();
            awaitState(node, plain, State.DONE);
            awaitState(node, transactional, State.DONE);
            assertThat(node.number("select count(*) from postrider.progress")).isZero();
            Await.until("it is known to have ended", () -> {
                try {
                    node.postrider.report(claimed.get(0), 60, null);
                    return false;
                } catch (PostriderException e) {
                    return e.getMessage().contains("does not run on this node");
                }
            });
        }
    }

    @Test
    void a_watch_is_notified_of_every_attempt() {
        Map<String, AtomicInteger> told = new ConcurrentHashMap<>();
        Watch watch = new Watch() {
            private void count(String what) {
                told.computeIfAbsent(what, missing -> new AtomicInteger()).incrementAndGet();
            }

            @Override
            public void jobBegun(ClaimedJob job) {
                count("begun " + job.payload());
            }

            @Override
            public void jobEnded(ClaimedJob job, JobEnd end, Duration took) {
                assertThat(took).isPositive();
                count(end + " " + job.payload());
            }

            @Override
            public void jobsLookedFor(String queue, int claimed) {
                count("looked for " + queue);
            }
        };
        try (Node node = new Node(database, options -> options.withWatch(watch))) {
            node.postrider
                    .add(Worker.on("q")
                            .handling("t", job -> switch (job.payload()) {
                                case "1" -> Fate.done();
                                case "2" -> job.attempt() == 1 ? Fate.retry(Duration.ZERO) : Fate.done();
                                case "3" -> Fate.dead("hopeless");
                                case "4" -> Fate.cancel("not needed");
                                default -> throw new IllegalStateException("never");
                            })
                            .withRetry("t", RetryPolicy.table(Duration.ZERO)))
                    .start();
            enqueue(node, "1", "2", "3", "4", "5");
            Await.until("all have ended", () -> told.containsKey("DEAD 5") && told.containsKey("DONE 2"));
        }
        assertThat(told.remove("looked for q").get()).isPositive();
        Map<String, Integer> counted = new TreeMap<>();
        told.forEach((what, times) -> counted.put(what, times.get()));
        assertThat(counted)
                .isEqualTo(Map.ofEntries(
                        Map.entry("begun 1", 1),
                        Map.entry("DONE 1", 1),
                        Map.entry("begun 2", 2),
                        Map.entry("RETRIED 2", 1),
                        Map.entry("DONE 2", 1),
                        Map.entry("begun 3", 1),
                        Map.entry("DEAD 3", 1),
                        Map.entry("begun 4", 1),
                        Map.entry("CANCELLED 4", 1),
                        Map.entry("begun 5", 2),
                        Map.entry("RETRIED 5", 1),
                        Map.entry("DEAD 5", 1)));
    }

    @Test
    void a_dead_job_is_done_when_it_is_retried() {
        AtomicBoolean broken = new AtomicBoolean(true);
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q").handling("t", job -> broken.get() ? Fate.dead("broken") : Fate.done()))
                    .start();
            UUID id = enqueue(node, "{}").get(0);
            awaitState(node, id, State.FAILED);
            broken.set(false);
            assertThat(node.postrider.jobs().retry(id)).isTrue();
            awaitState(node, id, State.DONE);
            assertThat(node.postrider.jobs().retry(id)).isFalse();
            assertThat(status(node, id).attempts()).isEqualTo(1);
        }
    }

    @Test
    void dead_letters_of_jobs_are_replayed_like_others_and_done() {
        AtomicBoolean broken = new AtomicBoolean(true);
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q").handling("t", job -> broken.get() ? Fate.dead("broken") : Fate.done()))
                    .start();
            List<UUID> ids = enqueue(node, "1", "2", "3");
            ids.forEach(id -> awaitState(node, id, State.FAILED));
            broken.set(false);
            var letters = node.postrider.deadLetters();
            assertThat(letters.replay(node.deadLetters("queue:q").stream()
                            .map(letter -> letter.id())
                            .toList()))
                    .isEqualTo(3);
            ids.forEach(id -> awaitState(node, id, State.DONE));
        }
        assertThatThrownBy(() -> Listener.relay("queue:q", "t", event -> {})).hasMessageContaining("queue:");
    }

    // ── unique keys ─────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_unique_job_exists_once_until_it_is_finished() {
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger done = new AtomicInteger();
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q").handling("t", job -> {
                        go.await();
                        done.incrementAndGet();
                        return Fate.done();
                    }))
                    .start();
            UUID first = enqueue(node, Job.of("q", "t", "{}").withUnique("k"));
            assertThat(enqueue(node, Job.of("q", "t", "{}").withUnique("k"))).isEqualTo(first);
            assertThat(enqueue(node, Job.of("q", "t", "{}").withUnique("other")))
                    .isNotEqualTo(first);
            go.countDown();
            awaitState(node, first, State.DONE);
            Await.until("the key is free", () -> node.number("select count(*) from postrider.unique_job") == 0);
            UUID second = enqueue(node, Job.of("q", "t", "{}").withUnique("k"));
            assertThat(second).isNotEqualTo(first);
            awaitState(node, second, State.DONE);
            assertThat(done).hasValue(3);
        }
    }

    @Test
    void a_key_that_is_held_for_a_period_outlives_the_job() {
        try (Node node = new Node(database)) {
            node.postrider.add(Worker.on("q").handling("t", job -> Fate.done())).start();
            UUID first = enqueue(node, Job.of("q", "t", "{}").withUnique("k", Duration.ofHours(1)));
            awaitState(node, first, State.DONE);
            assertThat(enqueue(node, Job.of("q", "t", "{}").withUnique("k"))).isEqualTo(first);
            node.execute("update postrider.unique_job set until = until - interval '1 hour'");
            assertThat(enqueue(node, Job.of("q", "t", "{}").withUnique("k"))).isNotEqualTo(first);
        }
    }

    @Test
    void a_key_whose_transaction_rolls_back_was_never_held() {
        try (Node node = new Node(database);
                Psql other = new Psql(database)) {
            other.begin().text("select postrider.enqueue('q', 't', '{}', unique_key => 'k')::text");
            var waiting =
                    Background.get(() -> enqueue(node, Job.of("q", "t", "{}").withUnique("k")));
            Await.until(
                    "the second waits for the first",
                    () -> node.number("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                                    + " and datname = current_database()")
                            == 1);
            other.rollback();
            UUID id = waiting.join();
            assertThat(node.number("select count(*) from postrider.event where event_id = '" + id + "'"))
                    .isEqualTo(1);
        }
    }

    // ── cancelling ──────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_job_is_cancelled_before_it_is_claimed_while_it_waits_and_while_it_runs() {
        CountDownLatch began = new CountDownLatch(1);
        AtomicInteger done = new AtomicInteger();
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            UUID unclaimed = enqueue(node, "1").get(0);
            UUID later =
                    enqueue(node, Job.of("q", "t", "2").withRunAt(Instant.now().plusSeconds(3600)));
            psql.passAll();
            assertThat(node.postrider.jobs().cancel(unclaimed, "no")).isEqualTo(Cancelled.CANCELLED);
            assertThat(status(node, unclaimed).state()).isEqualTo(State.CANCELLED);
            node.postrider
                    .add(Worker.on("q").withSlots(1).handling("t", job -> {
                        if (job.payload().equals("3")) {
                            began.countDown();
                            new CountDownLatch(1).await();
                        }
                        done.incrementAndGet();
                        return Fate.done();
                    }))
                    .start();
            Await.until("it waits for its time", () -> node.number("select count(*) from postrider.delayed") == 1);
            assertThat(node.postrider.jobs().cancel(later, "no")).isEqualTo(Cancelled.CANCELLED);
            awaitState(node, later, State.CANCELLED);
            UUID running = enqueue(node, "3").get(0);
            began.await(60, TimeUnit.SECONDS);
            assertThat(node.postrider.jobs().cancel(running, "enough")).isEqualTo(Cancelled.ASKED);
            awaitState(node, running, State.CANCELLED);
            awaitState(node, unclaimed, State.CANCELLED);
            assertThat(done).hasValue(0);
            Await.until(
                    "nothing is left to cancel", () -> node.number("select count(*) from postrider.cancellation") == 0);
            UUID finished = enqueue(node, "4").get(0);
            awaitState(node, finished, State.DONE);
            assertThat(node.postrider.jobs().cancel(finished, "late")).isEqualTo(Cancelled.FINISHED);
            assertThatThrownBy(() -> node.postrider.jobs().cancel(UUID.randomUUID(), "who"))
                    .hasMessageContaining("no job");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void effects_of_a_cancelled_transaction_are_rolled_back_even_if_its_handler_goes_on() throws Exception {
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (Node node = new Node(database)) {
            node.execute("create table booked (position bigint)");
            node.postrider
                    .add(Worker.on("q").handlingInTransaction("t", (connection, job) -> {
                        try (var statement = connection.createStatement()) {
                            statement.execute("insert into booked values (" + job.position() + ")");
                        }
                        began.countDown();
                        awaitStubbornly(go);
                        return Fate.done();
                    }))
                    .start();
            UUID id = enqueue(node, "{}").get(0);
            assertThat(began.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(node.postrider.jobs().cancel(id, "enough")).isEqualTo(Cancelled.ASKED);
            go.countDown();
            awaitState(node, id, State.CANCELLED);
            assertThat(node.number("select count(*) from booked")).isZero();
        }
    }

    /** As a handler that does not heed interrupts. */
    private static void awaitStubbornly(CountDownLatch go) {
        while (go.getCount() > 0) {
            Thread.onSpinWait();
        }
    }

    // ── steering ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    @Tag("alone")
    void a_paused_queue_starts_no_job_and_a_resumed_one_continues() throws Exception {
        List<Long> done = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q").handling("t", job -> {
                        done.add(job.position());
                        return Fate.done();
                    }))
                    .start();
            enqueue(node, "1");
            Await.until("the first is done", () -> done.size() == 1);
            assertThat(node.postrider.queues().drain("q", Duration.ofSeconds(10)))
                    .isTrue();
            Duration resumed = Duration.ZERO;
            for (int round = 1; round <= 8; round++) {
                int before = done.size();
                node.postrider.queues().pause("q");
                enqueue(node, "2", "3");
                Await.until(
                        "they are there",
                        () -> node.number("select depth from postrider.queues where name = 'q'") == 2);
                assertThat(node.postrider.queues().list()).singleElement().satisfies(queue -> {
                    assertThat(queue.paused()).isTrue();
                    assertThat(queue.running()).isZero();
                });
                assertThat(done).hasSize(before);
                long began = System.nanoTime();
                node.postrider.queues().resume("q");
                Await.until("all are done", () -> done.size() == before + 2);
                resumed = resumed.plusNanos(System.nanoTime() - began);
                Await.until(
                        "all are settled",
                        () -> node.postrider.queues().list().get(0).running() == 0);
            }
            // A worker that is not notified polls a paused queue once a second: eight rounds would take about 7 s.
            assertThat(resumed).as("from resume to done, in eight rounds").isLessThan(Duration.ofSeconds(4));
        }
    }

    @Test
    void low_priority_waits_for_high_but_never_starves() {
        List<String> begun = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            List<Job> jobs = new ArrayList<>();
            for (Priority priority : List.of(Priority.LOW, Priority.NORMAL, Priority.HIGH)) {
                for (int i = 0; i < 200; i++) {
                    jobs.add(Job.of("q", "t", "\"" + priority + "\"").withPriority(priority));
                }
            }
            node.inTransaction(connection -> node.postrider.enqueueAll(connection, jobs));
            psql.passAll();
            node.postrider
                    .add(Worker.on("q").withSlots(1).handling("t", job -> {
                        begun.add(job.payload().replace("\"", ""));
                        takeMillis(1);
                        return Fate.done();
                    }))
                    .start();
            Await.until("all are done", Duration.ofSeconds(60), () -> begun.size() == 600);
            assertThat(begun.indexOf("HIGH")).isLessThan(begun.indexOf("LOW"));
            assertThat(begun.indexOf("LOW")).as("not after all of the others").isLessThan(390);
            assertThat(begun.lastIndexOf("HIGH")).isLessThan(begun.lastIndexOf("LOW"));
        }
    }

    @Test
    void no_more_jobs_of_a_queue_run_at_once_than_its_limit_on_all_nodes_together() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        try (Node one = new Node(database);
                Node other = new Node(database)) {
            one.postrider.queues().limit("q", Limits.none().withRunning(5));
            for (Node node : List.of(one, other)) {
                node.postrider
                        .add(Worker.on("q").withSlots(32).handling("t", job -> {
                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                            takeMillis(5);
                            running.decrementAndGet();
                            done.incrementAndGet();
                            return job.attempt() == 1 && job.position() % 10 == 0
                                    ? Fate.retry(Duration.ZERO)
                                    : Fate.done();
                        }))
                        .start();
            }
            enqueue(one, IntStream.range(0, 100).mapToObj(i -> "{}").toArray(String[]::new));
            Await.until("all are done", Duration.ofSeconds(60), () -> done.get() == 110);
            assertThat(most.get()).isBetween(2, 5);
        }
    }

    @Test
    void jobs_of_one_key_run_one_after_the_other_and_in_order() {
        Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
        Map<String, List<Long>> order = new ConcurrentHashMap<>();
        AtomicInteger overlaps = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        try (Node one = new Node(database);
                Node other = new Node(database)) {
            one.postrider.queues().limit("q", Limits.none().withPerKey(1));
            for (Node node : List.of(one, other)) {
                node.postrider
                        .add(Worker.on("q").withSlots(8).handling("t", job -> {
                            String key = String.valueOf(job.key());
                            AtomicInteger mine = running.computeIfAbsent(key, k -> new AtomicInteger());
                            if (mine.incrementAndGet() > 1) {
                                overlaps.incrementAndGet();
                            }
                            order.computeIfAbsent(key, k -> new CopyOnWriteArrayList<>())
                                    .add(job.position());
                            takeMillis(2);
                            mine.decrementAndGet();
                            done.incrementAndGet();
                            return Fate.done();
                        }))
                        .start();
            }
            for (int round = 0; round < 4; round++) {
                one.inTransaction(connection -> one.postrider.enqueueAll(
                        connection,
                        IntStream.range(0, 20)
                                .mapToObj(i -> Job.of("q", "t", "{}").withKey("k" + i % 4))
                                .toList()));
            }
            Await.until("all are done", Duration.ofSeconds(30), () -> done.get() == 80);
            assertThat(overlaps).hasValue(0);
            assertThat(order.values())
                    .allSatisfy(positions -> assertThat(positions).isSorted());
        }
    }

    @Test
    @Tag("alone")
    void no_more_jobs_start_in_a_period_than_the_rate_allows() {
        AtomicInteger begun = new AtomicInteger();
        try (Node node = new Node(database)) {
            node.postrider.queues().limit("q", Limits.none().withRate(10, Duration.ofMillis(1_500)));
            node.postrider
                    .add(Worker.on("q").withSlots(32).handling("t", job -> {
                        begun.incrementAndGet();
                        return Fate.done();
                    }))
                    .start();
            enqueue(node, IntStream.range(0, 35).mapToObj(i -> "{}").toArray(String[]::new));
            Await.until("all are done", Duration.ofSeconds(60), () -> begun.get() == 35);
            assertThat(node.number("select sum(jobs) from postrider.claim"))
                    .as("jobs that the database counted as begun")
                    .isEqualTo(35);
            assertThat(node.number(mostBegunWithin("1500 ms", 0))).isEqualTo(10);
        }
    }

    /** The most jobs begun in any period that ends after a claim, by the times that the database recorded. */
    static String mostBegunWithin(String period, long afterClaim) {
        return "select max(w.jobs) from postrider.claim c, lateral (select sum(b.jobs) as jobs from postrider.claim b"
                + " where b.at <= c.at and b.at > c.at - interval '" + period + "') w where c.n > " + afterClaim;
    }

    // ── workers that go ─────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_closing_node_finishes_running_jobs_and_releases_the_rest_without_an_attempt() {
        CountDownLatch began = new CountDownLatch(2);
        CountDownLatch go = new CountDownLatch(1);
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        Node first = new Node(database);
        try (Node second = new Node(database)) {
            first.postrider
                    .add(Worker.on("q").withSlots(2).handling("t", job -> {
                        began.countDown();
                        go.await();
                        attempts.add(job.attempt());
                        return Fate.done();
                    }))
                    .start();
            enqueue(first, "1", "2", "3", "4");
            assertThat(began.await(60, TimeUnit.SECONDS)).isTrue();
            var closing = Background.run(first::close);
            go.countDown();
            closing.join();
            assertThat(attempts).hasSize(2);
            second.postrider
                    .add(Worker.on("q").handling("t", job -> {
                        attempts.add(job.attempt());
                        return Fate.done();
                    }))
                    .start();
            Await.until("all are done", () -> attempts.size() == 4);
            assertThat(attempts).containsOnly(1);
            assertThat(second.number("select count(*) from postrider.worker where ended_at is null"))
                    .isEqualTo(1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            first.close();
        }
    }

    @Test
    void a_lost_node_connection_keeps_its_worker_number_and_no_job_runs_twice() {
        Map<Long, Integer> done = new ConcurrentHashMap<>();
        try (Node node = new Node(database, options -> options.withPoll(Duration.ofMillis(100)));
                Psql admin = new Psql(database)) {
            node.postrider
                    .add(Worker.on("q").withSlots(4).handling("t", job -> {
                        takeMillis(20);
                        done.merge(job.position(), 1, Integer::sum);
                        return Fate.done();
                    }))
                    .start();
            for (int round = 1; round <= 4; round++) {
                enqueue(node, IntStream.range(0, 20).mapToObj(i -> "{}").toArray(String[]::new));
                admin.text("select count(pg_terminate_backend(pid))::text from pg_locks where locktype = 'advisory'"
                        + " and classid = 'postrider.worker'::regclass::oid and granted");
                int wanted = round * 20;
                Await.until(wanted + " are done", Duration.ofSeconds(60), () -> done.size() == wanted);
            }
            assertThat(done.values()).containsOnly(1);
            assertThat(node.number("select count(*) from postrider.worker")).isEqualTo(1);
        }
    }

    @Tag("once")
    @Test
    void fifty_rolling_restarts_count_no_attempt_and_repeat_nothing() {
        Map<UUID, Integer> done = new ConcurrentHashMap<>();
        AtomicInteger attempts = new AtomicInteger();
        AtomicInteger enqueued = new AtomicInteger();
        Worker worker = Worker.on("q").withSlots(4).handling("t", job -> {
            attempts.accumulateAndGet(job.attempt(), Math::max);
            takeMillis(5);
            done.merge(job.id(), 1, Integer::sum);
            return Fate.done();
        });
        List<Node> nodes = new ArrayList<>();
        try (Node producer = new Node(database)) {
            for (int i = 0; i < 2; i++) {
                nodes.add(new Node(database));
                nodes.get(i).postrider.add(worker).start();
            }
            for (int restart = 0; restart < 50; restart++) {
                enqueue(producer, IntStream.range(0, 30).mapToObj(i -> "{}").toArray(String[]::new));
                enqueued.addAndGet(30);
                nodes.get(restart % 2).close();
                Node next = new Node(database);
                next.postrider.add(worker).start();
                nodes.set(restart % 2, next);
            }
            Await.until("all are done", Duration.ofSeconds(30), () -> done.size() == enqueued.get());
            assertThat(done.values()).containsOnly(1);
            assertThat(attempts).hasValue(1);
            assertThat(producer.number(
                            "select count(*) from postrider.jobs where state = 'DONE' and attempt_count <> 1"))
                    .isZero();
        } finally {
            nodes.forEach(Node::close);
        }
    }

    @Tag("once")
    @Test
    void jobs_too_large_to_be_read_at_once_are_each_done_once_and_of_one_key_in_order() {
        String large = "\"" + "x".repeat(60_000) + "\"";
        Map<String, List<Long>> order = new ConcurrentHashMap<>();
        AtomicInteger done = new AtomicInteger();
        try (Node node = new Node(database)) {
            Worker worker = Worker.on("q").withSlots(32).handling("t", job -> {
                order.computeIfAbsent(job.queue() + job.key(), missing -> new CopyOnWriteArrayList<>())
                        .add(job.position());
                done.incrementAndGet();
                return Fate.done();
            });
            node.postrider.queues().limit("serial", Limits.none().withPerKey(1));
            for (String queue : List.of("q", "serial")) {
                for (int slice = 0; slice < 4; slice++) {
                    node.inTransaction(connection -> node.postrider.enqueueAll(
                            connection,
                            IntStream.range(0, 100)
                                    .mapToObj(i -> Job.of(queue, "t", large).withKey("k" + i % 3))
                                    .toList()));
                }
            }
            node.postrider
                    .add(worker)
                    .add(Worker.on("serial").withSlots(8).handling("t", (JobHandler.Plain)
                            java.util.Objects.requireNonNull(worker.kind("t")).handler()))
                    .start();
            Await.until("all are done", Duration.ofSeconds(30), () -> done.get() == 800);
        }
        for (int key = 0; key < 3; key++) {
            assertThat(order.get("qk" + key)).doesNotHaveDuplicates();
            assertThat(order.get("serialk" + key)).doesNotHaveDuplicates().isSorted();
        }
        assertThat(done).hasValue(800);
    }

    @Tag("once")
    @ParameterizedTest
    @ValueSource(strings = {"halt", "memory"})
    void a_job_that_kills_the_process_is_isolated_and_its_neighbours_are_done(String how) {
        Postrider.on(database.dataSource()).migrate();
        try (Psql psql = new Psql(database)) {
            psql.execute("create table effect (position bigint)");
            for (int i = 1; i <= 20; i++) {
                psql.text("select postrider.enqueue('q', '" + (i == 7 ? "killer" : "good") + "', '\"" + how
                        + "\"')::text");
            }
            psql.passAll();
            int starts = 0;
            while (psql.number("select count(*) from postrider.jobs where state in ('PENDING', 'IN_PROGRESS')") > 0) {
                assertThat(++starts).as("starts").isLessThanOrEqualTo(5);
                try (ChildJvm child = ChildJvm.of(Deadly.class)
                        .withArguments(database.jdbcUrl())
                        .start()) {
                    Await.until(
                            "it is dead, or all is done",
                            Duration.ofSeconds(40),
                            () -> !child.isAlive()
                                    || psql.number("select count(*) from postrider.jobs"
                                                    + " where state in ('PENDING', 'IN_PROGRESS')")
                                            == 0);
                }
            }
            assertThat(psql.number("select count(distinct position) from effect"))
                    .isEqualTo(19);
            assertThat(psql.number("select count(*) from effect")).isEqualTo(19);
            assertThat(psql.row("select type, attempts, error from postrider.dead_letters"))
                    .isEqualTo("killer|3|3 workers ended while it ran, the last one while it ran alone");
        }
    }

    /** Ends the JVM as a crash in native code would, when it comes to the job. */
    static final class Deadly {
        public static void main(String[] args) throws Exception {
            PGSimpleDataSource dataSource = new PGSimpleDataSource();
            dataSource.setUrl(args[0]);
            Postrider postrider = Postrider.on(dataSource, Options.defaults().withPoll(Duration.ofMillis(100)));
            postrider.add(Worker.on("q")
                    .withSlots(8)
                    .handlingInTransaction("good", (connection, job) -> {
                        try (var statement = connection.createStatement()) {
                            statement.execute("insert into effect values (" + job.position() + ")");
                        }
                        return Fate.done();
                    })
                    .handling("killer", job -> {
                        if (job.payload().equals("\"halt\"")) {
                            Runtime.getRuntime().halt(9);
                        }
                        List<byte[]> hoard = new ArrayList<>(); // the child ends when there is no memory left
                        while (true) {
                            hoard.add(new byte[1 << 20]);
                        }
                    }));
            postrider.start();
            new CountDownLatch(1).await();
        }
    }
}
