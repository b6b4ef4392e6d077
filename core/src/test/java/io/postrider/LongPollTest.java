package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Jobs.State;
import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** With the longest poll, only a lost notification waits for it. */
@Migrated
@Tag("slow")
class LongPollTest {
    private static final Map<String, String> FIVE_MINUTES = Map.of("POSTRIDER_POLL", "5m");
    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void events_jobs_and_delayed_jobs_do_not_wait_for_the_poll(TestDatabase database) {
        List<Long> heard = new CopyOnWriteArrayList<>();
        try (Node node = rarelyPolling(database, "node")) {
            node.postrider
                    .add(Listener.relay("relay", "orders", event -> heard.add(event.position())))
                    .add(Worker.on("q").handling("t", job -> Fate.done()))
                    .start();
            node.awaitAsleep();
            node.emit(Event.of("orders", "a", "{}"));
            Await.until("the event arrived", SOON, () -> heard.size() == 1);
            UUID now = enqueue(node, "{}").get(0);
            UUID later =
                    enqueue(node, Job.of("q", "t", "{}").withRunAt(Instant.now().plusSeconds(2)));
            within(SOON, () -> awaitState(node, now, State.DONE));
            within(SOON, () -> awaitState(node, later, State.DONE));
        }
    }

    @Test
    void a_node_that_is_killed_is_replaced_within_seconds(TestDatabase database) {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (ChildJvm first = ChildJvm.of(First.class)
                        .withArguments(database.jdbcUrl())
                        .start();
                Node second = rarelyPolling(database, "second")) {
            first.awaitLine("started", Duration.ofSeconds(60));
            second.leaderPid();
            UUID held = enqueue(second, "{}").get(0);
            first.awaitLine("handling", Duration.ofSeconds(60));
            second.postrider
                    .add(Listener.relay("relay", "orders", event -> heard.add(event.type())))
                    .add(Worker.on("q").handling("t", job -> Fate.done()))
                    .start();
            first.kill9();
            second.emit(Event.of("orders", "after", "{}"));
            Await.until("the second node sequences and listens", SOON, () -> heard.contains("after"));
            within(SOON, () -> awaitState(second, held, State.DONE));
        }
    }

    @Test
    void a_lost_notification_is_found_by_the_poll(TestDatabase database) {
        List<Long> heard = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database, options -> options.withPoll(Duration.ofSeconds(4)));
                Psql quiet = new Psql(database)) {
            node.postrider
                    .add(Listener.relay("relay", "orders", event -> heard.add(System.nanoTime())))
                    .start();
            node.awaitAsleep();
            quiet.execute("set postrider.notify = off"); // as if the notification were lost
            quiet.emit("orders", "a");
            long emitted = System.nanoTime();
            Await.until("it was found", SOON, () -> heard.size() == 1);
            assertThat(Duration.ofNanos(heard.get(0) - emitted)).isLessThan(Duration.ofSeconds(8));
        }
    }

    private static Node rarelyPolling(TestDatabase database, String name) {
        return new Node(database, options -> options.withNode(name).withEnvironment(FIVE_MINUTES));
    }

    private static void within(Duration most, Runnable work) {
        long began = System.nanoTime();
        work.run();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(most);
    }

    /** The node that leads, owns the listener and holds the job. */
    static final class First {
        public static void main(String[] args) throws Exception {
            PGSimpleDataSource dataSource = new PGSimpleDataSource();
            dataSource.setUrl(args[0]);
            Postrider postrider = Postrider.on(
                    dataSource, Options.defaults().withNode("first").withEnvironment(FIVE_MINUTES));
            postrider.add(Listener.relay("relay", "orders", event -> {}));
            postrider.add(Worker.on("q").handling("t", job -> {
                System.out.println("handling");
                new CountDownLatch(1).await();
                return Fate.done();
            }));
            postrider.start();
            System.out.println("started");
            new CountDownLatch(1).await();
        }
    }
}
