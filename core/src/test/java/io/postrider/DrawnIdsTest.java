package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.VerifyResult;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.SchemaName;
import io.postrider.internal.doctor.progress.SequencingHealth;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A producer may draw ids without inserting events: it costs itself time, and nobody else an event or a second. */
@Migrated(segmentSize = 1_000)
@Tag("security")
class DrawnIdsTest {
    private static final long SIZE = 1_000;
    private static final long DEFAULT_SIZE = 4_000_000;

    /** 20 billion ids, an event in each step, and a transaction that drew its id before all of them. */
    @Test
    void drawn_ids_make_few_segments_and_every_event_is_delivered_in_order(TestDatabase database) {
        List<String> heard = new CopyOnWriteArrayList<>();
        List<String> emitted = new ArrayList<>();
        try (Psql psql = new Psql(database);
                Psql producer = producer(database);
                Psql late = producer(database)) {
            psql.pass();
            late.begin();
            insert(late, "late");
            for (int step = 0; step < 40; step++) {
                psql.text(
                        "select setval('postrider.event_ids', last_value + 500000000)::text from postrider.event_ids");
                emitted.add(insert(producer, "e" + step));
                psql.pass();
                psql.text("select postrider.make_segments(" + DEFAULT_SIZE + ", 1000000)::text");
            }
            late.commit();
            emitted.add("late");
            emitted.add(insert(producer, "last"));
            assertThat(psql.number("select last_value from postrider.event_ids"))
                    .isGreaterThan(20_000_000_000L);
            assertThat(logSegments(psql)).isLessThan(60);
            assertThat(psql.number("select count(*) from postrider.event_beyond"))
                    .as("events that segments did not keep up with")
                    .isLessThan(20);
            try (Node node = new Node(database, options -> options.withSegmentSize(DEFAULT_SIZE))) {
                node.with(Listener.relay("l", "orders", event -> heard.add(event.type())));
                node.awaitCursor("l", emitted.size());
            }
            assertThat(heard).isEqualTo(emitted);
            assertThat(verified(database)).allMatch(VerifyResult::holds);
        } finally {
            dropProducer(database);
        }
    }

    /** The loop of a real producer beside passes and retention, in which it draws more ids each time than were made ahead. */
    @Test
    void events_are_delivered_while_a_producer_draws_ids_in_a_loop(TestDatabase database) {
        List<String> heard = new CopyOnWriteArrayList<>();
        List<String> emitted = new ArrayList<>();
        try (Psql psql = new Psql(database);
                Psql producer = producer(database);
                Node node = new Node(database, options -> options.withSegmentSize(SIZE))) {
            node.with(Listener.relay("l", "orders", event -> heard.add(event.type())));
            for (int step = 0; step < 25; step++) {
                producer.text("select count(nextval('postrider.event_ids'))::text from generate_series(1, 4000)");
                emitted.add(insert(producer, "e" + step));
                node.awaitCursor("l", emitted.size());
                make(psql);
            }
            assertThat(heard).isEqualTo(emitted);
            assertThat(logSegments(psql)).isLessThan(40);
        } finally {
            dropProducer(database);
        }
    }

