package io.postrider.proof.protocols;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.proof.interleaving.Session;
import io.postrider.testkit.PostgresTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Claim, settle, takeover, cancel and due, of transactional jobs: whatever the order, an effect happens once. */
@PostgresTest
@Tag("slow")
class JobProtocolsTest extends Protocols {
    /** Workers of the schedule that runs: the one that is taken over, and those that are not. */
    private long old;

    private long young;
    private long third;

    /** Two jobs, both claimed by the old worker, which is about to settle the first. */
    @Override
    void prepare() throws SQLException {
        execute(
                watcher,
                "insert into postrider.event (topic, type, payload) select " + topic() + ", 't', '{}'"
                        + " from generate_series(1, 2)");
        execute(watcher, "select postrider.sequence(1000)");
        old = worker();
        young = worker();
        third = worker();
        execute(
                watcher,
                "select postrider.claim(" + queue() + ", " + topic() + ", " + old + ", 2, 100, 1000000, null)");
    }

    private long worker() throws SQLException {
        return Long.parseLong(text(watcher, "insert into postrider.worker (node) values ('protocols') returning id"));
    }

    private String queue() {
        return "'q" + run.get() + "'";
    }

    private String topic() {
        return "'queue:q" + run.get() + "'";
    }

    private String firstJob() {
        return "(select e.event_id from postrider.events e where e.topic = " + topic() + " and e.position = 1)";
    }

