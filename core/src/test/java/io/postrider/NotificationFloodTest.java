package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Any role may notify on any channel, as much as the server's queue holds. A node must neither keep what it did not ask for nor stop
 * delivering. The driver kept it: 20,000 payloads ended a node with 64 MB.
 */
@Migrated
@Tag("security")
class NotificationFloodTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** The target is 3 s for 1 GB; this flood is a sixth of it, and the machine may be busy. */
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(3);

    /** 160 MB, and each payload another one: the server merges those that are equal. */
    private static final String FLOOD = "select count(pg_notify('postrider', repeat('x', 7900) || i))"
            + " from generate_series(1, " + Integer.getInteger("postrider.test.flood", 20_000) + ") i";

    @Test
    void a_node_with_a_small_heap_survives_a_flood_and_keeps_delivering(TestDatabase database) {
        try (Psql psql = new Psql(database);
                ChildJvm node = ChildJvm.of(Main.class)
                        .withHeap("64m")
                        .withProperty("org.slf4j.simpleLogger.log.io.postrider", "warn")
                        .withArguments(database.jdbcUrl())
                        .start()) {
            node.awaitLine("ready", PATIENCE);
            emitAndAwait(psql, node, "before");
            for (int i = 1; i <= 2; i++) { // heard in the first, and in the second it does not listen
                psql.execute(FLOOD);
                Duration took = emitAndAwait(psql, node, "after-" + i);
                System.out.println("a flood of notifications delayed an event by " + took.toMillis() + " ms");
                assertThat(took).isLessThan(LONGEST_DELAY);
            }
            assertThat(node.errors().stream().filter(line -> line.contains("notifications_flooded")))
                    .as("logged once")
                    .hasSize(1)
                    .allMatch(line -> line.contains("channel=postrider") && line.contains("pause_ms=10000"));
            assertThat(node.isAlive()).isTrue();
        }
    }

    @Test
    void after_a_flood_the_node_polls_instead_of_waiting_for_notifications(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Node node = new Node(database)) {
            node.with(Listener.relay("relay", "orders", event -> {}));
            node.awaitAsleep();
            psql.execute(FLOOD);
            Await.until(
                    "the idle lock is free",
                    () -> psql.number("select count(*) from pg_locks where locktype = 'advisory'"
                                    + " and classid = 'postrider.event'::regclass and objid = 1")
                            == 0);
            node.emit(Event.of("orders", "a", "{}"));
            node.awaitCursor("relay", 1);
        }
    }

    private static Duration emitAndAwait(Psql psql, ChildJvm node, String type) {
        long began = System.nanoTime();
        psql.execute("insert into postrider.event (topic, type, payload) values ('orders', '" + type + "', '{}')");
        node.awaitLine("handled " + type, PATIENCE);
        return Duration.ofNanos(System.nanoTime() - began);
    }

    /** A node: {@code Main <jdbc url>}. */
    static final class Main {
        private Main() {}

        public static void main(String[] args) throws InterruptedException {
            PGSimpleDataSource dataSource = new PGSimpleDataSource();
            dataSource.setUrl(args[0]);
            Postrider.on(dataSource)
                    .add(Listener.relay("relay", "orders", event -> System.out.println("handled " + event.type()))
                            .withStart(StartPoint.beginning()))
                    .start();
            System.out.println("ready");
            new CountDownLatch(1).await(); // until it is killed
        }
    }
}
