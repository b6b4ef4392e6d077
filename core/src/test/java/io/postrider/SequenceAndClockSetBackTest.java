package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Jobs.State;
import io.postrider.admin.Schedules;
import io.postrider.admin.VerifyResult;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.SchemaName;
import io.postrider.internal.schedule.ScheduleTicks;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A sequence or a clock that was set back and an emptied table are detected, and nothing is lost or done twice. */
@Migrated
class SequenceAndClockSetBackTest {
    @Test
    void an_id_sequence_that_was_set_back_loses_no_event(TestDatabase database) {
        List<Long> heard = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            node.with(Listener.relay("l", "orders", event -> heard.add(event.position())));
            psql.emitMany("orders", "before", 200);
            node.awaitCursor("l", 200);
            psql.text("select setval('postrider.event_ids', 10)::text");
            for (int i = 0; i < 90; i++) {
                psql.emit("orders", "after" + i);
            }
            node.awaitCursor("l", 290);
            assertThat(heard)
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, 290).boxed().toList());
            assertThat(psql.texts("select reason from postrider.era order by era desc limit 1"))
                    .containsExactly("ids went back");
            assertThat(psql.number("select last_value from postrider.event_ids"))
                    .isGreaterThan(1_000_000);
            assertThat(psql.log("orders")).hasSize(290);
        }
        assertHolds(database);
    }

    @Test
    void a_restarted_id_sequence_is_detected_by_the_first_pass(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emitMany("orders", "before", 20).passAll();
            psql.execute("alter sequence postrider.event_ids restart");
            psql.emitMany("orders", "after", 5).passAll();
            psql.emitMany("orders", "later", 5).passAll();
            assertThat(psql.log("orders")).hasSize(30);
            assertThat(psql.number("select count(*) from postrider.era")).isEqualTo(2);
        }
        assertHolds(database);
    }

    /** The case that docs/operate.md names as not detected. */
    @Test
    void verify_finds_ids_that_were_set_back_and_overtaken_before_the_next_pass(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emitMany("orders", "before", 20).passAll();
            psql.emitMany("orders", "between", 20).passAll();
            psql.execute("select setval('postrider.event_ids', 10)");
            for (int i = 0; i < 35; i++) { // each is a transaction
                psql.emit("orders", "after" + i);
            }
            psql.passAll();
            assertThat(psql.log("orders")).as("ten are lost").hasSize(40 + 25);
            assertThat(psql.number("select count(*) from postrider.era")).isEqualTo(1);
        }
        assertThat(Postrider.on(database.dataSource()).verifier().verify(step -> {}))
                .filteredOn(proof -> !proof.holds())
                .isNotEmpty();
    }

    @Test
    void the_sequencer_recovers_from_an_emptied_pass_table(TestDatabase database) {
        List<Long> heard = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            node.with(Listener.relay("l", "orders", event -> heard.add(event.position())));
            for (int i = 0; i < 5; i++) {
                psql.emit("orders", "before" + i);
                node.awaitCursor("l", i + 1);
            }
            psql.execute("truncate postrider.pass");
            psql.emit("orders", "after");
            node.awaitCursor("l", 6);
            psql.emit("orders", "later");
            node.awaitCursor("l", 7);
            assertThat(heard).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
            assertThat(psql.texts("select reason from postrider.era order by era desc limit 1"))
                    .containsExactly("pass was emptied");
        }
        assertHolds(database);
    }

    @Test
    void the_sequencer_recovers_from_an_emptied_pass_table_with_a_backlog(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emit("orders", "first").passAll();
            psql.emitMany("orders", "large", 50);
            psql.text("select events::text from postrider.sequence(10)");
            assertThat(psql.number("select count(*) from postrider.backlog")).isPositive();
            psql.execute("truncate postrider.pass");
            psql.passAll();
            psql.emit("orders", "last").passAll();
            assertThat(psql.log("orders")).hasSize(52).endsWith("last");
        }
        assertHolds(database);
    }

    @Test
    void delivery_numbers_that_were_set_back_deliver_each_event_once(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            psql.execute("create table effects (position bigint)");
            node.with(Listener.transactional("l", "orders", (connection, event) -> {
                        try (var insert = connection.prepareStatement("insert into effects values (?)")) {
                            insert.setLong(1, event.position());
                            insert.execute();
                        }
                    })
                    .withBatch(2));
            psql.emitMany("orders", "before", 20);
            node.awaitCursor("l", 20);
            psql.text("select setval('postrider.delivery_numbers', 1)::text");
            psql.emitMany("orders", "after", 10);
            node.awaitCursor("l", 30);
            psql.text("select setval('postrider.delivery_numbers', 1)::text");
            node.postrider.reset("l", StartPoint.position(26));
            node.awaitCursor("l", 30);
            Await.until("the last five were done again", () -> psql.number("select count(*) from effects") == 35);
            assertThat(psql.number("select count(distinct position) from effects"))
                    .isEqualTo(30);
        }
        assertHolds(database);
    }

    /** Two claims of one number would share their settlements: a job would be settled before it ran. */
    @Test
    void claim_numbers_that_were_set_back_run_each_job_once(TestDatabase database) {
        List<String> done = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            for (String queue : List.of("q", "r")) {
                node.postrider.add(Worker.on(queue).handling("t", job -> {
                    done.add(queue + job.payload());
                    return Fate.done();
                }));
            }
            node.postrider.start();
            IntStream.range(0, 10).forEach(i -> awaitState(node, enqueue(node, Job.of("q", "t", "" + i)), State.DONE));
            long used = psql.number("select max(n) from postrider.claim");
            psql.text("select setval('postrider.claim_numbers', 1)::text");
            Await.until("it is moved on", () -> psql.number("select last_value from postrider.claim_numbers") > used);
            psql.text("select setval('postrider.claim_numbers', 1)::text");
            List<UUID> ids = new ArrayList<>();
            IntStream.range(10, 20).forEach(i -> ids.add(enqueue(node, Job.of("q", "t", "" + i))));
            ids.forEach(id -> awaitState(node, id, State.DONE));
            assertThat(psql.number("select count(*) - count(distinct n) from postrider.claim"))
                    .isZero();
            assertThat(done).hasSize(20).doesNotHaveDuplicates();
        }
        assertHolds(database);
    }

    @Test
    void a_schedule_that_ticked_while_the_clock_was_ahead_is_moved_back(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            Schedules schedules = node.postrider.schedules();
            ScheduleTicks ticks = new ScheduleTicks(new Database(node.dataSource, SchemaName.of("postrider")));
            schedules.set(Schedule.of("minutely", "* * * * *", "q", "t"));
            schedules.set(Schedule.of("yearly", "0 0 29 2 *", "q", "t"));
            Instant leapDay = schedules.list().get(1).nextAt();
            psql.execute(
                    "update postrider.schedule set next_at = next_at + interval '40 days' where name = 'minutely'");
            assertThat(ticks.tooFar())
                    .singleElement()
                    .satisfies(one -> assertThat(one.status().schedule().name()).isEqualTo("minutely"));
            node.postrider.add(Worker.on("q").handling("t", job -> Fate.done())).start();
            Await.until(
                    "it is moved back",
                    Duration.ofSeconds(10),
                    () -> ticks.tooFar().isEmpty());
            assertThat(schedules.list().get(0).nextAt()).isBefore(Instant.now().plusSeconds(120));
            assertThat(schedules.list().get(1).nextAt()).isEqualTo(leapDay);
        }
    }

    /** A retry with a short wait, written while the clock was 40 days ahead, must not wait for 40 days. */
    @Test
    void retries_scheduled_while_the_clock_was_ahead_are_made(TestDatabase database) {
        AtomicBoolean works = new AtomicBoolean();
        try (Psql psql = new Psql(database)) {
            UUID job;
            UUID later;
            try (Node node = new Node(database)) {
                start(node, works);
                node.emit(Event.of("orders", "a", "{}"));
                job = enqueue(node, Job.of("q", "t", "{}"));
                later = enqueue(
                        node, Job.of("q", "t", "{}").withRunAt(Instant.now().plusSeconds(86_400)));
                Await.until(
                        "both have failed once",
                        () -> psql.number("select count(*) from postrider.delayed") == 2
                                && psql.number("select count(*) from postrider.setback where retry_after is not null")
                                        == 1);
            }
            psql.execute("update postrider.delayed set since = since + interval '40 days',"
                    + " due_at = due_at + case why when 'due' then interval '0' else interval '40 days' end");
            psql.execute("update postrider.setback set begun_at = begun_at + interval '40 days',"
                    + " retry_after = retry_after + interval '40 days'");
            works.set(true);
            try (Node node = new Node(database)) {
                start(node, works);
                awaitState(node, job, State.DONE);
                node.awaitCursor("l", 1);
                assertThat(node.postrider.jobs().find(later).orElseThrow().state())
                        .isEqualTo(State.PENDING);
            }
        }
    }

    /** It read 100,000 rows every 30 s on every node. */
    @Test
    void the_search_for_retries_of_a_fast_clock_does_not_read_those_of_the_next_minute(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql node = new Psql(database)) {
            psql.execute("insert into postrider.delayed (topic, position, event_id, created_at, type, payload, headers,"
                            + " why, due_at) select 'queue:q' || i % 10, i, gen_random_uuid(), now(), 't', '{}', '{}',"
                            + " 'retry', now() + interval '55 seconds' from generate_series(1, 100000) i")
                    .execute("update postrider.delayed set since = since + interval '40 days',"
                            + " due_at = due_at + interval '40 days' where position = 7")
                    .execute("analyze postrider.delayed");
            node.begin();
            assertThat(node.number("select postrider.mend_times()")).isEqualTo(1);
            assertThat(node.number("select seq_scan from pg_stat_xact_user_tables"
                            + " where relid = 'postrider.delayed'::regclass"))
                    .isZero();
            assertThat(node.number("select idx_tup_fetch from pg_stat_xact_user_tables"
                            + " where relid = 'postrider.delayed'::regclass"))
                    .isLessThan(10);
            node.commit();
        }
    }

    private static void start(Node node, AtomicBoolean works) {
        node.postrider.add(
                Worker.on("q").handling("t", job -> works.get() ? Fate.done() : Fate.retry(Duration.ofSeconds(3))));
        node.with(Listener.transactional("l", "orders", (connection, event) -> {
                    if (!works.get()) {
                        throw new IllegalStateException("not yet");
                    }
                })
                .withBackoff(Duration.ofSeconds(3), Duration.ofSeconds(3)));
    }

    /** 5,000 ticks took 40 s with one transaction each and 100 ticks per poll. */
    @Test
    void many_schedules_tick_together_and_a_bad_one_blocks_no_other(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            psql.execute("insert into postrider.schedule (name, queue, type, payload, cron, zone, next_at)"
                    + " select 's' || i, 'q', 't', '{}', '0 3 * * *', case when i <= 200 then 'Mars' else 'UTC' end,"
                    + " '2026-01-01 03:00:00+00' from generate_series(1, 5000) i");
            psql.execute("update postrider.schedule set queue = 'no queue' where name = 's4000'");
            node.postrider
                    .add(Worker.on("other").handling("t", job -> Fate.done()))
                    .start();
            Await.until(
                    "all have ticked",
                    Duration.ofSeconds(20),
                    () -> psql.number("select count(*) from postrider.schedule where last_job is not null") == 4_799);
            assertThat(psql.number("select count(*) from postrider.event where topic = 'queue:q'"))
                    .isEqualTo(4_799);
        }
    }

    private static void assertHolds(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.passAll();
        }
        assertThat(Postrider.on(database.dataSource()).verifier().verify(step -> {}))
                .allMatch(VerifyResult::holds);
    }
}
