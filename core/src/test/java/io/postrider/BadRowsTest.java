package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.admin.Jobs.State;
import io.postrider.admin.Queues.Limits;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bad row affects one job or event, never the queue or the listener. */
@Migrated
@Tag("hot")
@Tag("security")
class BadRowsTest {
    private static final String BAD = "insert into postrider.event (topic, type, payload, due_at, unique_key)"
            + " values ('queue:q', 't', '{}', '%s', 'k')";

    // ── refused ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @ParameterizedTest
    @ValueSource(
            strings = {
                "infinity",
                "-infinity",
                "294276-01-01",
                "10000-01-01 00:00:00+00",
                "4713-01-01 BC",
                "0001-12-31 BC"
            })
    void a_time_out_of_range_is_refused_by_the_table(String time, TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            for (String column : List.of("due_at", "created_at")) {
                assertThatThrownBy(() -> psql.execute("insert into postrider.event (topic, type, payload, " + column
                                + ") values ('queue:q', 't', '{}', '" + time + "')"))
                        .isInstanceOfSatisfying(
                                Psql.SqlFailure.class,
                                e -> assertThat(e.state()).isEqualTo("23514"))
                        .hasMessageContaining("time_is_in_years_1_to_9999");
            }
            assertThatThrownBy(() -> psql.text("select postrider.enqueue('q', 't', '{}', '" + time + "')::text"))
                    .isInstanceOfSatisfying(
                            Psql.SqlFailure.class, e -> assertThat(e.state()).isEqualTo("22023"));
            psql.execute("insert into postrider.event (topic, type, payload, due_at, created_at)"
                    + " values ('queue:q', 't', '{}', '9999-12-31 23:59:59+00', '0001-01-01 00:00:00+00')");
        }
    }

    @Test
    void a_unique_key_too_long_for_an_index_is_refused_by_the_table(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            assertThatThrownBy(() -> psql.execute("insert into postrider.event (topic, type, payload, unique_key)"
                            + " values ('queue:q', 't', '{}', repeat('k', 1025))"))
                    .hasMessageContaining("reference_is_short");
            assertThatThrownBy(() -> psql.text("select postrider.enqueue('q', 't', '{}', unique_key => 'k',"
                            + " unique_for => interval '200000 years')::text"))
                    .hasMessageContaining("unique_for must be at most 36500 days");
        }
    }

    // ── tolerated: rows from before the constraint ───────────────────────────────────────────────────────────

    @ParameterizedTest
    @ValueSource(strings = {"infinity", "294276-12-31 23:59:59.999+00", "12000-01-01"})
    void a_job_that_can_never_be_due_becomes_a_dead_letter(String due, TestDatabase database) {
        List<String> done = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            allowBadTimes(psql);
            psql.execute(BAD.formatted(due));
            psql.execute("insert into postrider.unique_job (queue, unique_key, event_id)"
                    + " select 'q', 'k', event_id from postrider.event");
            List<UUID> good = enqueue(node, "1", "2", "3");
            node.postrider.add(worker(done)).start();
            good.forEach(id -> awaitState(node, id, State.DONE));
            Await.until(
                    "the bad one is a dead letter",
                    () -> node.deadLetters("queue:q").size() == 1);
            assertThat(node.deadLetters("queue:q").get(0).error())
                    .startsWith("due_at is")
                    .endsWith("it must be before the year 10000");
            assertThat(psql.texts("select last_error_code from postrider.jobs where state = 'FAILED'"))
                    .containsExactly("bad_row");
            assertThat(psql.number("select count(*) from postrider.unique_job")).isZero();
            assertThat(done).containsExactlyInAnyOrder("1", "2", "3");
            awaitState(node, enqueue(node, Job.of("q", "t", "4")), State.DONE);
        }
    }

    @Test
    void a_job_due_at_minus_infinity_is_due_now_and_odd_creation_times_block_nothing(TestDatabase database) {
        List<String> done = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            allowBadTimes(psql);
            psql.execute(BAD.formatted("-infinity"));
            for (String created : List.of("infinity", "-infinity", "294276-12-31", "4713-01-01 BC")) {
                psql.execute("insert into postrider.event (topic, type, payload, created_at) select t, 't', '{}', '"
                        + created + "' from unnest('{queue:q,orders}'::text[]) t");
            }
            List<String> seen = new CopyOnWriteArrayList<>();
            node.postrider.add(node.postrider.eventLog().listener("orders"));
            node.postrider.add(Listener.transactional("seen", "orders", (connection, event) -> {
                        if (!seen.contains(event.createdAt().toString())) {
                            seen.add(event.createdAt().toString());
                            throw new IllegalStateException("first time");
                        }
                    })
                    .withStart(StartPoint.beginning())
                    .withBackoff(java.time.Duration.ofMillis(1), java.time.Duration.ofMillis(5)));
            node.postrider.add(worker(done)).start();
            Await.until("all are done", () -> done.size() == 5);
            node.awaitCursor("seen", 4);
            node.awaitCursor("event_log:orders", 4);
            assertThat(seen).containsExactlyInAnyOrder("9999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00Z");
            assertThat(node.postrider.jobs().list("q", null, 10)).hasSize(5);
        }
    }

    /** A takeover, and retention when it moves unclaimed jobs, put jobs aside. */
    @Test
    void putting_jobs_aside_does_not_copy_a_bad_row(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            allowBadTimes(psql);
            psql.execute(BAD.formatted("infinity"));
            enqueue(node, "1", "2");
            psql.passAll().execute("delete from postrider.event where payload = '2'");
            psql.execute("select postrider.put_aside('queue:q', '{1,2,3}', array_fill('crash'::text, '{3}'), '{0,0,0}',"
                    + " '{1,1,1}', '{1,1,1}', array_fill(null::text, '{3}'), array_fill(null::text, '{3}'))");
            assertThat(psql.texts("select position::text from postrider.delayed"))
                    .containsExactly("2");
            assertThat(psql.texts("select position || ' ' || error_code from postrider.dead_letter order by position"))
                    .containsExactly("1 bad_row", "3 unreadable");
        }
    }

    @Test
    void a_delayed_job_due_at_infinity_before_the_migration_blocks_nothing(TestDatabase database) {
        List<String> done = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            UUID early =
                    enqueue(node, Job.of("q", "t", "1").withRunAt(java.time.Instant.parse("9000-01-01T00:00:00Z")));
            node.postrider.add(worker(done)).start();
            Await.until("it is put aside", () -> node.number("select count(*) from postrider.delayed") == 1);
            psql.execute("update postrider.delayed set due_at = 'infinity'");
            awaitState(node, enqueue(node, Job.of("q", "t", "2")), State.DONE);
            assertThat(node.postrider.jobs().find(early).orElseThrow().runAt())
                    .isEqualTo("9999-12-31T23:59:59.999999Z");
        }
    }

    @Test
    void a_deleted_event_affects_only_its_own_job(TestDatabase database) {
        List<String> done = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            enqueue(node, "1", "2", "3");
            psql.passAll().execute("delete from postrider.event where payload in ('2', '3')");
            node.postrider.add(worker(done)).start();
            awaitState(node, enqueue(node, Job.of("q", "t", "4")), State.DONE);
            Await.until(
                    "the others are settled", () -> psql.number("select count(*) from postrider.open_claims()") == 0);
            assertThat(done).containsExactlyInAnyOrder("1", "4");
            assertThat(psql.texts("select position || ' ' || error from postrider.dead_letter order by position"))
                    .containsExactly("2 the event was deleted", "3 the event was deleted");
        }
    }

    /** Simulates a damaged page: the function is made to fail on one type, so that one row cannot be read. */
    @Test
    void an_unreadable_row_becomes_a_dead_letter(TestDatabase database) {
        for (Limits limits : List.of(Limits.none(), new Limits(null, 1, null, null))) {
            List<String> done = new CopyOnWriteArrayList<>();
            try (Node node = new Node(database);
                    Psql psql = new Psql(database)) {
                node.postrider.queues().limit("q", limits);
                long letters = psql.number("select count(*) from postrider.dead_letter");
                psql.execute(psql.text("select replace(pg_get_functiondef('postrider.claimed'::regproc),"
                        + " 'where l.topic = of_topic',"
                        + " 'where 1 / case when e.type = ''poison'' then 0 else 1 end = 1 and l.topic = of_topic')"));
                List<UUID> good = enqueue(
                        node, IntStream.range(0, 40).mapToObj(Integer::toString).toArray(String[]::new));
                UUID bad = enqueue(node, Job.of("q", "poison", "{}").withKey("k"));
                UUID behind = enqueue(node, Job.of("q", "t", "41").withKey("k"));
                node.postrider.add(worker(done)).start();
                good.forEach(id -> awaitState(node, id, State.DONE));
                awaitState(node, behind, State.DONE);
                awaitState(node, bad, State.FAILED);
                assertThat(psql.text("select error from postrider.dead_letter order by id desc limit 1"))
                        .contains("the row cannot be read", "division by zero");
                assertThat(psql.number("select count(*) from postrider.dead_letter"))
                        .isEqualTo(letters + 1);
                assertThat(done).hasSize(41);
            }
        }
    }

    /** The dead letter has no content. A retry made it a job of type "unreadable" and without a payload, which no worker handles. */
    @Test
    void a_row_that_can_be_read_again_is_retried_with_its_content(TestDatabase database) {
        List<String> done = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            String sound = psql.text("select pg_get_functiondef('postrider.claimed'::regproc)");
            psql.execute(sound.replace(
                    "where l.topic = of_topic",
                    "where 1 / case when e.payload = '\"poison\"' then 0 else 1 end = 1 and l.topic = of_topic"));
            UUID retried = enqueue(node, Job.of("q", "t", "\"poison\""));
            UUID replayed = enqueue(node, Job.of("q", "t", "\"poison\""));
            UUID deleted = enqueue(node, Job.of("q", "t", "\"poison\"").withKey("deleted"));
            node.postrider.add(worker(done)).start();
            List.of(retried, replayed, deleted).forEach(id -> awaitState(node, id, State.FAILED));
            psql.execute(sound);
            assertThat(node.postrider.jobs().retry(retried)).isTrue();
            awaitState(node, retried, State.DONE);
            long position = psql.number("select position from postrider.jobs where id = '" + deleted + "'");
            psql.execute("delete from postrider.event where key = 'deleted'");
            assertThat(node.postrider
                            .deadLetters()
                            .replay(psql.texts("select id from postrider.dead_letter").stream()
                                    .map(Long::valueOf)
                                    .toList()))
                    .isEqualTo(1);
            awaitState(node, replayed, State.DONE);
            assertThat(done).containsExactly("\"poison\"", "\"poison\"");
            assertThat(psql.texts("select position from postrider.dead_letter")).containsExactly("" + position);
            UUID nil = new UUID(0, 0);
            assertThatThrownBy(() -> node.postrider.jobs().retry(nil))
                    .hasMessageContaining("deleted or cannot be read");
        }
    }

    private static Worker worker(List<String> done) {
        return Worker.on("q").handling("t", job -> {
            done.add(job.payload());
            return Fate.done();
        });
    }

    /** Simulates a table that was filled before the constraint, which only applies to later writes. */
    private static void allowBadTimes(Psql psql) {
        psql.execute("alter domain postrider.event_time drop constraint time_is_in_years_1_to_9999");
    }
}
