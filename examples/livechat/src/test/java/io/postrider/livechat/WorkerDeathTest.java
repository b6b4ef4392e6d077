package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** API and worker are two processes; the worker is killed -9 while messages come in. */
@PostgresTest
@Tag("slow")
class WorkerDeathTest {
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final int MESSAGES = 400;

    @Test
    void every_acknowledged_message_is_there_once_though_the_worker_was_killed_three_times(TestDatabase database)
            throws Exception {
        try (Node api = Node.taking(database);
                Supervisor supervisor = Theatre.worker(database)) {
            Set<String> acknowledged = new HashSet<>();
            for (int i = 0; i < MESSAGES; i++) {
                if (i % 100 == 50 && i < 350) {
                    acknowledged.addAll(killInTheMiddle(api, supervisor));
                }
                String client = "client-" + (1000 + i);
                api.ingestion.accept(List.of(Node.pilotSays("v-" + i % 4, client)));
                acknowledged.add(client);
            }
            int all = acknowledged.size();
            Await.until("all are saved", LONG, () -> api.count("livechat.message where pilot") >= all);
            Await.until(
                    "the companion has counted all",
                    LONG,
                    () -> api.texts("select coalesce(sum(counted), 0) from livechat.companion")
                            .equals(List.of("" + all)));
            List<String> saved = api.texts("select client_id from livechat.message where pilot");
            assertThat(saved).hasSize(all).containsExactlyInAnyOrderElementsOf(acknowledged);
            List<String> told = new ArrayList<>(api.texts("select payload ->> 'client' from postrider.event"
                    + " where topic = 'chat' and (payload -> 'pilot')::boolean"));
            assertThat(told).hasSize(all).containsExactlyInAnyOrderElementsOf(acknowledged);
            assertThat(supervisor.state().kills()).isEqualTo(3);
        }
    }

    /** While it works: it has saved something since it came up, and something is left to save. */
    private static List<String> killInTheMiddle(Node api, Supervisor supervisor) throws Exception {
        Await.until("the worker is up", LONG, () -> supervisor.state().up());
        long before = api.count("livechat.message");
        List<NewMessage> burst = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            burst.add(Node.pilotSays("v-burst", "burst-" + before + "-" + i));
        }
        api.ingestion.accept(burst);
        Await.until("it is in the middle of it", LONG, () -> api.count("livechat.message") > before);
        supervisor.kill();
        assertThat(supervisor.state().up()).isFalse();
        return burst.stream().map(NewMessage::client).toList();
    }
}
