package io.postrider.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Postrider;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A node that is connected and cannot do its work is not ready. */
@PostgresTest
class ReadinessTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void a_node_whose_events_get_no_position_is_not_ready_and_says_who_holds_them_up(TestDatabase database)
            throws Exception {
        try (Postrider postrider = Postrider.on(database.dataSource()).migrate().start();
                Connection holder = database.dataSource().getConnection();
                Statement statement = holder.createStatement()) {
            Await.until("it is connected", LONG, postrider::isConnected);
            Await.until("it is ready", LONG, () -> ask(postrider, database).ready());
            statement.execute("set application_name = 'careless app'");
            statement.execute("begin; lock table postrider.sequencing in exclusive mode");
            try (Connection another = database.dataSource().getConnection();
                    Statement writing = another.createStatement()) {
                writing.execute("update postrider.pass set at = at - interval '1 hour'");
                writing.execute("insert into postrider.event (topic, type, payload, created_at)"
                        + " values ('orders', 't', '1', clock_timestamp() - interval '107 seconds')");
            }
            assertThat(ask(postrider, database).detail())
                    .contains("1 committed events wait for a position, the oldest for 107 s")
                    .contains("the sequencing lock is held by pid")
                    .contains("careless app");
            statement.execute("rollback");
            Await.until(
                    "it is ready again", LONG, () -> ask(postrider, database).ready());
        }
    }

    /** Counting the events of 300,000 topics took longer than the probe waits, and the node was not ready although it worked. */
    @Test
    void a_node_that_gives_positions_is_ready_although_the_waiting_events_cannot_be_counted_in_time(
            TestDatabase database) throws Exception {
        try (Postrider postrider = Postrider.on(database.dataSource()).migrate().start();
                Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            Await.until("it is connected", LONG, postrider::isConnected);
            statement.execute("select postrider.emit('orders', 't', '1')");
            postrider.jobs().sequence();
            statement.execute("create or replace function postrider.unpositioned()"
                    + " returns table (topic text, events bigint, oldest_at timestamptz) language plpgsql as"
                    + " $$ begin raise exception 'too many to count' using errcode = '57014'; end $$");
            statement.execute("update postrider.pass set at = clock_timestamp()");
            assertThat(ask(postrider, database)).isEqualTo(Readiness.Answer.YES);
            statement.execute("update postrider.pass set at = at - interval '1 hour'");
            assertThat(ask(postrider, database).detail()).contains("too many to count");
        }
    }

    @Test
    void a_node_whose_counters_were_tampered_with_is_not_ready(TestDatabase database) throws Exception {
        try (Postrider postrider = Postrider.on(database.dataSource()).migrate().start();
                Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            Await.until("it is connected", LONG, postrider::isConnected);
            statement.execute("select postrider.emit('orders', 't', '1')");
            statement.execute("select postrider.emit('orders', 't', '1')");
            postrider.jobs().sequence();
            Await.until("it is ready", LONG, () -> ask(postrider, database).ready());
            statement.execute("select setval('postrider.event_ids', 1)");
            assertThat(ask(postrider, database).detail()).contains("event_ids is at 1, but 2 was used");
            statement.execute("select setval('postrider.event_ids', 2)");
            assertThat(ask(postrider, database).ready()).isTrue();
        }
    }

    /** Asks a new instance, which has no cached result. */
    private static Readiness.Answer ask(Postrider postrider, TestDatabase database) {
        return new Readiness(postrider, database.dataSource(), "postrider").ask();
    }
}
