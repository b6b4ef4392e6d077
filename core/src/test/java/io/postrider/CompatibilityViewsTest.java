package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Jobs.State;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The views with the names of hand-written outbox and job tables. */
@Migrated
class CompatibilityViewsTest {
    @Test
    void listeners_events_and_dead_letters_have_the_names_of_a_hand_written_outbox(TestDatabase database) {
        UUID good = UUID.randomUUID();
        UUID bad = UUID.randomUUID();
        UUID waiting = UUID.randomUUID();
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            node.with(Listener.relay("mail", "orders", event -> {
                        if (event.type().equals("bad")) {
                            throw new CodedException("no_address", "nobody");
                        }
                        if (event.type().equals("waiting")) {
                            throw new UnavailableException(Duration.ofHours(1), "down");
                        }
                    })
                    .withAttempts(2)
                    .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1)));
            node.emit(
                    Event.of("orders", "good", "{\"n\": 1}")
                            .withId(good)
                            .withProject("p")
                            .withUser("u")
                            .withAggregate("order", "42"),
                    Event.of("orders", "bad", "{}").withId(bad),
                    Event.of("orders", "waiting", "{}").withId(waiting));
            Await.until(
                    "the relay waits for its system",
                    () -> "unavailable"
                            .equals(psql.text("select coalesce(last_error_code, '') from postrider.outbox_listeners"
                                    + " where listener_id = 'mail'")));
            assertThat(psql.text("select concat_ws(' ', listener_id, last_processed_id, retry_count, last_error, topic,"
                            + " pending_count, paused, retry_after is not null, last_processed_at is not null,"
                            + " updated_at is not null, created_at is not null, locked_by is not null)"
                            + " from postrider.outbox_listeners"))
                    .startsWith("mail 2 ")
                    .endsWith(" orders 1 f t t t t t");
            assertThat(psql.text("select concat_ws(' ', listener_id, outbox_id, event_id, event_type, retry_count,"
                            + " last_error_code, failed_at is not null, topic, payload, created_at is not null)"
                            + " from postrider.outbox_dead_letters"))
                    .isEqualTo("mail 2 " + bad + " bad 2 no_address t orders {} t");
            assertThat(psql.text(
                            "select concat_ws(' ', id, aggregate_type, aggregate_id, user_id, project_id, event_type,"
                                    + " payload, status, retry_count, next_retry_at is null, published_at is not null,"
                                    + " created_at is not null, last_error is null, listener_id, topic, position)"
                                    + " from postrider.event_outbox where id = '" + good + "'"))
                    .isEqualTo(good + " order 42 u p good {\"n\": 1} published 0 t t t t mail orders 1");
            assertThat(psql.texts("select status from postrider.event_outbox order by position"))
                    .containsExactly("published", "failed", "pending");
        }
    }

    @Test
    void jobs_have_the_names_of_a_hand_written_job_table(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            node.postrider
                    .add(Worker.on("enrich")
                            .handling("good", job -> Fate.done())
                            .handling("bad", job -> Fate.dead("not_found", "no such item")))
                    .start();
            UUID good = enqueue(node, Job.of("enrich", "good", "{}").withKey("item-1"));
            UUID bad = enqueue(node, Job.of("enrich", "bad", "{}").withKey("item-2"));
            awaitState(node, good, State.DONE);
            awaitState(node, bad, State.FAILED);
            String columns = "select concat_ws(' ', item_id, job_type, status, attempt_count, last_error_code,"
                    + " last_error_message, last_error, locked_by, lease_expires_at, run_at is not null,"
                    + " claimed_at is not null, created_at is not null, finished_at is not null, queue, payload)"
                    + " from postrider.job_outbox where id = '";
            assertThat(psql.text(columns + good + "'")).isEqualTo("item-1 good DONE 1 t t t t enrich {}");
            assertThat(psql.text(columns + bad + "'"))
                    .isEqualTo("item-2 bad FAILED 1 not_found no such item no such item t t t t enrich {}");
            assertThat(psql.texts("select listener_id from postrider.outbox_dead_letters"))
                    .as("dead jobs are in job_outbox")
                    .isEmpty();
        }
    }
}