    // ── settling and taking over ────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_worker_that_settles_while_it_is_taken_over_has_its_effect_or_its_successor_has() throws Exception {
        every(this::eachEffectOnce, settling("zombie"), takingOver("takeover"), doingDelayed("successor"));
        assertRan(210, 210);
    }

    @Test
    void two_who_take_over_do_it_once() throws Exception {
        every(this::eachEffectOnce, settling("zombie"), takingOver("takeover"), takingOver("rival"));
        assertRan(210, 210);
    }

    @Test
    void without_the_lock_of_the_takeover_an_effect_happens_twice() throws Exception {
        mutate(
                "hand_over_next",
                "  perform pg_advisory_xact_lock('postrider.settlement'::regclass::oid::int4, (of_worker % 2147483647::bigint)::int4);\n",
                "");
        assertThat(twice(settling("zombie"), takingOver("takeover"), doingDelayed("successor")))
                .as("schedules in which an effect happened twice")
                .isPositive();
    }

    @Test
    void without_the_fence_of_the_settlement_an_effect_happens_twice() throws Exception {
        mutate(
                "is_at_work",
                "  return exists (select from postrider.worker w where w.id = of_worker and w.ended_at is null);",
                "  return true;");
        assertThat(twice(settling("zombie"), takingOver("takeover"), doingDelayed("successor")))
                .as("schedules in which an effect happened twice")
                .isPositive();
    }

    // ── claiming ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void two_who_claim_what_is_due_get_a_job_each_or_one_gets_both() throws Exception {
        every(this::eachEffectOnce, takingOver("takeover"), doingDelayed("one"), doingDelayed("other"));
        assertRan(90, 90);
    }

    @Test
    void two_who_claim_ranges_never_claim_the_same() throws Exception {
        every(
                () -> assertThat(number("select count(*) from (select p from postrider.claim c,"
                                + " generate_series(c.from_position, c.to_position) p where c.topic = " + topic()
                                + " group by p having count(*) > 1) twice"))
                        .isZero(),
                claiming("one", () -> young),
                claiming("other", () -> third),
                enqueuing("producer"));
        assertRan(90, 90);
    }

    // ── due, and by itself ──────────────────────────────────────────────────────────────────────────────────────────

    /** As when it is not due yet, is to be tried again, or is handed back. */
    @Test
    void a_job_that_is_put_aside_while_its_worker_is_taken_over_is_done_once() throws Exception {
        every(this::eachEffectOnce, puttingAside("worker"), takingOver("takeover"), doingDelayed("successor"));
        assertRan(90, 90);
    }

    @Test
    void a_job_that_is_put_aside_while_it_is_cancelled_is_done_or_cancelled() throws Exception {
        String[] answer = {""};
        every(
                () -> {
                    long done = effects();
                    long ended = done + cancelled();
                    String again = text(watcher, "select postrider.cancel(" + topic() + ", 1)");
                    finish();
                    assertThat(again)
                            .as("asked again when all have ended, first answered %s", answer[0])
                            .isEqualTo(ended == 1 ? "finished" : "cancelled");
                    assertThat(effects()).as("effects after the last answer").isEqualTo(done);
                    assertThat(done + cancelled())
                            .as("done and cancelled, %s and %s", answer[0], again)
                            .isEqualTo(1);
                },
                puttingAside("worker"),
                cancelling("operator", answer),
                doingDelayed("successor"));
        assertRan(90, 90);
    }

    @Test
    void each_time_that_a_job_is_begun_is_another_attempt() throws Exception {
        every(
                () -> assertThat(begunTwiceAsTheSame()).isZero(),
                beginning("one", () -> young),
                takingOver("takeover"),
                beginning("other", () -> third));
        assertRan(90, 90);
    }

    @Test
    void counted_late_an_attempt_is_begun_twice() throws Exception {
        mutate("claim_delayed", "attempt = d.attempt + 1", "attempt = d.attempt");
        AtomicInteger caught = new AtomicInteger();
        every(
                () -> caught.addAndGet((int) begunTwiceAsTheSame()),
                beginning("one", () -> young),
                takingOver("takeover"),
                beginning("other", () -> third));
        assertThat(caught)
                .as("schedules in which two who began it were told the same attempt")
                .hasPositiveValue();
    }

    // ── cancelling ──────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_job_is_cancelled_or_has_its_effect_and_never_both() throws Exception {
        String[] answer = {""};
        Set<String> answers = new TreeSet<>();
        every(
                () -> {
                    answers.add(answer[0]);
                    assertHolds(answer[0]);
                },
                settling("worker"),
                cancelling("operator", answer),
                takingOver("takeover"));
        assertRan(210, 210);
        assertThat(answers).containsExactly("asked", "cancelled", "finished", "pending");
    }

    /** What must be true once all have ended, for each answer of cancel. */
    private void assertHolds(String answer) throws SQLException {
        switch (answer) {
            case "cancelled" -> {
                assertThat(effects()).as("effects of a job that was cancelled").isZero();
                assertThat(cancelled()).as("finished as cancelled").isEqualTo(1);
            }
            case "finished" ->
                assertThat(effects()).as("effects of a job that was finished").isEqualTo(1);
            case "asked" ->
                assertThat(effects()
                                + cancelled()
                                + number("select count(*) from postrider.cancellation where topic = " + topic()))
                        .as(
                                "it is marked for its worker, which finds it before it commits, or is finished by who takes over")
                        .isEqualTo(1);
            case "pending" -> {
                assertThat(text(watcher, "select postrider.cancel(" + topic() + ", 1)"))
                        .as("the answer to the next request")
                        .isEqualTo("cancelled");
                assertThat(effects()).as("effects of a job that was taken over").isZero();
                assertThat(cancelled()).as("finished as cancelled").isEqualTo(1);
            }
            default -> throw new AssertionError("the job exists, and cancel answered " + answer);
        }
    }

    private long effects() throws SQLException {
        return number("select count(*) from effect where n = " + run.get() + " and position = 1");
    }

    private long cancelled() throws SQLException {
        return number("select count(*) from postrider.finish f where f.fate = 'cancelled' and f.position = 1"
                + " and f.topic = " + topic());
    }

    /** B cancels while A, which has settled, has not committed: it must wait for A. */
    @Test
    void a_cancel_without_the_lock_of_the_worker_is_caught() throws Exception {
        mutate(
                "cancel",
                "  perform pg_advisory_xact_lock('postrider.settlement'::regclass::oid::int4, (holder.worker % 2147483647::bigint)::int4);\n",
                "");
        assertCancelIsCaught("AABABCC", "it is marked for its worker");
    }

    /** B cancels before A and C begin: nobody claims the job at that moment. */
    @ParameterizedTest
    @CsvSource({"pending, the answer to the next request", "null, the job exists"})
    void a_cancel_that_does_nothing_is_caught(String answer, String message) throws Exception {
        mutate(
                "cancel",
                "begin\n  if current_setting",
                "begin\n  return " + (answer.equals("null") ? "null" : "'" + answer + "'") + ";\n  if current_setting");
        assertCancelIsCaught("BBAAACC", message);
    }

    private void assertCancelIsCaught(String schedule, String message) {
        String[] answer = {""};
        assertThatThrownBy(() -> one(
                        schedule,
                        () -> assertHolds(answer[0]),
                        settling("worker"),
                        cancelling("operator", answer),
                        takingOver("takeover")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(message);
    }

    // ── how ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Whoever is left does what is left; then each job has had its effect, and exactly once. */
    private void eachEffectOnce() throws SQLException {
        finish();
        assertThat(text(
                        watcher,
                        "select string_agg(position || '*' || times, ' ' order by position) from (select position,"
                                + " count(*) as times from effect where n = " + run.get() + " group by position) e"))
                .isEqualTo("1*1 2*1");
    }

    @SafeVarargs
    private int twice(Session<Connection>... sessions) throws Exception {
        AtomicInteger twice = new AtomicInteger();
        every(
                () -> {
                    finish();
                    if (number("select count(*) from effect where n = " + run.get()) > 2) {
                        twice.incrementAndGet();
                    }
                },
                sessions);
        return twice.get();
    }

    private void finish() throws SQLException {
        execute(watcher, takeOver(old, 5));
        execute(watcher, takeOver(young, 5));
        watcher.setAutoCommit(false);
        doDelayed(watcher, third);
        watcher.commit();
        watcher.setAutoCommit(true);
    }

    private Session<Connection> settling(String name) throws SQLException {
        String[] verdict = {""};
        return Session.named(name, connection())
                .then("effect", c -> {
                    execute(c, "select set_config('postrider.job', " + firstJob() + "::text, true)");
                    effects(c, "1");
                })
                .then(
                        "settle",
                        c -> verdict[0] = text(
                                c,
                                "select postrider.settle(" + old + ", array[c.n], array['{[1,2)}']::int8multirange[],"
                                        + " array['done'], array[null]::jsonb[], " + firstJob()
                                        + ") from postrider.claim c"
                                        + " where c.topic = " + topic()))
                .then("end", c -> {
                    if (verdict[0].equals("written")) {
                        c.commit();
                    } else {
                        c.rollback();
                    }
                });
    }

    /** Hands over all jobs of a worker that is gone, in one statement. */
    private static String takeOver(long worker, int mostCrashes) {
        return "select postrider.hand_over_next(" + worker + ", " + mostCrashes + ", 0, 2147483647)";
    }

    private Session<Connection> takingOver(String name) throws SQLException {
        return Session.named(name, connection())
                .then("take over", c -> execute(c, takeOver(old, 5)))
                .then("commit", Connection::commit);
    }

    /** Both jobs of the old worker, in the transaction in which they are settled as aside. */
    private Session<Connection> puttingAside(String name) throws SQLException {
        return Session.named(name, connection())
                .then("settle as aside", c -> {
                    String settled = text(
                            c,
                            "select postrider.settle(" + old + ", array[c.n], array['{[1,3)}']::int8multirange[],"
                                    + " array['aside'], array[null]::jsonb[]) from postrider.claim c where c.topic = "
                                    + topic());
                    if (settled.equals("written")) {
                        execute(
                                c,
                                "select postrider.put_aside(" + topic() + ", array[1, 2], array['due', 'due'],"
                                        + " array[0, 0], array[0, 0], array[0, 0], array[null, null]::text[],"
                                        + " array[null, null]::text[])");
                    }
                })
                .then("commit", Connection::commit);
    }

    /** Cancels the first job, and notes the answer. */
    private Session<Connection> cancelling(String name, String[] answer) throws SQLException {
        return Session.named(name, connection())
                .then("cancel", c -> answer[0] = text(c, "select postrider.cancel(" + topic() + ", 1)"))
                .then("commit", Connection::commit);
    }

    /** Begins what is due and then ends, and is taken over by the next. */
    private Session<Connection> beginning(String name, Late worker) throws SQLException {
        return Session.named(name, autocommit())
                .then(
                        "begin",
                        c -> execute(
                                c,
                                "insert into effect (n, position, attempt) select " + run.get()
                                        + ", d.position, d.attempt from generate_series(1, 2) tier, postrider.claim_delayed("
                                        + queue() + ", postrider.lanes(" + queue() + "), "
                                        + worker.get() + ", 10, 1000000, array['t'], tier) d"))
                .then("die", c -> execute(c, takeOver(worker.get(), 9)));
    }

    private long begunTwiceAsTheSame() throws SQLException {
        return number("select count(*) from (select from effect where n = " + run.get()
                + " group by position, attempt having count(*) > 1) e");
    }

    private Session<Connection> doingDelayed(String name) throws SQLException {
        return Session.named(name, connection())
                .then("claim, do and settle what is due", c -> doDelayed(c, young))
                .then("commit", Connection::commit);
    }

    /** All in one transaction: what is claimed is settled, or neither. */
    private void doDelayed(Connection connection, long worker) throws SQLException {
        for (int tier = 0; tier <= 2; tier++) {
            while (true) {
                String positions = text(
                        connection,
                        "select string_agg(d.position::text, ', ') from postrider.claim_delayed(" + queue()
                                + ", postrider.lanes(" + queue() + "), " + worker + ", 10, 1000000, array['t'], " + tier
                                + ") d");
                if (positions.equals("null")) {
                    break;
                }
                effects(connection, positions);
                execute(
                        connection,
                        "delete from postrider.delayed where topic = " + topic() + " and worker = " + worker
                                + " and position in (" + positions + ")");
            }
        }
    }

    private void effects(Connection connection, String positions) throws SQLException {
        execute(
                connection,
                "insert into effect (n, position) select " + run.get() + ", p from unnest(array[" + positions + "]) p");
    }

    /** A number that is known when the step runs. */
    private interface Late {
        long get();
    }

    private Session<Connection> claiming(String name, Late worker) throws SQLException {
        return Session.named(name, connection())
                .then(
                        "claim",
                        c -> execute(
                                c,
                                "select postrider.claim(" + queue() + ", " + topic() + ", " + worker.get()
                                        + ", 2, 100, 1000000, null)"))
                .then("commit", Connection::commit);
    }

    private Session<Connection> enqueuing(String name) throws SQLException {
        return Session.named(name, autocommit())
                .then(
                        "enqueue",
                        c -> execute(
                                c,
                                "insert into postrider.event (topic, type, payload) select " + topic() + ", 't', '{}'"
                                        + " from generate_series(1, 3)"))
                .then("pass", c -> execute(c, "select postrider.sequence(1000)"));
    }
}
