package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Jobs.State;
import io.postrider.testkit.Await;
import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.program.PgBouncer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node whose pool goes through PgBouncer and whose own connection does not. */
@PostgresTest(failOnOpenSessions = false)
@Tag("slow")
@NeedsProgram("pgbouncer")
class DirectUrlTest {
    /** So rare that nothing here is found by it. */
    private static final Duration POLL = Duration.ofMinutes(5);

    @Test
    void it_is_woken_by_notifications_holds_locks_and_each_listener_runs_once(TestDatabase database) throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (PgBouncer pooler = PgBouncer.before(database, 4);
                Node first = behind(pooler, database, "first");
                Node second = behind(pooler, database, "second")) {
            for (Node node : List.of(first, second)) {
                node.postrider
                        .add(Listener.relay("relay", "orders", event -> heard.add(event.payload())))
                        .add(Worker.on("q").handling("t", job -> Fate.done()))
                        .start();
            }
            Await.until(
                    "both workers hold the lock of their number",
                    Duration.ofSeconds(60),
                    () -> first.number("select count(*) from pg_locks k join postrider.worker w on k.objid = w.id::oid"
                                    + " where k.locktype = 'advisory' and not w.pooled"
                                    + " and k.classid = 'postrider.worker'::regclass::oid and k.granted")
                            == 2);
            first.awaitAsleep();
            for (int i = 1; i <= 10; i++) {
                first.emit(Event.of("orders", "a", "" + i));
                int wanted = i;
                Await.until("it was heard", Duration.ofSeconds(30), () -> heard.size() == wanted);
            }
            UUID job = enqueue(second, "{}").get(0);
            awaitState(second, job, State.DONE);
            assertThat(heard)
                    .as("once, by one node, in order")
                    .containsExactly("1", "2", "3", "4", "5", "6", "7", "8", "9", "10");
            assertThat(first.number("select count(*) from postrider.worker where pooled"))
                    .isZero();
        }
    }

    private static Node behind(PgBouncer pooler, TestDatabase database, String name) {
        return new Node(
                pooler.url(),
                options ->
                        options.withNode(name).withDirect(database.dataSource()).withPoll(POLL));
    }
}
