package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Fate;
import io.postrider.Job;
import io.postrider.Postrider;
import io.postrider.Schedule;
import io.postrider.Worker;
import io.postrider.admin.Jobs.State;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The doctor checks progress: events get positions, jobs are done, schedules tick. */
@Migrated
@Tag("security")
class DoctorProgressTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private TestDatabase database;
    private Shell shell;

    @BeforeEach
    void open(TestDatabase given) {
        database = given;
        shell = new Shell(database);
    }

    private List<String> check(String name) {
        Ran ran = shell.run("doctor");
        List<String> lines = ran.lines().stream()
                .filter(line -> line.length() > 6 && line.substring(6).startsWith(name + " "))
                .toList();
        assertThat(lines).as(name + " in " + ran.out()).isNotEmpty();
        return lines;
    }

    private void isOk(String check) {
        assertThat(check(check)).singleElement().asString().startsWith("ok");
    }

    private void execute(String sql) {
        Shell.execute(database, sql);
    }

    /** A job that was enqueued an hour ago. */
    private void oldJob(String queue, String type) {
        execute("insert into postrider.event (topic, type, payload, created_at) values ('queue:" + queue + "', '" + type
                + "', '{}', clock_timestamp() - interval '1 hour')");
    }

    private UUID enqueue(Postrider postrider, Job job) {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            UUID id = postrider.enqueue(connection, job);
            connection.commit();
            return id;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(Postrider postrider, UUID job, State state) {
        Await.until(
                job + " is " + state,
                LONG,
                () -> postrider.jobs().find(job).orElseThrow().state() == state);
    }

    @Test
    void the_session_that_stops_sequencing_is_named() throws SQLException {
        shell.ok("emit", "orders", "order.placed");
        shell.ok("tail", "orders");
        isOk("sequencer");
        try (Connection holder = database.dataSource().getConnection();
                Statement statement = holder.createStatement()) {
            statement.execute("set application_name = 'careless app'");
            statement.execute("begin; lock table postrider.sequencing in exclusive mode");
            execute("update postrider.pass set at = at - interval '1 hour'");
            execute("insert into postrider.event (topic, type, payload, created_at)"
                    + " values ('orders', 'old', '{}', clock_timestamp() - interval '1 hour')");
            assertThat(check("sequencer").get(0))
                    .startsWith("fail")
                    .contains("1 committed events wait for a position, the oldest for 60 min")
                    .contains("the sequencing lock is held by pid")
                    .contains("user " + database.server().user())
                    .contains("careless app")
                    .contains("lock table postrider.sequencing")
                    .contains("pg_terminate_backend");
        }
        shell.ok("tail", "orders");
        isOk("sequencer");
    }

    @Test
    void a_prepared_transaction_that_stops_a_queue_is_named() throws SQLException {
        String role = "stranger_" + database.name();
        execute("create role " + role + " login password 'secret-of-a-role'");
        isOk("locks");
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(database.jdbcUrl());
        source.setUser(role);
        source.setPassword("secret-of-a-role");
        try (Connection stranger = source.getConnection();
                Statement statement = stranger.createStatement()) {
            statement.execute("begin; select pg_advisory_xact_lock((select c.oid::int4 from pg_class c"
                    + " join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'postrider' and c.relname = 'claim'),"
                    + " hashtext('queue:mail')); prepare transaction 'left behind'");
        }
        try {
            assertThat(check("locks").get(0))
                    .startsWith("fail")
                    .contains("advisory lock of claim")
                    .contains("user " + role)
                    .contains("rollback prepared 'left behind'");
        } finally {
            execute("rollback prepared 'left behind'");
            execute("drop role " + role);
        }
        isOk("locks");
    }

    @Test
    void a_session_that_keeps_producers_waiting_is_named() throws Exception {
        try (Connection holder = database.dataSource().getConnection();
                Statement statement = holder.createStatement()) {
            statement.execute("set application_name = 'careless app'");
            statement.execute("begin; lock table postrider.event in exclusive mode");
            Thread producer = new Thread(() -> execute(
                    "insert into postrider.event (topic, type, payload) values ('orders', 'order.placed', '{}')"));
            producer.start();
            Await.until(
                    "it is named",
                    LONG,
                    () -> check("locks")
                            .get(0)
                            .matches("(?s)warn.*keeps 1 sessions waiting for event.*careless app.*"));
            statement.execute("rollback");
            producer.join();
        }
        isOk("locks");
    }

    @Test
    void a_sequence_that_was_set_back_is_a_failure() {
        shell.ok("emit", "orders", "a");
        shell.ok("emit", "orders", "b");
        shell.ok("tail", "orders");
        isOk("counters");
        execute("select setval('postrider.event_ids', 1)");
        assertThat(check("counters").get(0))
                .startsWith("fail")
                .contains("sequence event_ids is at 1, but 2 was used")
                .contains("setval('postrider.event_ids', 2)");
        execute("select setval('postrider.event_ids', 2)");
        isOk("counters");
    }

    @Test
    void an_id_that_no_sequence_drew_is_named_and_the_sequence_is_not_advanced() {
        shell.ok("emit", "orders", "a");
        shell.ok("tail", "orders");
        isOk("counters");
        execute(
                "insert into postrider.event (id, topic, type, payload) values (9223372036854775806, 'orders', 'b', '{}')");
        execute("update postrider.era set system_identifier = system_identifier + 1");
        assertThat(check("counters"))
                .singleElement()
                .asString()
                .startsWith("warn")
                .contains("1 events have ids that no sequence drew (9223372036854775806 to 9223372036854775806)")
                .doesNotContain("setval");
        shell.ok("tail", "orders"); // a new era gives it a position: a pass has then seen the id
        assertThat(check("counters")).noneMatch(line -> line.startsWith("fail") || line.contains("setval"));
    }

    @Test
    void a_sequence_of_claims_or_deliveries_that_was_set_back_is_a_failure() {
        execute("insert into postrider.listener (name, topic, kind, policy, batch, attempts)"
                + " values ('mailer', 'orders', 'relay', 'block', 1, 1)");
        execute("insert into postrider.worker (node) values ('n')");
        for (int i = 1; i <= 2; i++) {
            execute("insert into postrider.delivery (listener, from_position, to_position, events, worker)"
                    + " values ('mailer', " + i + ", " + i + ", 1, 'test')");
            execute("insert into postrider.claim (topic, from_position, to_position, jobs, worker, open_n)"
                    + " select 'queue:mail', " + i + ", " + (i - 1) + ", 0, id, 0 from postrider.worker");
        }
        isOk("counters");
        execute("select setval('postrider.delivery_numbers', 1), setval('postrider.claim_numbers', 1)");
        assertThat(check("counters"))
                .anyMatch(line -> line.startsWith("fail") && line.contains("delivery_numbers is at 1, but 2"))
                .anyMatch(line -> line.startsWith("fail") && line.contains("claim_numbers is at 1, but 2"));
    }

    @Test
    void a_pass_table_that_was_emptied_is_a_failure() {
        shell.ok("emit", "orders", "a");
        shell.ok("tail", "orders");
        isOk("counters");
        execute("truncate postrider.pass");
        assertThat(check("counters").get(0)).startsWith("fail").contains("table pass is empty");
    }

    @Test
    void a_queue_without_a_worker_is_named() {
        try (Postrider node = Postrider.on(database.dataSource())
                .add(Worker.on("mail").handling("welcome", job -> Fate.done()))
                .start()) {
            await(node, enqueue(node, Job.of("mail", "welcome", "1")), State.DONE);
            isOk("queues");
            oldJob("mial", "welcome");
            assertThat(check("queues"))
                    .singleElement()
                    .asString()
                    .startsWith("warn")
                    .contains("1 jobs wait in queue mial, the oldest for 60 min, and no running node works on it")
                    .contains("nodes work on: mail");
        }
    }

    @Test
    void a_type_that_no_node_handles_is_named() {
        try (Postrider node = Postrider.on(database.dataSource())
                .add(Worker.on("mail").handling("welcome", job -> Fate.done()))
                .start()) {
            await(node, enqueue(node, Job.of("mail", "welcome", "1")), State.DONE);
            isOk("queues");
            UUID job = enqueue(node, Job.of("mail", "wellcome", "1"));
            Await.until(
                    "it is put aside",
                    LONG,
                    () -> "unknown".equals(node.jobs().find(job).orElseThrow().waitsFor()));
            assertThat(check("queues"))
                    .singleElement()
                    .asString()
                    .startsWith("warn")
                    .contains("1 jobs of type wellcome wait in queue mail")
                    .contains("no running node handles that type");
        }
    }

    @Test
    void a_queue_whose_claims_fail_is_a_failure() {
        try (Postrider node = Postrider.on(database.dataSource())
                .add(Worker.on("mail").handling("welcome", job -> Fate.done()))
                .start()) {
            await(node, enqueue(node, Job.of("mail", "welcome", "1")), State.DONE);
            isOk("claiming");
            execute("create function public.refuse() returns trigger language plpgsql as"
                    + " 'begin raise exception ''a bad row''; end'");
            execute(
                    "create trigger refuse before insert on postrider.claim for each row execute function public.refuse()");
            execute("update postrider.claim set at = at - interval '1 hour'");
            oldJob("mail", "welcome");
            node.jobs().sequence();
            assertThat(check("claiming"))
                    .singleElement()
                    .asString()
                    .startsWith("fail")
                    .contains("1 jobs of queue mail could run, a worker is free, and nothing was claimed for");
            execute("drop trigger refuse on postrider.claim");
        }
    }

    @Test
    void a_claim_without_a_live_worker_is_a_failure() {
        try (Postrider node = Postrider.on(database.dataSource())
                .add(Worker.on("mail").handling("welcome", job -> Fate.done()))
                .start()) {
            await(node, enqueue(node, Job.of("mail", "welcome", "1")), State.DONE);
            isOk("claims");
        }
        isOk("claims");
        execute("delete from postrider.settlement");
        assertThat(check("claims"))
                .singleElement()
                .asString()
                .startsWith("fail")
                .contains("1 jobs of queue:mail have been claimed by worker 1")
                .contains("no live worker holds them");
    }

    @Test
    void dead_jobs_are_counted_by_queue_and_error() {
        isOk("dead jobs");
        try (Postrider node = Postrider.on(database.dataSource())
                .add(Worker.on("mail").handling("welcome", job -> Fate.dead("no such address")))
                .start()) {
            await(node, enqueue(node, Job.of("mail", "welcome", "1")), State.FAILED);
            await(node, enqueue(node, Job.of("mail", "welcome", "2")), State.FAILED);
        }
        assertThat(check("dead jobs"))
                .singleElement()
                .asString()
                .startsWith("warn")
                .contains("2 jobs of queue mail died in the last 24 h")
                .contains("no such address");
        execute("update postrider.dead_letter set died_at = died_at - interval '2 days'");
        isOk("dead jobs");
    }

    @Test
    void a_schedule_that_skips_its_time_is_a_failure() {
        Postrider.on(database.dataSource())
                .schedules()
                .set(new Schedule("nightly", "mail", "report", "{}", "0 3 * * *", "Europe/Berlin"));
        isOk("schedules");
        execute("update postrider.schedule set next_at = clock_timestamp() + interval '40 days'");
        assertThat(check("schedules").get(0))
                .startsWith("fail")
                .contains("schedule nightly")
                .contains("but should tick at");
        execute("update postrider.schedule set next_at = clock_timestamp() - interval '5 minutes'");
        assertThat(check("schedules").get(0))
                .startsWith("warn")
                .contains("schedule nightly should have ticked at")
                .contains("no node with a worker runs");
    }

    @Test
    void an_emitter_that_is_open_for_minutes_is_seen_by_a_role_that_may_not_see_its_session() throws SQLException {
        try (Role role = new Role(database)
                        .granted("usage on schema postrider")
                        .granted("select on all tables in schema postrider");
                Connection emitter = database.dataSource().getConnection();
                Statement statement = emitter.createStatement()) {
            shell.with("POSTRIDER_DATABASE_URL", role.url());
            isOk("open emitters");
            emitter.setAutoCommit(false);
            statement.execute("select postrider.emit('orders', 'order.placed', '{}')");
            assertThat(check("open emitters").get(0)).startsWith("ok").contains("emitted and not ended");
            // passes that were made while it was open
            for (int i = 0; i < 2; i++) {
                new Shell(database).ok("emit", "orders", "order.placed");
                new Shell(database).ok("tail", "orders");
            }
            execute("update postrider.pass set at = at - interval '10 minutes'");
            assertThat(check("open emitters").get(0))
                    .startsWith("warn")
                    .contains("owns the oldest events without a position: pid")
                    .contains("10 min");
            emitter.rollback();
        }
    }

    @Test
    void a_function_without_a_pinned_search_path_is_named() {
        execute("""
                do $$ declare f regprocedure; begin
                  for f in select p.oid from pg_proc p where p.pronamespace = 'postrider'::regnamespace loop
                    execute format('alter function %s set search_path = pg_catalog, pg_temp', f);
                    execute format('alter function %s set jit = off', f);
                  end loop;
                end $$""");
        execute("revoke create on schema public from public");
        isOk("search path");
        execute("alter function postrider.tail_position(text) reset search_path");
        execute("alter function postrider.lanes(text) reset jit");
        assertThat(check("search path"))
                .anyMatch(line -> line.startsWith("warn")
                        && line.contains("search_path is not pinned in 1 functions: tail_position"))
                .anyMatch(line -> line.startsWith("warn") && line.contains("jit is not off in 1 functions: lanes"));
        execute("alter function postrider.tail_position(text) set search_path = pg_catalog, pg_temp");
        execute("alter function postrider.lanes(text) set jit = off");
        try (Role role = new Role(database).granted("create on schema public")) {
            assertThat(check("search path"))
                    .singleElement()
                    .asString()
                    .startsWith("warn")
                    .contains(role.name() + " may create in schema public");
        }
        isOk("search path");
    }
}
