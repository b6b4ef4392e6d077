package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Postrider;
import io.postrider.proof.faults.Load.Transaction;
import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Processes that record are killed, and rebuilt in between: each event is in the event log once (G8). */
@Tag("slow")
@Tag("once")
@PostgresTest(failOnOpenSessions = false)
class EventLogDeathTest {
    private static final String TOPIC = "orders";
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String POSITION =
            "select coalesce(max(position), 0) from postrider.listeners where name = 'event_log:orders'";

    @Test
    void each_event_is_recorded_once_whichever_process_is_killed(TestDatabase database) throws Exception {
        DataSource direct = database.dataSource();
        Postrider postrider = Postrider.on(direct).migrate();
        Traces.create(direct); // the keys of the load
        long seed = Seed.next("event log, kill -9");
        List<Transaction> transactions;
        try (ChildJvm steady = recorder(database, "steady")) {
            steady.awaitLine("ready", PATIENCE);
            try (Load load = new Load(direct, TOPIC, seed, 4, Duration.ofMillis(10)).start()) {
                for (int i = 0; i < 6; i++) {
                    try (ChildJvm mortal = recorder(database, "mortal" + i)) {
                        mortal.awaitLine("ready", PATIENCE);
                        long reached = Rows.number(direct, POSITION);
                        Await.until("it goes on", PATIENCE, () -> Rows.number(direct, POSITION) > reached + 50);
                        if (i == 3) {
                            postrider.eventLog().rebuild(TOPIC);
                        }
                        mortal.kill9();
                    }
                }
                transactions = load.stop();
            }
            Await.until(
                    "all is recorded",
                    PATIENCE,
                    () -> Rows.number(direct, "select count(*) from postrider.event e where e.topic = 'orders'")
                            == Rows.number(direct, POSITION));
        }
        System.out.println("event log, kill -9: " + Audit.summary(transactions));
        String log =
                "select position, event_id, type, payload, created_at from postrider.events where topic = 'orders'";
        String recorded = "select position, event_id, event_type, payload, created_at from postrider.event_log";
        assertThat(Rows.number(
                        direct,
                        "select count(*) from ((" + log + " except all " + recorded + ") union all (" + recorded
                                + " except all " + log + ")) d"))
                .isZero();
        assertThat(Rows.number(direct, "select count(*) from postrider.dead_letter"))
                .isZero();
    }

    private static ChildJvm recorder(TestDatabase database, String name) {
        return ChildJvm.of(RecorderMain.class)
                .withHeap("64m")
                .withArguments(database.jdbcUrl(), TOPIC, name)
                .start();
    }
}
