package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.cli.terminal.ExitCode;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Migrated
@Tag("security")
class DoctorCommandTest {
    private TestDatabase database;
    private Shell shell;

    @BeforeEach
    void open(TestDatabase given) {
        database = given;
        shell = new Shell(database);
    }

    /** The lines of one check. */
    private List<String> check(String name) {
        return check(shell.run("doctor"), name);
    }

    private static List<String> check(Ran ran, String name) {
        List<String> lines = ran.lines().stream()
                .filter(line -> line.length() > 6 && line.substring(6).startsWith(name + " "))
                .toList();
        assertThat(lines).as(name + " in " + ran.out()).isNotEmpty();
        return lines;
    }

    @Test
    void every_check_of_a_healthy_database_is_ok() {
        Ran ran = shell.ok("doctor");
        assertThat(ran.lines())
                .hasSizeGreaterThanOrEqualTo(28)
                .allMatch(line -> line.startsWith("ok ") || isOpenPublic(line));
        assertThat(ran.err()).contains("0 fail");
        assertThat(check(ran, "wake-up").get(0)).contains("a notification arrived after");
        assertThat(check(ran, "version").get(0)).contains("PostgreSQL");
        assertThat(check(ran, "two-phase commit").get(0)).contains("postrider.notify = off");
    }

    /** On PostgreSQL 14 every role may create in public. */
    private static boolean isOpenPublic(String line) {
        return line.contains("search path") && line.contains("PUBLIC may create in schema public");
    }

    @Test
    void json_output_has_the_same_findings() {
        assertThat(shell.ok("doctor", "--json").lines())
                .filteredOn(line -> !isOpenPublic(line))
                .hasSizeGreaterThanOrEqualTo(27)
                .allMatch(line ->
                        line.matches("\\{\"check\":\"[a-z -]+\",\"level\":\"ok\",\"text\":\".+\",\"advice\":\"\"}"));
    }

    @Test
    void with_strict_a_warning_fails_the_command() {
        Shell.execute(database, "alter table postrider.setback set (autovacuum_enabled = false)");
        assertThat(shell.run("doctor").code()).isEqualTo(ExitCode.OK);
        assertThat(shell.run("doctor", "--strict").code()).isEqualTo(ExitCode.FAILURE);
    }

    @Test
    void a_missing_schema_is_a_failure() {
        Ran ran = shell.run("doctor", "--schema", "elsewhere");
        assertThat(ran.code()).isEqualTo(1);
        assertThat(check(ran, "schema").get(0))
                .startsWith("fail")
                .contains("does not exist")
                .contains("postrider migrate");
    }

    @Test
    void a_standby_an_old_server_and_a_newer_schema_are_failures() {
        Shadow.version(database, "130000", "13.0");
        assertThat(check("version").get(0)).startsWith("fail").contains("13.0");
        Shadow.standby(database);
        assertThat(check("primary").get(0)).startsWith("fail").contains("standby");
        Shell.execute(database, "insert into postrider.migration (version, name, digest) values (99, 'later', '')");
        assertThat(check("schema").get(0)).startsWith("fail").contains("99");
        assertThat(shell.run("doctor").code()).isEqualTo(1);
    }

    @Test
    void a_cache_of_the_sequence_is_a_failure() {
        Shell.execute(database, "alter sequence postrider.event_ids cache 50");
        Ran ran = shell.run("doctor");
        assertThat(ran.code()).isEqualTo(1);
        assertThat(check(ran, "sequence cache").get(0))
                .startsWith("fail")
                .contains("alter sequence postrider.event_ids cache 1");
    }

    @Test
    void an_unlogged_table_is_a_failure_and_one_without_autovacuum_a_warning() {
        Shell.execute(database, "alter table postrider.setback set unlogged");
        Shell.execute(database, "alter table postrider.setback set (autovacuum_enabled = false)");
        assertThat(check("persistence").get(0)).startsWith("fail").contains("setback");
        assertThat(check("autovacuum").get(0)).startsWith("warn").contains("setback");
    }

    @Test
    void an_event_log_that_is_behind_without_partitions_or_a_reader_is_a_warning() {
        assertThat(check("event log"))
                .singleElement()
                .asString()
                .startsWith("ok")
                .contains(database.reader());
        Shell.execute(
                database,
                "delete from postrider.event_log_partition; insert into postrider.listener (name, topic, kind, policy, batch,"
                        + " attempts) values ('event_log:orders', 'orders', 'transactional', 'block', 10, 5);"
                        + " insert into postrider.delivery (listener, from_position, to_position, events, worker)"
                        + " values ('event_log:orders', 0, 0, 0, 'test'); insert into postrider.head values ('orders', 20000, 1)");
        assertThat(check("event log"))
                .anyMatch(line -> line.startsWith("warn") && line.contains("no partition for tomorrow"))
                .anyMatch(line -> line.startsWith("warn") && line.contains("event_log:orders is 20000 events behind"));
        Shell.execute(database, "alter role " + database.reader() + " rename to elsewhere_" + database.name());
        try {
            assertThat(check("event log"))
                    .anyMatch(line -> line.startsWith("warn") && line.contains("its reads are refused"));
        } finally {
            Shell.execute(database, "alter role elsewhere_" + database.name() + " rename to " + database.reader());
        }
    }

