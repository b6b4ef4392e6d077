package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@PostgresTest
@Tag("security")
class MigrateCommandTest {
    @Test
    void migrate_creates_the_schema_and_a_second_run_changes_nothing(TestDatabase database) {
        Shell shell = new Shell(database);
        Ran first = shell.ok("migrate");
        assertThat(first.err()).contains("applied V001");
        assertThat(first.out()).isEmpty();
        assertThat(shell.ok("migrate").err()).contains("up to date");
        assertThat(Shell.ask(database, "select count(*) from postrider.event")).isEqualTo("0");
    }

    @Test
    void json_output_says_what_was_done(TestDatabase database) {
        Shell shell = new Shell(database);
        String line = shell.ok("migrate", "--json").line();
        String latest = Shell.ask(database, "select max(version) from postrider.migration");
        String all = Shell.ask(
                database,
                "select string_agg(version::text, ',' order by version) from postrider.migration where version > 0");
        assertThat(all).startsWith("1,2,3").endsWith("," + latest);
        assertThat(line)
                .isEqualTo("{\"schema\":\"postrider\",\"version\":" + latest + ",\"applied\":[" + all
                        + "],\"functions_replaced\":true,\"dry_run\":false}");
        assertThat(shell.ok("migrate", "--json").line()).contains("\"applied\":[],\"functions_replaced\":false");
    }

    @Test
    void a_dry_run_does_nothing(TestDatabase database) {
        Ran ran = new Shell(database).ok("migrate", "--dry-run");
        assertThat(ran.err()).contains("would apply V001");
        assertThat(Shell.ask(database, "select to_regnamespace('postrider')")).isEqualTo("null");
    }

    @Test
    void plan_prints_statements_with_their_locks_and_changes_nothing(TestDatabase database) {
        Shell shell = new Shell(database);
        String plan = shell.ok("migrate", "plan").out();
        assertThat(plan)
                .contains("-- V001__log\n", "create table postrider.migration (", "-- locks: no table\n")
                .contains("-- locks: ACCESS EXCLUSIVE on postrider.event")
                .contains("-- functions/emit\ncreate or replace function postrider.emit(;");
        assertThat(Shell.ask(database, "select to_regnamespace('postrider')")).isEqualTo("null");
        assertThat(shell.ok("migrate", "plan", "--json").lines())
                .allMatch(line -> line.startsWith("{\"migration\":\""))
                .anyMatch(line -> line.endsWith("\"locks\":[\"ACCESS EXCLUSIVE on postrider.queue\"]}"));
        shell.ok("migrate");
        Ran nothing = shell.ok("migrate", "plan");
        assertThat(nothing.out()).isEmpty();
        assertThat(nothing.err()).contains("up to date: nothing to run");
    }

    @Test
    void uninstall_asks_removes_everything_and_says_what(TestDatabase database) {
        Shell shell = new Shell(database);
        assertThat(shell.run("uninstall", "--yes").code()).isEqualTo(3);
        shell.ok("migrate");
        assertThat(shell.run("uninstall").complaint()).contains("confirm with --yes");
        String role = "postrider_reader_" + database.name();
        assertThat(shell.ok("uninstall", "--dry-run", "--json").line())
                .isEqualTo("{\"schema\":\"postrider\",\"role\":\"" + role
                        + "\",\"dependents\":[],\"role_kept\":null,\"dry_run\":true}");
        assertThat(shell.ok("uninstall", "--yes").err())
                .contains("removed schema postrider with all events and jobs, role " + role);
        assertThat(Shell.ask(database, "select to_regnamespace('postrider')")).isEqualTo("null");
        assertThat(Shell.ask(database, "select count(*) from pg_roles where rolname = '" + role + "'"))
                .isEqualTo("0");
    }