    @Test
    void segments_without_events_are_dropped_at_once(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.emit("orders", "before").passAll();
            for (int step = 0; step < 3; step++) {
                psql.text("select setval('postrider.event_ids', last_value + 8000)::text from postrider.event_ids");
                make(psql);
            }
            psql.emit("orders", "after").passAll();
            settle(psql);
            psql.text("select postrider.close_segments('1 day')::text");
            while (psql.text("select postrider.drop_segments()") != null) {
                // the next one
            }
            assertThat(psql.texts(
                            "select distinct tableoid::regclass::text from postrider.event where topic = 'orders'"))
                    .hasSize(2);
            assertThat(logSegments(psql))
                    .as("two with an event, one in use, two to come")
                    .isLessThanOrEqualTo(5);
            assertThat(psql.log("orders")).containsExactly("before", "after");
            assertThat(verified(database)).allMatch(VerifyResult::holds);
        }
    }

    @Test
    void rows_in_the_table_beyond_are_kept_for_listeners_and_deleted_with_the_next_segment(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute("insert into postrider.listener (name, topic, kind, policy, batch, attempts)"
                    + " values ('l', 'orders', 'relay', 'block', 100, 5)");
            psql.text("select setval('postrider.event_ids', 13000)::text");
            psql.emit("orders", "beyond").passAll();
            assertThat(psql.number("select count(*) from postrider.event_beyond"))
                    .isEqualTo(1);
            psql.execute("insert into postrider.delivery (listener, from_position, to_position, events, worker)"
                    + " values ('l', 0, 0, 0, 'test')");
            make(psql);
            psql.text("select setval('postrider.event_ids', high)::text from postrider.segment"
                    + " where family = 'log' and low > 13000 order by low limit 1");
            settle(psql);
            empty(psql);
            assertThat(psql.texts("select type from postrider.events where topic = 'orders'"))
                    .as("the listener has not handled it")
                    .containsExactly("beyond");
            psql.text("select postrider.deliver('l', 1, 1, 1, 'test')::text");
            empty(psql);
            assertThat(psql.number("select count(*) from postrider.event_beyond"))
                    .isZero();
            assertThat(psql.number("select count(*) from postrider.log_beyond")).isZero();
            assertThat(psql.number("select position from postrider.forgotten where topic = 'orders'"))
                    .isEqualTo(1);
            assertThat(verified(database)).allMatch(VerifyResult::holds);
        }
    }

    /** A reader's transaction keeps segments from being made while ids are drawn; the next one then begins above them. */
    @Test
    void a_gap_before_the_current_segment_is_not_mistaken_for_a_reset_sequence(TestDatabase database) {
        Database inside = new Database(database.dataSource(), SchemaName.of("postrider"));
        try (Psql psql = new Psql(database)) {
            psql.emit("orders", "before").passAll();
            psql.text("select setval('postrider.event_ids', max(high) + 100)::text from postrider.segment"
                    + " where family = 'log'");
            make(psql);
            psql.emit("orders", "after").passAll();
            psql.text("select postrider.close_segments('1 day')::text");
            assertThat(psql.number("select max(low) - (select last_value from postrider.event_ids)"
                            + " from postrider.segment where family = 'log' and opened_at is not null"))
                    .as("how far the segment in use begins above the last id")
                    .isPositive();
            assertThat(inside.autocommit(SequencingHealth::trouble)).isEmpty();
            psql.text("select setval('postrider.event_ids', max(high) - 500)::text from postrider.segment s"
                    + " where family = 'log' and exists (select from postrider.segment o"
                    + " where o.family = 'log' and o.opened_at is not null and o.low > s.low)");
            psql.execute("update postrider.pass set high = 1, high_id = 1");
            assertThat(inside.autocommit(SequencingHealth::trouble))
                    .hasValueSatisfying(text -> assertThat(text).startsWith("sequence event_ids is at"));
        }
    }

    @Test
    void a_producer_that_waits_while_segments_are_made_does_not_fail(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql reader = new Psql(database).begin();
                Psql maker = new Psql(database);
                Psql producer = new Psql(database)) {
            psql.text("select setval('postrider.event_ids', 13000)::text");
            reader.text("select count(*)::text from postrider.event_beyond");
            CompletableFuture<Void> making = Background.run(() -> make(maker));
            awaitWaiting(psql, 1);
            CompletableFuture<Void> emitting = Background.run(() -> producer.emit("orders", "a"));
            awaitWaiting(psql, 2);
            reader.rollback();
            making.join();
            emitting.join();
            psql.passAll();
            assertThat(psql.log("orders")).containsExactly("a");
        }
    }

    @Test
    void a_large_segment_is_rotated_in_steps_and_not_while_there_are_many(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.text("select postrider.make_segments(100000000, 1000000)::text");
            psql.text("select setval('postrider.event_ids', low)::text from postrider.segment"
                    + " where family = 'log' and high - low = 100000000 order by low limit 1");
            psql.text("select postrider.close_segments('1 day')::text");
            long begin = psql.number("select last_value from postrider.event_ids");
            psql.text("select postrider.close_segments('0')::text");
            assertThat(psql.number("select last_value from postrider.event_ids") - begin)
                    .isEqualTo(DEFAULT_SIZE);
            psql.execute("insert into postrider.segment (family, low, high)"
                    + " select 'log', 10000000000 * i, 10000000000 * i + 1 from generate_series(1, 24) i");
            psql.text("select postrider.close_segments('0')::text");
            assertThat(psql.number("select last_value from postrider.event_ids") - begin)
                    .isEqualTo(DEFAULT_SIZE);
        }
    }

    /** With few events a day the ids of a gap would last for years: the segment after it is left by age like any other. */
    @Test
    void a_quiet_system_rotates_the_segment_after_a_gap(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.text("select setval('postrider.event_ids', 100000000)::text");
            psql.text("select postrider.make_segments(" + DEFAULT_SIZE + ", 1000000)::text");
            long high = psql.number("select high from postrider.segment where family = 'log' and low > 100000000"
                    + " order by low limit 1");
            psql.text("select postrider.close_segments('1 day')::text");
            for (int i = 0; i < 3; i++) {
                psql.text("select postrider.close_segments('0')::text");
            }
            assertThat(psql.number("select last_value from postrider.event_ids"))
                    .isGreaterThanOrEqualTo(high);
        }
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private static String role(TestDatabase database) {
        return "drawing_" + database.name();
    }

    /** A session with the rights of a producer, as docs/operate.md grants them. */
    private static Psql producer(TestDatabase database) {
        String role = role(database);
        try (Psql admin = new Psql(database)) {
            if (admin.number("select count(*) from pg_roles where rolname = '" + role + "'") == 0) {
                admin.execute("create role " + role + " nologin")
                        .execute("grant usage on schema postrider to " + role)
                        .execute("grant insert (topic, type, payload) on postrider.event to " + role)
                        .execute("grant usage on sequence postrider.event_ids to " + role);
            }
        }
        return new Psql(database).execute("set role " + role);
    }

    private static void dropProducer(TestDatabase database) {
        try (Psql admin = new Psql(database)) {
            admin.execute("drop owned by " + role(database)).execute("drop role " + role(database));
        }
    }

    private static String insert(Psql producer, String type) {
        producer.execute("insert into postrider.event (topic, type, payload) values ('orders', '" + type + "', '{}')");
        return type;
    }

    private static long logSegments(Psql psql) {
        return psql.number("select count(*) from postrider.segment where family = 'log'");
    }

    private static void awaitWaiting(Psql psql, int sessions) {
        Await.until(
                sessions + " sessions wait for the table beyond",
                () -> psql.number("select count(*) from pg_locks where not granted and relation ="
                                + " 'postrider.event_beyond'::regclass")
                        == sessions);
    }

    private static void make(Psql psql) {
        psql.text("select postrider.make_segments(" + SIZE + ", 1000000)::text");
    }

    private static void empty(Psql psql) {
        psql.text("select postrider.close_segments('1 day')::text");
        psql.texts("select name from postrider.empty_segments('0', '1 day')");
    }

    /** Events on another topic, so that the floor rises above all that was written before. */
    private static void settle(Psql psql) {
        for (int i = 0; i < 4; i++) {
            psql.emit("settle", "s" + i).pass();
        }
    }

    private static List<VerifyResult> verified(TestDatabase database) {
        return Postrider.on(database.dataSource()).verifier().verify(step -> {});
    }

    private static Database database(TestDatabase database) {
        return new Database(database.dataSource(), SchemaName.of("postrider"));
    }
}