    @Test
    void topics_beyond_the_limit_of_the_event_log_are_a_warning() {
        String record = "insert into postrider.listener (name, topic, kind, policy, batch, attempts)"
                + " select 'event_log:' || t, t::text, 'transactional', 'block', 10, 5 from %s t";
        Shell.execute(
                database,
                "insert into postrider.head select t, 1, 1 from unnest('{orders,later,queue:q}'::text[]) t; "
                        + record.formatted("unnest('{orders}'::text[])"));
        assertThat(check("event log"))
                .singleElement()
                .asString()
                .startsWith("ok")
                .contains("1 topics are recorded, 1 are not");
        Shell.execute(database, record.formatted("generate_series(1, 199)"));
        assertThat(check("event log"))
                .anyMatch(line -> line.startsWith("warn")
                        && line.contains("200 topics are recorded and 1 are not, such as later")
                        && line.contains("postrider.event-log.topic-limit"));
        Shell.execute(database, "insert into postrider.head select 'x' || i, 1, 1 from generate_series(1, 1500) i");
        assertThat(check("event log"))
                .anyMatch(line -> line.contains("200 topics are recorded and at least 1000 are not, such as later"));
    }

    @Test
    void the_rights_of_a_producer_role_are_reported() {
        try (Role role = new Role(database).mayEmit()) {
            Ran ran = new Shell().run("doctor", "--database-url", role.url());
            assertThat(check(ran, "rights to emit").get(0)).startsWith("ok");
            assertThat(check(ran, "rights to enqueue").get(0))
                    .startsWith("warn")
                    .contains("insert on postrider.event (due_at)")
                    .contains("execute on function postrider.enqueue");
            assertThat(check(ran, "rights of a node").get(0))
                    .startsWith("warn")
                    .contains("insert on postrider.log")
                    .contains("insert on postrider.claim");
            assertThat(check(ran, "rights to migrate").get(0))
                    .startsWith("warn")
                    .contains(role.name());
        }
    }

    @Test
    void a_producer_that_may_create_objects_is_named() {
        assertThat(check("objects of producers").get(0)).startsWith("ok");
        try (Role role = new Role(database).mayEmit()) {
            assertThat(check("objects of producers"))
                    .singleElement()
                    .asString()
                    .startsWith("warn")
                    .contains("producer " + role.name() + " may create temporary objects")
                    .contains("revoke temporary on database");
            Shell.execute(database, "revoke temporary on database " + database.name() + " from public");
            Shell.execute(database, "revoke create on schema public from public");
            assertThat(check("objects of producers").get(0)).startsWith("ok");
            Shell.execute(database, "create schema app");
            Shell.execute(database, "grant create on schema app to " + role.name());
            assertThat(check("objects of producers"))
                    .singleElement()
                    .asString()
                    .startsWith("warn")
                    .contains("producer " + role.name() + " may create objects in schema app")
                    .contains("revoke create on schema \"app\" from PUBLIC, \"" + role.name());
        }
    }

    @Test
    void a_role_with_the_documented_rights_can_enqueue() {
        try (Role role = new Role(database)
                .mayEmit()
                .granted("insert (due_at) on postrider.event")
                .granted("execute on function postrider.enqueue")) {
            Ran ran = new Shell().run("doctor", "--database-url", role.url());
            assertThat(check(ran, "rights to enqueue").get(0)).startsWith("ok");
            Ran enqueued = new Shell()
                    .run("jobs", "enqueue", "mail", "send", "{}", "--unique", "k", "--database-url", role.url());
            assertThat(enqueued.code()).as(enqueued.toString()).isZero();
        }
    }

    @Test
    void missing_rights_to_emit_are_a_failure_that_names_them() {
        try (Role role = new Role(database).granted("usage on schema postrider")) {
            Ran ran = new Shell().run("doctor", "--database-url", role.url());
            assertThat(ran.code()).isEqualTo(1);
            assertThat(check(ran, "rights to emit").get(0))
                    .startsWith("fail")
                    .contains("insert on postrider.event (")
                    .contains("usage on postrider.event_ids");
        }
        try (Role role = new Role(database)) {
            Ran ran = new Shell().run("doctor", "--database-url", role.url());
            assertThat(ran.code()).isEqualTo(1);
            assertThat(check(ran, "rights to emit").get(0)).contains("usage on schema postrider");
        }
    }

    @Test
    void synchronous_commit_off_is_a_warning() {
        Shell.execute(database, "alter database " + database.name() + " set synchronous_commit = off");
        assertThat(check("role settings").get(0)).startsWith("warn").contains("synchronous_commit = off");
    }

    @Test
    void rows_beyond_the_last_segment_are_a_warning() {
        Shell.execute(database, "select setval('postrider.event_ids', 900000000)");
        shell.ok("emit", "orders", "order.placed");
        assertThat(check("segments"))
                .anyMatch(line -> line.startsWith("warn") && line.contains("1 rows in event_beyond"));
    }

