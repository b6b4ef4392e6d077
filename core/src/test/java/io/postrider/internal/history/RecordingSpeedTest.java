package io.postrider.internal.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Listener;
import io.postrider.Migrated;
import io.postrider.Node;
import io.postrider.Psql;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How fast a backlog is recorded, and what it costs. Prints; fails only if something is badly wrong. */
@Tag("slow")
@Tag("once")
@Migrated
@Tag("alone")
@Tag("prove")
class RecordingSpeedTest {
    private static final int EVENTS = 200_000;

    @Test
    void a_backlog_is_recorded_at_the_expected_rate(TestDatabase database) {
        try (Node node = new Node(database, options -> options.withSegmentSize(4_000_000));
                Psql psql = new Psql(database)) {
            psql.execute(
                            "insert into postrider.event (topic, type, payload, key, project_id, user_id, aggregate_type, aggregate_id)"
                                    + " select 'orders', 'order.placed', jsonb_build_object('order', i, 'text', repeat('x', 100)),"
                                    + " (i % 1000)::text, 'p' || i % 50, 'u' || i % 2000, 'order', i % 5000"
                                    + " from generate_series(1, " + EVENTS + ") i")
                    .passAll();
            measure(
                    node,
                    psql,
                    Listener.transactionalBatch("bare", "orders", (connection, events) -> {})
                            .withBatch(1_000));
            measure(node, psql, node.postrider.eventLog().listener("orders"));
            System.out.println("event log: "
                    + psql.text("select pg_size_pretty(sum(pg_table_size(inhrelid))) || ' of rows, '"
                            + " || pg_size_pretty(sum(pg_indexes_size(inhrelid))) || ' of indexes' from pg_inherits"
                            + " where inhparent = 'postrider.event_log'::regclass"));
            assertThat(psql.number("select count(*) from postrider.event_log")).isEqualTo(EVENTS);
        }
    }

    private static void measure(Node node, Psql psql, Listener listener) {
        psql.execute("checkpoint");
        String before = psql.text("select pg_current_wal_lsn()");
        long began = System.nanoTime();
        if (listener.name().equals("bare")) {
            node.with(listener);
        } else {
            node.add(listener);
        }
        Await.until(
                listener.name() + " is through",
                Duration.ofMinutes(5),
                () -> psql.number("select position from postrider.listeners where name = '" + listener.name() + "'")
                        == EVENTS);
        double seconds = (System.nanoTime() - began) / 1e9;
        System.out.printf(
                "%s: %,d events in %.1f s, %,.0f a second, %d bytes of WAL each%n",
                listener.name(),
                EVENTS,
                seconds,
                EVENTS / seconds,
                psql.number("select ((pg_current_wal_lsn() - '" + before + "'::pg_lsn) / " + EVENTS + ")::int8"));
    }
}
