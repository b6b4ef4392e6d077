package io.postrider;

import static io.postrider.JobDesk.enqueue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.admin.Jobs;
import io.postrider.admin.Jobs.Cancelled;
import io.postrider.admin.Jobs.State;
import io.postrider.admin.WaitReason;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A producer chooses job ids, so jobs of two projects may have the same id: what happens to one does not happen to the other. */
@Migrated
@Tag("hot")
@Tag("security")
class SameIdTest {
    private static final Reach PA = Reach.project("pa");
    private static final Reach PB = Reach.project("pb");
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Instant TOMORROW = Instant.now().plus(Duration.ofDays(1));

    private final UUID id = UUID.randomUUID();
    private TestDatabase database;

    @BeforeEach
    void open(TestDatabase given) {
        database = given;
    }

    private Job pa(String type) {
        return Job.of("q", type, "\"pa\"").withProject("pa").withId(id);
    }

    private Job pb(String type) {
        return Job.of("q", type, "\"pb\"").withProject("pb").withId(id);
    }

    private static Worker worker() {
        return Worker.on("q")
                .handling("done", job -> Fate.done())
                .handling("dead", job -> Fate.dead("broken"))
                .handling("again", job -> job.attempt() == 1 ? Fate.retry(Duration.ZERO) : Fate.done())
                .handling("again-dead", job -> job.attempt() == 1 ? Fate.retry(Duration.ZERO) : Fate.dead("broken"))
                .handlingInTransaction("bound", (connection, job) -> Fate.done());
    }

    private static List<String> keys(Psql psql) {
        return psql.texts("select project_id || '/' || unique_key from postrider.unique_job order by 1");
    }

