package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Claims that no live worker holds, whose jobs would not run. */
@PostgresTest
@Tag("hot")
class UndoneClaimsTest {
    private final Node node;
    private final Psql psql;

    UndoneClaimsTest(TestDatabase database) {
        this.node = new Node(database);
        this.psql = new Psql(database);
        psql.execute("select postrider.enqueue('q', 't', '{}') from generate_series(1, 6)")
                .passAll();
    }

    /** Simulates what earlier versions left behind when a server had lost settlements. */
    @Test
    void jobs_of_ended_or_unknown_workers_are_done() {
        claim(3);
        psql.execute("update postrider.worker set ended_at = now(), handed_over_at = now()");
        long unknown = claim(3);
        psql.execute("delete from postrider.worker where id = " + unknown);
        try (node;
                psql) {
            node.postrider.add(Worker.on("q").handling("t", job -> Fate.done())).start();
            Await.until(
                    "all are done",
                    Duration.ofSeconds(20),
                    () -> psql.number("select count(*) from postrider.jobs where state = 'DONE'") == 6);
            assertThat(psql.number("select max(crashes) from postrider.jobs")).isZero();
        }
    }

    /** A claim that cannot be handed over blocks only its own jobs, not those of later claims. */
    @Test
    void a_claim_that_cannot_be_handed_over_does_not_block_the_others() {
        long worker = claim(3);
        psql.text("select count(*)::text from postrider.claim('q', 'queue:q', " + worker + ", 3, 3, 1000000, 1)");
        try (node;
                psql) {
            psql.execute(
                    "insert into postrider.delayed (topic, position, event_id, created_at, type, payload, headers,"
                            + " why, due_at) values ('queue:q', 2, gen_random_uuid(), now(), 't', '{}', '{}', 'due', 'infinity')");
            assertThat(psql.number("select h.jobs from postrider.hand_over_next(" + worker + ", 3, 0, 2147483647) h"))
                    .isEqualTo(3);
            assertThat(psql.texts("select position::text from postrider.delayed where why = 'crash' order by 1"))
                    .containsExactly("4", "5", "6");
        }
    }

    private long claim(int jobs) {
        long worker = psql.number("insert into postrider.worker (node) values ('gone') returning id");
        psql.text("select count(*)::text from postrider.claim('q', 'queue:q', " + worker + ", " + jobs + ", " + jobs
                + ", 1000000, null)");
        return worker;
    }
}