    @Test
    void queues_and_topics_have_settings(TestDatabase database) {
        Shell shell = new Shell(database);
        shell.ok("migrate");
        assertThat(shell.ok("queues", "lease", "mail", "30s", "--json").line())
                .isEqualTo("{\"name\":\"mail\",\"lease\":\"PT30S\"}");
        assertThat(shell.ok("queues", "list", "--json").line()).contains("\"lease\":\"PT30S\"");
        assertThat(shell.ok("queues", "list").out()).contains("lease 30.0 s");
        shell.ok("queues", "lease", "mail", "default");
        assertThat(shell.ok("queues", "list", "--json").line()).contains("\"lease\":null");
        assertThat(shell.run("queues", "lease", "mail", "1s").complaint()).contains("lease must be PT3S..PT1H");

        shell.ok("topics", "require", "chat", "--project-id", "--user-id");
        assertThat(shell.ok("topics", "requirements", "--json").line())
                .isEqualTo("{\"topic\":\"chat\",\"project_id\":true,\"user_id\":true}");
        Ran refused = shell.run("emit", "chat", "message", "{}");
        assertThat(refused.code()).isEqualTo(2);
        assertThat(refused.complaint()).contains("topic chat requires project_id and user_id");
        shell.ok("topics", "require", "chat");
        shell.ok("emit", "chat", "message", "{}");
    }

    @Test
    void another_schema_can_be_chosen(TestDatabase database) {
        new Shell(database).ok("migrate", "--schema", "outbox");
        assertThat(Shell.ask(database, "select count(*) from outbox.event")).isEqualTo("0");
        assertThat(Shell.ask(database, "select to_regnamespace('postrider')")).isEqualTo("null");
        Shell byVariable = new Shell(database).with("POSTRIDER_SCHEMA", "outbox");
        assertThat(byVariable.ok("migrate").err()).contains("outbox is up to date");
    }

    @Test
    void a_payload_cap_stays_until_another_is_given(TestDatabase database) {
        Shell shell = new Shell(database);
        shell.ok("migrate", "--payload-cap", "1000");
        shell.ok("migrate");
        assertThat(shell.run("emit", "orders", "big", "\"" + "x".repeat(1_000) + "\"")
                        .code())
                .isEqualTo(2);
        shell.ok("migrate", "--payload-cap", "2000");
        shell.ok("emit", "orders", "big", "\"" + "x".repeat(1_000) + "\"");
    }

    @Test
    void a_bad_schema_name_is_refused_by_name(TestDatabase database) {
        Ran ran = new Shell(database).run("migrate", "--schema", "My Schema; drop table x");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).contains("schema must match").contains("My Schema; drop table x");
        assertThat(new Shell(database).run("migrate", "--schema", "select").code())
                .isEqualTo(2);
    }

    @Test
    void a_bad_cap_is_refused_by_name(TestDatabase database) {
        Ran ran = new Shell(database).run("migrate", "--payload-cap", "0");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).contains("payload cap must be 1..").contains("was 0");
        assertThat(Shell.ask(database, "select to_regnamespace('postrider')")).isEqualTo("null");
    }

    @Test
    void a_newer_schema_is_a_conflict(TestDatabase database) {
        Shell shell = new Shell(database);
        shell.ok("migrate");
        Shell.execute(database, "insert into postrider.migration (version, name, digest) values (99, 'later', '')");
        Ran ran = shell.run("migrate");
        assertThat(ran.code()).isEqualTo(4);
        assertThat(ran.complaint()).contains("version 99").contains("upgrade Postrider");
        assertThat(shell.run("migrate", "--dry-run").code()).isEqualTo(4);
    }

    @Test
    void a_server_that_is_too_old_is_a_conflict(TestDatabase database) {
        Shadow.version(database, "130023", "13.23");
        Ran ran = new Shell(database).run("migrate");
        assertThat(ran.code()).isEqualTo(4);
        assertThat(ran.complaint()).contains("PostgreSQL 13.23 is too old").contains("14 or newer");
    }

    @Test
    void a_standby_is_a_conflict(TestDatabase database) {
        Shadow.standby(database);
        Ran ran = new Shell(database).run("migrate");
        assertThat(ran.code()).isEqualTo(4);
        assertThat(ran.complaint()).contains("standby").contains("primary");
    }

    @Test
    void the_error_for_missing_rights_names_them(TestDatabase database) {
        try (Role role = new Role(database)) {
            Ran ran = new Shell().run("migrate", "--database-url", role.url());
            assertThat(ran.code()).isEqualTo(1);
            assertThat(ran.complaint()).contains("permission denied").contains("grant the right");
            assertThat(ran.err()).doesNotContain("secret-of-a-role");
        }
    }
}