    // ── unique keys ─────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_job_that_ends_releases_its_own_unique_key_and_no_other() {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            enqueue(node, pb("done").withUnique("k").withRunAt(TOMORROW));
            List<String> types = List.of("done", "dead", "again", "again-dead", "bound");
            types.forEach(type -> enqueue(node, pa(type).withUnique(type)));
            enqueue(
                    node,
                    Job.of("other", "done", "1").withProject("pb").withId(id).withUnique("k"));
            node.postrider
                    .add(worker())
                    .add(Worker.on("other").handling("done", job -> Fate.done()))
                    .start();
            Await.until(
                    "six jobs have ended",
                    LONG,
                    () -> psql.number("select count(*) from postrider.jobs where state in ('DONE', 'FAILED')") == 6);
            assertThat(psql.texts("select queue || ' ' || project_id || '/' || unique_key from postrider.unique_job"))
                    .containsExactly("q pb/k");
        }
    }

    @Test
    void a_job_that_is_cancelled_releases_its_own_unique_key_and_no_other() {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            enqueue(node, pb("done").withUnique("k").withRunAt(TOMORROW));
            enqueue(node, pa("done").withUnique("not claimed"));
            assertThat(cancel(node, PA)).isEqualTo(Cancelled.CANCELLED);
            assertThat(keys(psql)).containsExactly("pb/k");

            enqueue(node, pa("done").withUnique("put aside").withRunAt(TOMORROW));
            node.postrider.jobs().sequence();
            putAside(psql, 3);
            assertThat(cancel(node, PA)).isEqualTo(Cancelled.CANCELLED);
            assertThat(keys(psql)).containsExactly("pb/k");

            enqueue(node, pa("done").withUnique("put aside while cancelled"));
            node.postrider.jobs().sequence();
            psql.execute("insert into postrider.cancellation (topic, position) values ('queue:q', 4)");
            putAside(psql, 4);
            assertThat(keys(psql)).containsExactly("pb/k");
        }
    }

    @Test
    void a_job_that_ended_its_worker_or_has_a_bad_row_releases_its_own_unique_key_and_no_other() {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            enqueue(node, pb("done").withUnique("k").withRunAt(TOMORROW));
            enqueue(node, pa("done").withUnique("crashes"));
            enqueue(node, pa("done").withUnique("bad row").withRunAt(TOMORROW));
            node.postrider.jobs().sequence();
            putAside(psql, 2);
            long worker = psql.number("insert into postrider.worker (node) values ('gone') returning id");
            psql.execute("update postrider.delayed set worker = " + worker + ", crashes = 2, attempt = 3");
            psql.texts("select jobs::text from postrider.hand_over_next(" + worker + ", 3, 0, 1000)");
            assertThat(keys(psql)).containsExactly("pa/bad row", "pb/k");
            psql.number("select postrider.bury_bad('queue:q', array[3])");
            assertThat(keys(psql)).containsExactly("pb/k");
            assertThat(node.deadLetters("queue:q")).hasSize(2);
        }
    }

    private static void putAside(Psql psql, long position) {
        psql.texts("select postrider.put_aside('queue:q', array[" + position
                + "], array['due'], array[0], array[0], array[0], array[null], array[null])::text");
    }

    // ── steering ────────────────────────────────────────────────────────────────────────────────────────────────────

    private Jobs.Status find(Node node, Reach reach) {
        return node.postrider.jobs().find(reach, id).orElseThrow();
    }

    private Cancelled cancel(Node node, Reach reach) {
        return node.postrider.jobs().cancel(find(node, reach), "not wanted");
    }

    private void awaitState(Node node, Reach reach, State state) {
        Await.until(reach + " is " + state, LONG, () -> find(node, reach).state() == state);
    }

    @Test
    void each_project_finds_and_cancels_its_own_job() {
        try (Node node = new Node(database)) {
            enqueue(node, pb("done"));
            enqueue(node, pa("done"));
            assertThat(find(node, PA).payload()).isEqualTo("\"pa\"");
            assertThat(find(node, PB).payload()).isEqualTo("\"pb\"");
            assertThat(cancel(node, PA)).isEqualTo(Cancelled.CANCELLED);
            assertThat(find(node, PA).state()).isEqualTo(State.CANCELLED);
            assertThat(find(node, PB).state()).isEqualTo(State.PENDING);
        }
    }

    @Test
    void each_project_retries_its_own_job_and_sees_why_it_waits() {
        try (Node node = new Node(database)) {
            enqueue(node, pb("done").withRunAt(TOMORROW));
            enqueue(node, pa("dead").withUnique("k"));
            node.postrider.add(worker()).start();
            awaitState(node, PA, State.FAILED);
            Await.until(
                    "pb's is put aside", LONG, () -> "due".equals(find(node, PB).waitsFor()));
            node.postrider.queues().pause("q");
            assertThat(node.postrider.jobs().retry(find(node, PA))).isTrue();
            assertThat(find(node, PA).state()).isEqualTo(State.PENDING);
            assertThat(find(node, PB).runAt()).isAfter(Instant.now());
            assertThat(node.postrider.jobs().waiting(find(node, PA)))
                    .hasValueSatisfying(why -> assertThat(why.reason()).isEqualTo(WaitReason.Reason.PAUSED));
            assertThat(node.postrider.jobs().waiting(find(node, PB)))
                    .hasValueSatisfying(why -> assertThat(why.reason()).isEqualTo(WaitReason.Reason.TIME));
        }
    }

    @Test
    void a_job_without_a_position_is_found_by_its_own_project() {
        try (Node node = new Node(database);
                Psql holder = new Psql(database)) {
            enqueue(node, pb("done"));
            node.postrider.jobs().sequence();
            holder.begin().execute("lock table postrider.sequencing in exclusive mode");
            enqueue(node, pa("done"));
            assertThat(find(node, PA).payload()).isEqualTo("\"pa\"");
            assertThat(find(node, PB).payload()).isEqualTo("\"pb\"");
            assertThat(node.postrider.jobs().find(Reach.project("pc"), id)).isEmpty();
            assertThatThrownBy(() -> cancel(node, PA)).hasMessageContaining("has no position yet");
            assertThat(find(node, PB).state()).isEqualTo(State.PENDING);
        }
    }

    @Test
    void without_a_reach_the_oldest_unfinished_job_is_found_then_the_oldest() {
        try (Node node = new Node(database)) {
            enqueue(node, pb("done"));
            enqueue(node, pa("done"));
            Jobs jobs = node.postrider.jobs();
            List<String> cancelled = Stream.of(1, 2)
                    .map(turn -> {
                        String payload = jobs.find(id).orElseThrow().payload();
                        assertThat(jobs.cancel(id, "not wanted")).isEqualTo(Cancelled.CANCELLED);
                        return payload;
                    })
                    .toList();
            assertThat(cancelled).containsExactly("\"pb\"", "\"pa\"");
            assertThat(jobs.find(id).orElseThrow().payload()).isEqualTo("\"pb\"");
            assertThat(jobs.find(PA, id).orElseThrow().state()).isEqualTo(State.CANCELLED);
        }
    }
}
