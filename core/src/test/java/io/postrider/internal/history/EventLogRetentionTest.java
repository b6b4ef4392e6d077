package io.postrider.internal.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Background;
import io.postrider.Migrated;
import io.postrider.Node;
import io.postrider.Psql;
import io.postrider.Reach;
import io.postrider.admin.EventFilter;
import io.postrider.admin.EventLog;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.SchemaName;
import io.postrider.internal.retain.Retention;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Partitions of the event log: made ahead, dropped whole, and never in anybody's way for long. */
@Migrated
@Tag("slow")
@Tag("security")
class EventLogRetentionTest {
    private static final String PARTITIONS = "select count(*) from pg_inherits i join pg_class c on c.oid = i.inhrelid"
            + " where i.inhparent = 'postrider.event_log'::regclass and c.relname <> 'event_log_beyond'";

    @Test
    void the_current_and_two_future_partitions_exist_and_a_second_call_creates_none(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            assertThat(psql.number("select count(*) from postrider.event_log_partition"))
                    .isEqualTo(psql.number(PARTITIONS))
                    .isEqualTo(3);
            assertThat(psql.text("select (min(low) <= now() and max(high) > now() + interval '14 days')::text"
                            + " from postrider.event_log_partition"))
                    .isEqualTo("true");
            assertThat(psql.text("select bool_and(extract(isodow from low at time zone 'UTC') = 1)::text"
                            + " from postrider.event_log_partition"))
                    .as("weeks, while events are kept for 90 days")
                    .isEqualTo("true");
            assertThat(psql.number("select postrider.make_event_log()")).isZero();
            assertThat(psql.number("select postrider.make_event_log(now() + interval '21 days')"))
                    .isEqualTo(3);
            assertThat(psql.number("select count(*) from postrider.event_log_partition a"
                            + " where exists (select from postrider.event_log_partition b where b.low = a.high)"))
                    .as("without a gap")
                    .isEqualTo(5);
        }
    }

    @Test
    void every_partition_has_the_policies_of_the_parent(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.number("select postrider.make_event_log(now() + interval '21 days')");
            assertThat(psql.texts("select distinct c.relrowsecurity || ' ' || c.relforcerowsecurity || ' ' || ("
                            + " select string_agg(polname || polcmd::text || pg_get_expr(polqual, polrelid), ' ' order by polname)"
                            + " from pg_policy where polrelid = c.oid) from pg_class c"
                            + " where c.oid = 'postrider.event_log'::regclass or c.oid in (select inhrelid from pg_inherits"
                            + " where inhparent = 'postrider.event_log'::regclass)"))
                    .hasSize(1)
                    .allMatch(line -> line.startsWith("true true in_reachr"));
        }
    }

    @Test
    void another_retention_time_changes_the_width_of_later_partitions(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            node.postrider.eventLog().keep(Duration.ofDays(3));
            assertThat(psql.number("select postrider.make_event_log(now() + interval '21 days')"))
                    .isBetween(1L, 9L);
            node.postrider.eventLog().keep(Duration.ofDays(1_000));
            assertThat(psql.number("select postrider.make_event_log(now() + interval '40 days')"))
                    .isBetween(2L, 4L);
            assertThat(psql.number("select count(*) from postrider.event_log_partition a"
                            + " where not exists (select from postrider.event_log_partition b where b.low = a.high)"))
                    .as("without a gap")
                    .isEqualTo(1);
        }
    }

    @Test
    void partitions_are_dropped_when_all_rows_exceed_the_retention_time(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            past(psql, 120);
            fill(psql, 120);
            EventLog eventLog = node.postrider.eventLog();
            int gone = 0;
            while (!psql.texts("select postrider.forget_event_log()").isEmpty()) {
                gone++;
            }
            assertThat(gone).isBetween(4, 5);
            assertThat(psql.text("select min(high) > now() - interval '90 days' from postrider.event_log_partition"))
                    .isEqualTo("t");
            long oldest = psql.number("select min(position) from postrider.event_log where topic = 'orders'");
            assertThat(oldest).isBetween(20L, 40L);
            assertThat(eventLog.oldest("orders")).isEqualTo(oldest);
            assertThat(eventLog.oldest("mails"))
                    .as("120 is late, and went with its time")
                    .isEqualTo(121);
            eventLog.keep(Duration.ofDays(10));
            while (!psql.texts("select postrider.forget_event_log()").isEmpty()) {
                gone++;
            }
            assertThat(psql.number(PARTITIONS))
                    .isEqualTo(psql.number("select count(*) from postrider.event_log_partition"));
            assertThat(psql.number("select count(*) from postrider.event_log where topic = 'orders'"))
                    .isBetween(10L, 18L);
            assertThat(psql.number("select postrider.make_event_log()"))
                    .as("nothing is missing")
                    .isZero();
        }
    }

    /** DROP TABLE fails while a view depends on the partition, even a temporary one of a role that may not read it. */
    @Test
    void a_view_on_a_partition_delays_no_other_partition_and_keeps_no_row(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql viewer = new Psql(database)) {
            past(psql, 120);
            fill(psql, 120);
            String oldest = psql.text("select 'event_log_' || to_char(min(low) at time zone 'UTC', 'YYYYMMDD')"
                    + " from postrider.event_log_partition");
            viewer.execute("create temp view d as select 1 as x from postrider." + oldest);
            while (!psql.texts("select postrider.forget_event_log()").isEmpty()) {
                // the next one
            }
            assertThat(psql.text("select min(high) > now() - interval '90 days' from postrider.event_log_partition"))
                    .isEqualTo("t");
            assertThat(psql.number(PARTITIONS))
                    .isEqualTo(psql.number("select count(*) from postrider.event_log_partition"));
            assertThat(psql.number("select count(*) from postrider." + oldest)).isZero();
            assertThat(psql.text("select postrider.drop_segments()")).isNull();
            viewer.execute("drop view d");
            assertThat(psql.text("select postrider.drop_segments()")).isEqualTo(oldest);
        }
    }

    @Test
    void rows_in_the_table_beyond_are_deleted_by_age_and_no_partition_overlaps_them(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            psql.execute(
                    "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers, created_at)"
                            + " values ('orders', 1, gen_random_uuid(), 'old', '{}', '{}', '2020-01-01'),"
                            + " ('orders', 2, gen_random_uuid(), 'new', '{}', '{}', now()),"
                            + " ('orders', 3, gen_random_uuid(), 'far', '{}', '{}', now() + interval '25 days')");
            assertThat(psql.number("select postrider.make_event_log(now() + interval '28 days')"))
                    .as("four weeks, but not the one that has a row")
                    .isEqualTo(3);
            assertThat(psql.texts("select postrider.forget_event_log()")).containsExactly("1 rows beyond");
            assertThat(psql.texts("select postrider.forget_event_log()")).isEmpty();
            assertThat(psql.texts("select event_type from postrider.event_log order by position"))
                    .containsExactly("new", "far");
            assertThat(node.postrider.eventLog().oldest("orders")).isEqualTo(2);
        }
    }

    /** A dump, or a count that takes long, holds the lock; nobody else waits behind who waits for it. */
    @Test
    void a_reader_with_a_lock_postpones_creation_and_deletion_and_hardly_delays_others(TestDatabase database) {
        Database door = new Database(database.dataSource(), SchemaName.of("postrider"));
        try (Node node = new Node(database);
                Psql reader = new Psql(database);
                Psql psql = new Psql(database)) {
            past(psql, 120);
            fill(psql, 120);
            EventLog eventLog = node.postrider.eventLog();
            long before = psql.number(PARTITIONS);
            psql.execute("drop table postrider."
                            + psql.text("select 'event_log_' || to_char(max(low) at time zone 'UTC', 'YYYYMMDD')"
                                    + " from postrider.event_log_partition"))
                    .execute("delete from postrider.event_log_partition where low = (select max(low) from"
                            + " postrider.event_log_partition)");
            reader.begin().number("select count(*) from postrider.event_log");
            long alone = 0;
            for (int i = 0; i < 20; i++) {
                alone = Math.max(alone, nanosOfRead(eventLog));
            }
            try (Retention retention = new Retention(door, 4_000_000, Duration.ofDays(7), Duration.ofDays(30))) {
                CompletableFuture<Void> house = Background.run(retention::keepHouse);
                long longest = 0;
                while (!house.isDone()) {
                    longest = Math.max(longest, nanosOfRead(eventLog));
                }
                house.join();
                System.out.printf(
                        "a read beside partitions that wait for a lock took %d ms at most, alone %d ms%n",
                        longest / 1_000_000, alone / 1_000_000);
                assertThat(psql.number(PARTITIONS)).as("put off").isEqualTo(before - 1);
                assertThat(Duration.ofNanos(longest))
                        .as("a step waits 200 ms for its lock, and reads behind it")
                        .isLessThan(Duration.ofMillis(1_000).plusNanos(10 * alone));
                reader.commit();
                retention.keepHouse();
                assertThat(psql.number(PARTITIONS)).as("one made, one dropped").isEqualTo(before - 1);
                assertThat(
                                psql.number(
                                        "select count(*) from postrider.event_log_partition where high <= now() - interval '90 days'"))
                        .isBetween(3L, 4L);
            }
        }
    }

    private static long nanosOfRead(EventLog eventLog) {
        long began = System.nanoTime();
        eventLog.read(Reach.project("p1"), EventFilter.topic("orders"), 0, 10);
        return System.nanoTime() - began;
    }

    @Test
    void a_node_runs_retention_and_deletes_expired_revocations(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            past(psql, 100);
            psql.execute("insert into postrider.revoked_token (jti, expires_at)"
                    + " values ('old', now() - interval '2 hours'), ('young', now() - interval '1 minute')");
            node.with(node.postrider.eventLog().listener("orders"));
            Await.until(
                    "old partitions are gone",
                    Duration.ofSeconds(30),
                    () -> psql.number("select count(*) from postrider.event_log_partition"
                                    + " where high <= now() - interval '90 days'")
                            == 0);
            Await.until(
                    "old tokens, too",
                    Duration.ofSeconds(30),
                    () -> psql.texts("select jti from postrider.revoked_token").equals(List.of("young")));
        }
    }

    @Test
    void a_retention_time_below_one_hour_is_refused_by_the_table(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            assertThatThrownBy(() -> psql.execute("update postrider.event_log_keep set keep = '1 minute'"))
                    .isInstanceOf(Psql.SqlFailure.class);
            assertThatThrownBy(() -> psql.execute("insert into postrider.event_log_keep values (false, '1 day')"))
                    .isInstanceOf(Psql.SqlFailure.class);
        }
    }

    /** Partitions from so many days ago until now, as if they had been made then. */
    static void past(Psql psql, int days) {
        for (String name : psql.texts("select inhrelid::regclass::text from pg_inherits where inhparent ="
                + " 'postrider.event_log'::regclass and inhrelid <> 'postrider.event_log_beyond'::regclass")) {
            psql.execute("drop table " + name);
        }
        psql.execute("delete from postrider.event_log_partition");
        for (int ago = days; ago >= 0; ago -= 7) {
            psql.number("select postrider.make_event_log(now() - interval '" + ago + " days')");
        }
        psql.number("select postrider.make_event_log()");
    }

    /** An event a day in two topics; in one of them, the last was created first and committed late. */
    private static void fill(Psql psql, int days) {
        psql.execute(
                "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers, created_at)"
                        + " select t, i, gen_random_uuid(), 't', '{}', '{}',"
                        + " now() - (" + days + " - case when t = 'mails' and i = " + days
                        + " then 1 else i end) * interval '1 day'"
                        + " from generate_series(1, " + days + ") i, unnest(array['orders', 'mails']) t");
    }
}
