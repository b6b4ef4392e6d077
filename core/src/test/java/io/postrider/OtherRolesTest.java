package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.admin.Jobs;
import io.postrider.admin.Watch;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A role that may connect to the database and has no right in the schema. PostgreSQL lets it listen and notify on any channel and
 * take any advisory lock: it learns nothing about events, and it cannot stop the nodes.
 */
@Migrated
@Tag("security")
class OtherRolesTest {
    private static final String CANARY = "canary-4711";

    @Test
    void a_role_that_listens_receives_three_words_and_nothing_about_events(TestDatabase database) {
        try (Psql admin = new Psql(database);
                Stranger stranger = new Stranger(admin, database);
                Node node = new Node(database)) {
            stranger.psql.execute("listen postrider");
            node.with(Listener.relay("relay", "orders", event -> {}));
            node.postrider.add(Worker.on("mail").handling("receipt", job -> Fate.done()));
            node.awaitAsleep();
            node.emit(Event.of("orders", CANARY, "{\"secret\": \"" + CANARY + "\"}")
                    .withKey(CANARY)
                    .withProject(CANARY)
                    .withUser(CANARY));
            node.awaitCursor("relay", 1);
            UUID job = JobDesk.enqueue(
                    node,
                    Job.of("mail", "receipt", "{\"secret\": \"" + CANARY + "\"}")
                            .withProject(CANARY));
            JobDesk.awaitState(node, job, Jobs.State.DONE);
            node.postrider.pause("relay");
            node.postrider.resume("relay");
            // Notifications arrive in the order of the commits: after this one, all of the above have been heard.
            admin.execute("select pg_notify('postrider', 'end-of-test')");
            Set<String> heard = new TreeSet<>();
            Await.until("all was heard", () -> {
                heard.addAll(stranger.heard());
                return heard.contains("end-of-test");
            });
            assertThat(heard).contains("log", "steer").isSubsetOf("event", "log", "steer", "end-of-test");
        }
    }

    @Test
    void invented_notifications_reach_no_metric_and_events_are_still_delivered(TestDatabase database) {
        Set<String> notified = ConcurrentHashMap.newKeySet();
        Watch watch = new Watch() {
            @Override
            public void notified(String what) {
                notified.add(what);
            }
        };
        try (Psql admin = new Psql(database);
                Stranger stranger = new Stranger(admin, database);
                Node node = new Node(database, options -> options.withWatch(watch))) {
            node.with(Listener.relay("relay", "orders", event -> {}));
            node.leaderPid();
            stranger.psql.execute("select pg_notify('postrider', 'invented-' || i) from generate_series(1, 5000) i");
            node.emit(Event.of("orders", "a", "{}"));
            node.awaitCursor("relay", 1);
            node.postrider.pause("relay");
            Await.until("the node heard of the pause", () -> notified.contains("steer"));
            assertThat(notified).isSubsetOf("event", "log", "steer");
        }
    }

    @Test
    void a_session_that_holds_a_lock_of_the_nodes_is_terminated(TestDatabase database) {
        try (Psql admin = new Psql(database);
                Stranger stranger = new Stranger(admin, database);
                Node node = new Node(database)) {
            node.with(Listener.relay("relay", "orders", event -> {}));
            node.emit(Event.of("orders", "a", "{}"));
            node.awaitCursor("relay", 1);
            long delivery = admin.number("select 'postrider.delivery'::regclass::oid::int4");
            long listener = admin.number("select id from postrider.listener where name = 'relay'");
            stranger.psql.execute("select pg_advisory_lock(" + delivery + ", " + listener + ")");
            node.emit(Event.of("orders", "b", "{}"));
            node.awaitCursor("relay", 2);
            Await.until(
                    "its session is gone",
                    () -> admin.number("select count(*) from pg_stat_activity where usename = '" + stranger.role + "'")
                            == 0);
        }
    }

    @Test
    void a_refused_nextval_on_the_table_that_passes_lock_delays_no_event(TestDatabase database) {
        try (Psql admin = new Psql(database);
                Stranger stranger = new Stranger(admin, database);
                Node node = new Node(database)) {
            node.with(Listener.relay("relay", "orders", event -> {}));
            node.emit(Event.of("orders", "a", "{}"));
            node.awaitCursor("relay", 1);
            long table = admin.number("select 'postrider.sequencing'::regclass::oid::int8");
            stranger.psql.begin().execute("savepoint s");
            assertThatThrownBy(() -> stranger.psql.number("select nextval(" + table + "::oid::regclass)"))
                    .hasMessageContaining("sequencing"); // because it is not a sequence
            stranger.psql.execute("rollback to s");
            assertThat(admin.number("select count(*) from pg_locks k join pg_stat_activity a on a.pid = k.pid"
                            + " where k.relation = " + table + " and a.usename = '" + stranger.role + "'"))
                    .as("the lock outlives the refusal")
                    .isEqualTo(1);
            node.emit(Event.of("orders", "b", "{}"));
            node.awaitCursor("relay", 2);
            stranger.psql.rollback(); // still there: it was in nobody's way
        }
    }

