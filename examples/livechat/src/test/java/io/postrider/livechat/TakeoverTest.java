package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two worker processes, one of which dies and does not come back: the other one takes over its jobs and its listeners. */
@PostgresTest
@Tag("slow")
@Tag("alone")
class TakeoverTest {
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final int MESSAGES = 200;

    @Test
    void the_work_of_a_killed_worker_is_taken_over_within_seconds_without_a_new_process(TestDatabase database)
            throws Exception {
        try (Node api = Node.taking(database);
                Supervisor first = Theatre.worker(database);
                Supervisor second = Theatre.worker(database)) {
            Await.until(
                    "both are up",
                    LONG,
                    () -> first.state().up() && second.state().up());
            for (int i = 0; i < MESSAGES; i++) {
                api.queue(Node.visitorSays("v-" + i % 6, "client-" + (1000 + i), "@anna " + i));
                if (i == MESSAGES / 2) {
                    Await.until("they are at work", LONG, () -> api.count("livechat.activity") > 5);
                    first.close(); // kill -9, and no new process
                }
            }
            Await.until("all are saved", LONG, () -> api.count("livechat.message where answers is null") == MESSAGES);
            Await.until(
                    "all are answered",
                    LONG,
                    () -> api.count("livechat.message where answers is not null") == MESSAGES);
            Await.until("all mentions are recorded", LONG, () -> api.count("livechat.activity") == MESSAGES);
            List<String> longest = api.texts(
                    "select max(extract(epoch from created_at - accepted_at))::numeric(9, 3) from livechat.message");
            assertThat(Double.parseDouble(longest.get(0)))
                    .as("seconds that a message or an answer has waited")
                    .isLessThan(15);
            assertThat(api.count("(select distinct message_id from livechat.activity) a"))
                    .isEqualTo(MESSAGES);
        }
    }
}