    @Test
    void the_session_that_owns_the_oldest_unsequenced_event_is_named() throws SQLException {
        try (Connection emitter = database.dataSource().getConnection();
                Statement statement = emitter.createStatement()) {
            emitter.setAutoCommit(false);
            statement.execute("set application_name = 'careless app'");
            statement.execute("select postrider.emit('orders', 'order.placed', '{}')");
            String pid = pid(statement);
            Ran ran = shell.ok("doctor");
            assertThat(check(ran, "open emitters").get(0))
                    .contains("pid " + pid)
                    .contains("user " + database.server().user())
                    .contains("careless app")
                    .contains("idle in transaction")
                    .contains("select pg_backend_pid()");
            assertThat(check(ran, "vacuum").get(0)).contains("pid " + pid);
            emitter.rollback();
        }
        assertThat(check("open emitters").get(0)).contains("no open transaction");
    }

    @Test
    void a_prepared_transaction_that_emitted_is_named() throws SQLException {
        try (Connection emitter = database.dataSource().getConnection();
                Statement statement = emitter.createStatement()) {
            emitter.setAutoCommit(false);
            statement.execute("set local postrider.notify = off");
            statement.execute("select postrider.emit('orders', 'order.placed', '{}')");
            statement.execute("prepare transaction 'forgotten-" + database.name() + "'");
            emitter.commit();
        }
        Ran ran = shell.ok("doctor");
        assertThat(check(ran, "open emitters").get(0)).contains("prepared").contains("forgotten-" + database.name());
        assertThat(check(ran, "vacuum").get(0)).contains("forgotten-" + database.name());
    }

    @Test
    void a_replication_slot_that_holds_back_vacuum_is_named() throws SQLException {
        String slot = "slot_" + database.name();
        Shell.execute(database, "select pg_create_logical_replication_slot('" + slot + "', 'test_decoding')");
        try {
            assertThat(shell.ok("doctor", "--json").out()).contains(slot);
        } finally {
            Shell.execute(database, "select pg_drop_replication_slot('" + slot + "')");
        }
    }

    @Test
    void events_that_no_node_sequences_are_a_failure_after_a_while() {
        shell.ok("emit", "orders", "order.placed");
        assertThat(check("sequencer").get(0))
                .startsWith("ok")
                .contains("1 committed events wait")
                .contains("no node runs");
        Shell.execute(
                database,
                "insert into postrider.event (topic, type, payload, created_at)"
                        + " values ('orders', 'old', '{}', clock_timestamp() - interval '1 hour')");
        Ran ran = shell.run("doctor");
        assertThat(ran.code()).isEqualTo(1);
        assertThat(check(ran, "sequencer").get(0)).startsWith("fail").contains("the oldest for 60 min");
        shell.ok("tail", "orders");
        assertThat(check("sequencer").get(0)).startsWith("ok").contains("no committed event waits");
    }

    @Test
    void listeners_without_progress_are_named() {
        listener("halted", "paused", "true");
        listener("lonely", "paused", "false");
        listener("gone", "detached_at", "clock_timestamp()");
        shell.ok("emit", "orders", "order.placed");
        shell.ok("tail", "orders");
        Ran ran = shell.run("doctor");
        assertThat(ran.code()).isEqualTo(1);
        assertThat(check(ran, "listeners"))
                .anyMatch(line -> line.startsWith("fail") && line.contains("gone is detached"))
                .anyMatch(line ->
                        line.startsWith("warn") && line.contains("halted is paused") && line.contains("resume halted"))
                .anyMatch(line -> line.startsWith("warn") && line.contains("no node runs lonely, 1 behind"));
    }

    @Test
    void a_listener_that_holds_back_retention_is_named() {
        listener("slow", "paused", "true");
        shell.ok("emit", "orders", "order.placed");
        shell.ok("tail", "orders");
        Shell.execute(
                database,
                "update postrider.segment set closed_at = clock_timestamp() - interval '9 days' where family = 'log' and low = 0");
        Shell.execute(database, "insert into postrider.segment_topic values (0, 'orders', 1, 1)");
        assertThat(check("retention").get(0)).startsWith("warn").contains("listener slow (paused) has 1 events to go");
        assertThat(check(shell.run("doctor", "--keep-days", "30"), "retention").get(0))
                .startsWith("ok");
        assertThat(shell.run("doctor", "--keep-days", "-1").code()).isEqualTo(2);
    }

    private void listener(String name, String column, String value) {
        Shell.execute(
                database,
                "insert into postrider.listener (name, topic, kind, policy, batch, attempts, " + column + ") values ('"
                        + name + "', 'orders', 'relay', 'block', 1, 1, " + value + ")");
        Shell.execute(
                database,
                "insert into postrider.delivery (listener, from_position, to_position, events, worker) values ('" + name
                        + "', 0, 0, 0, 'test')");
    }

    private static String pid(Statement statement) throws SQLException {
        try (var result = statement.executeQuery("select pg_backend_pid()")) {
            result.next();
            return result.getString(1);
        }
    }
}