    @Test
    void a_session_that_blocks_all_others_on_a_table_is_terminated(TestDatabase database) {
        try (Psql admin = new Psql(database);
                Stranger stranger = new Stranger(admin, database);
                Psql second = stranger.another();
                Node node = new Node(database)) {
            admin.execute("grant usage on schema postrider to " + stranger.role);
            node.with(Listener.relay("relay", "orders", event -> {}));
            node.emit(Event.of("orders", "a", "{}"));
            node.awaitCursor("relay", 1);
            stranger.psql.begin().execute("prepare p as select from postrider.event");
            // Waits for a lock on the table before its rights are looked at, and everybody waits behind it.
            CompletableFuture<Void> rule = CompletableFuture.runAsync(
                    () -> second.execute("create rule r as on insert to postrider.event do instead nothing"));
            node.emit(Event.of("orders", "b", "{}"));
            node.awaitCursor("relay", 2);
            assertThatThrownBy(rule::join).hasStackTraceContaining("terminating connection");
            stranger.psql.rollback();
            admin.execute("revoke usage on schema postrider from " + stranger.role);
        }
    }

    @Test
    void a_session_that_holds_the_lock_of_the_first_migration_is_terminated(TestDatabase database) {
        try (Psql admin = new Psql(database);
                Stranger stranger = new Stranger(admin, database);
                Node node = new Node(database)) {
            stranger.psql.execute("select pg_advisory_lock(hashtext('postrider migrate'), hashtext('postrider'))");
            node.postrider.start();
            Await.until(
                    "its session is gone",
                    () -> admin.number("select count(*) from pg_stat_activity where usename = '" + stranger.role + "'")
                            == 0);
        }
    }

    @Test
    void a_role_that_may_set_role_to_the_nodes_is_not_an_intruder(TestDatabase database) {
        try (Psql admin = new Psql(database);
                Stranger stranger = new Stranger(admin, database)) {
            String owner = "owner_" + database.name();
            admin.execute("create role " + owner)
                    .execute("grant usage on schema postrider to " + owner)
                    .execute("grant insert on postrider.pass to " + owner)
                    .execute("alter role " + stranger.role + " noinherit")
                    .execute("grant " + owner + " to " + stranger.role);
            long delivery = admin.number("select 'postrider.delivery'::regclass::oid::int4");
            stranger.psql.execute("select pg_advisory_lock(" + delivery + ", 1)");
            assertThat(admin.texts("select role from postrider.intruders()")).isEmpty();
            admin.execute("revoke " + owner + " from " + stranger.role);
            assertThat(admin.texts("select role from postrider.intruders()")).containsExactly(stranger.role);
            admin.execute("drop owned by " + owner).execute("drop role " + owner);
        }
    }

    @Test
    void a_role_that_reconnects_at_once_is_terminated_at_once(TestDatabase database) {
        try (Psql admin = new Psql(database);
                Stranger stranger = new Stranger(admin, database);
                Node node = new Node(database, options -> options.withPoll(Duration.ofSeconds(3)))) {
            String lock = "select pg_advisory_lock(" + admin.number("select 'postrider.delivery'::regclass::oid::int4")
                    + ", 4711)";
            node.postrider.start();
            stranger.psql.execute(lock);
            assertThatThrownBy(() -> stranger.psql.execute("select pg_sleep(30)"))
                    .hasMessageContaining("57P01");
            long start = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                try (Psql again = stranger.another()) {
                    again.execute(lock);
                    assertThatThrownBy(() -> again.execute("select pg_sleep(30)"))
                            .hasMessageContaining("57P01");
                }
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("ten polls take 30 s")
                    .isLessThan(Duration.ofSeconds(15));
        }
    }

    @Test
    void sessions_that_take_a_quarter_of_the_lock_table_are_intruders(TestDatabase database) {
        try (Psql admin = new Psql(database);
                Stranger stranger = new Stranger(admin, database);
                Psql second = stranger.another()) {
            long quarter = admin.number(
                    "select current_setting('max_locks_per_transaction')::int8"
                            + " * (current_setting('max_connections')::int8 + current_setting('max_prepared_transactions')::int8) / 4");
            stranger.psql.execute("select pg_advisory_lock_shared(i) from generate_series(1, " + quarter + " - 200) i");
            assertThat(admin.texts("select role from postrider.intruders()")).isEmpty();
            second.execute("select pg_advisory_lock_shared(i) from generate_series(1, 201) i");
            assertThat(admin.texts("select role || ' ' || locked from postrider.intruders() order by pid"))
                    .hasSize(2)
                    .allMatch(line -> line.startsWith(stranger.role + " lock table of the server ("));
            second.execute("select pg_advisory_unlock_all()");
            assertThat(admin.texts("select role from postrider.intruders()")).isEmpty();
        }
    }

    @Test
    void a_producer_that_locks_many_unique_keys_is_not_an_intruder(TestDatabase database) {
        try (Psql admin = new Psql(database);
                Stranger stranger = new Stranger(admin, database)) {
            String keys =
                    "select pg_advisory_xact_lock(" + admin.number("select 'postrider.unique_job'::regclass::oid::int4")
                            + ", i) from generate_series(1, 5000) i";
            stranger.psql.begin().execute(keys);
            assertThat(admin.texts("select role from postrider.intruders()")).containsExactly(stranger.role);
            admin.execute("grant insert (topic) on postrider.event to " + stranger.role);
            assertThat(admin.texts("select role from postrider.intruders()")).isEmpty();
            stranger.psql.rollback();
            admin.execute("revoke insert (topic) on postrider.event from " + stranger.role);
        }
    }
}
