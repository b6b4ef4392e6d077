package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Listeners without events, of which an application may have thousands. */
@Migrated
@Tag("slow")
class IdleListenersTest {
    private static final int LISTENERS = 500;

    /** Before Java 21 each idle listener held a thread. A waiting one on the second node did too. */
    @Test
    void five_hundred_idle_listeners_hold_no_threads_and_still_hear_at_once(TestDatabase database) {
        List<String> heard = new CopyOnWriteArrayList<>();
        Listener[] listeners = IntStream.range(0, LISTENERS)
                .mapToObj(i -> Listener.relay("l" + i, "t" + i, event -> heard.add(event.topic())))
                .toArray(Listener[]::new);
        try (Psql psql = new Psql(database)) {
            try (Node node = new Node(database).with(listeners);
                    Node standby = new Node(database).with(listeners)) {
                awaitOwned(psql);
                Await.until("idle listeners hold few threads", Duration.ofSeconds(60), () -> handlerThreads() < 50);
                node.emit(Event.of("t0", "a", "{}"), Event.of("t499", "a", "{}"));
                node.awaitCursor("l0", 1);
                node.awaitCursor("l499", 1);
                assertThat(heard).containsExactlyInAnyOrder("t0", "t499");
                node.close();
                awaitOwned(psql);
                standby.emit(Event.of("t250", "a", "{}"));
                standby.awaitCursor("l250", 1);
            }
            assertThat(psql.number("select count(*) from postrider.tenure where ended_at is null"))
                    .as("listeners that waited when their node was closed ended their tenure")
                    .isZero();
        }
    }

    private static void awaitOwned(Psql psql) {
        Await.until(
                "each listener has begun",
                Duration.ofSeconds(60),
                () -> psql.number("select count(*) from postrider.tenure where ended_at is null") == LISTENERS);
    }

    private static long handlerThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("postrider-handler-"))
                .count();
    }
}
