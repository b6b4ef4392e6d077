package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static io.postrider.JobDesk.status;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Jobs.State;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Times that are an hour off. Workers never use their own clock for a lease ({@link ArchitectureTest}); the server's clock may
 * jump at a failover, and then every time that a live worker has written is off.
 */
@Migrated
@Tag("slow")
@Tag("once")
class ClockSkewTest {

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void a_live_worker_keeps_its_jobs_although_its_times_are_an_hour_off(int hours, TestDatabase database)
            throws Exception {
        List<String> began = new CopyOnWriteArrayList<>();
        CountDownLatch end = new CountDownLatch(1);
        try (Psql psql = new Psql(database);
                Node first = new Node(database);
                Node second = new Node(database)) {
            first.postrider.add(worker("first", began, end)).start();
            UUID claimed = enqueue(first, "1").get(0);
            UUID delayed = enqueue(first, "\"again\"").get(0);
            Await.until("both jobs run", Duration.ofSeconds(60), () -> began.size() == 3);
            long number = psql.number("select id from postrider.worker");
            String off = " + interval '" + hours + " hours'";
            psql.execute("update postrider.worker set began_at = began_at" + off + ", seen_at = seen_at" + off);
            psql.execute("update postrider.claim set at = at" + off);
            // Not claimed_at: it is the fencing token, which the worker remembers, and a jump of the clock does not
            // change it.
            psql.execute("update postrider.delayed set due_at = due_at" + off);

            second.postrider.add(worker("second", began, end)).start();
            long gone = psql.number("insert into postrider.worker (node) values ('gone') returning id");
            Await.until(
                    "the second node has taken over a worker that is gone",
                    Duration.ofSeconds(60),
                    () -> psql.number("select count(*) from postrider.worker where id = " + gone
                                    + " and handed_over_at is not null")
                            == 1);
            assertThat(psql.text("select ended_at from postrider.worker where id = " + number))
                    .isNull();
            end.countDown();
            awaitState(first, claimed, State.DONE);
            awaitState(first, delayed, State.DONE);
            assertThat(began).containsExactlyInAnyOrder("first 1", "first \"again\"", "first \"again\"");
            assertThat(status(first, delayed).attempts()).isEqualTo(2);
        }
    }

    /** The job "again" fails at once, so that its second attempt runs by its own row. */
    private static Worker worker(String name, List<String> began, CountDownLatch end) {
        return Worker.on("q").withSlots(2).handling("t", job -> {
            began.add(name + " " + job.payload());
            if (job.payload().equals("\"again\"") && job.attempt() == 1) {
                return Fate.retry(Duration.ZERO);
            }
            end.await(60, TimeUnit.SECONDS);
            return Fate.done();
        });
    }
}
