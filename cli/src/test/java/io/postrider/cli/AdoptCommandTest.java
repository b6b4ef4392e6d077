package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.cli.terminal.ExitCode;
import io.postrider.testkit.TestDatabase;
import org.junit.jupiter.api.Test;

/** The steps of an adoption as commands: output, exit codes and dry runs. */
@Migrated
class AdoptCommandTest {
    private static final String OUTBOX = "create table outbox (id bigserial primary key, event_type text not null,"
            + " payload text not null, created_at timestamptz not null default now(), processed_at timestamptz);"
            + " insert into outbox (event_type, payload) values ('a', '{}'), ('b', '{}')";

    @Test
    void the_plan_shows_shape_columns_statements_and_locks(TestDatabase database) {
        Shell.execute(database, OUTBOX);
        String plan = new Shell(database).ok("adopt", "plan", "outbox").out();
        assertThat(plan)
                .contains("public.outbox has the shape flag", "event_type", "rows to take over: 2, unfinished 2")
                .contains("create or replace trigger postrider_adopt after insert on public.outbox")
                .contains("lock: SHARE ROW EXCLUSIVE", "lock: ACCESS SHARE");
        assertThat(new Shell(database)
                        .ok("adopt", "plan", "outbox", "--topic", "t", "--json")
                        .line())
                .contains(
                        "\"shape\":\"flag\"", "\"target\":\"topic t\"", "\"column\":\"event_type\",\"field\":\"type\"");
    }

    @Test
    void a_dry_run_of_each_step_changes_nothing(TestDatabase database) {
        Shell.execute(database, OUTBOX);
        Shell shell = new Shell(database);
        assertThat(shell.ok("adopt", "bridge", "outbox", "--topic", "t", "--dry-run")
                        .out())
                .contains("bridge: lock table public.outbox in share row exclusive mode");
        assertThat(Shell.ask(database, "select count(*) from postrider.adoption"))
                .isEqualTo("0");
        shell.ok("adopt", "bridge", "outbox", "--topic", "t");
        assertThat(shell.ok("adopt", "import", "outbox", "--dry-run", "--json").line())
                .contains("\"dry_run\":true", "\"imported\":2");
        assertThat(Shell.ask(database, "select count(*) from postrider.event")).isEqualTo("0");
        assertThat(shell.ok("adopt", "undo", "bridge", "outbox", "--dry-run").err())
                .contains("would do bridge");
        assertThat(shell.ok("adopt", "import", "outbox", "--unfinished", "--json")
                        .line())
                .contains("\"state\":\"emitting\"", "\"imported\":2");
        shell.ok("adopt", "mirror", "outbox", "--dry-run");
        shell.ok("adopt", "finish", "outbox", "--dry-run");
        assertThat(shell.ok("adopt", "status", "outbox", "--json").line())
                .contains("\"state\":\"emitting\"", "\"mirror\":false", "\"rows\":2", "\"imported\":2");
        assertThat(shell.ok("adopt", "status", "outbox").out()).contains("public.outbox to topic t, emitting");
        assertThat(shell.ok("adopt", "finish", "outbox").err()).contains("drop table public.outbox");
        assertThat(shell.ok("adopt", "undo", "finish", "outbox").err()).contains("state holding");
    }

    @Test
    void bad_input_is_one_line_with_the_right_code(TestDatabase database) {
        Shell.execute(database, OUTBOX);
        Shell shell = new Shell(database);
        assertThat(shell.run("adopt").code()).isEqualTo(ExitCode.USAGE);
        complains(shell.run("adopt", "plan", "nowhere"), ExitCode.NOT_FOUND, "no table nowhere");
        complains(shell.run("adopt", "plan", "outbox", "--map", "x=payload"), ExitCode.USAGE, "has no column x");
        complains(shell.run("adopt", "plan", "outbox", "--map", "id"), ExitCode.USAGE, "--map must be COLUMN=FIELD");
        complains(shell.run("adopt", "bridge", "outbox"), ExitCode.USAGE, "--topic T");
        complains(shell.run("adopt", "status", "outbox"), ExitCode.NOT_FOUND, "public.outbox is not adopted");
        complains(shell.run("adopt", "undo", "plan", "outbox"), ExitCode.USAGE, "STEP must be bridge, import");
        shell.ok("adopt", "bridge", "outbox", "--topic", "t");
        complains(
                shell.run("adopt", "bridge", "outbox", "--topic", "t"),
                ExitCode.CONFLICT,
                "public.outbox is already adopted to topic t");
        Shell.execute(database, "update outbox set payload = 'no json' where id = 1");
        complains(shell.run("adopt", "import", "outbox"), ExitCode.USAGE, "row 1: the payload is not JSON");
        complains(shell.run("adopt", "cursor", "outbox", "x", "--start", "now"), ExitCode.USAGE, "--start must be");
    }

    private static void complains(Ran ran, int code, String text) {
        assertThat(ran.code()).as(ran.toString()).isEqualTo(code);
        assertThat(ran.complaint()).contains(text);
    }
}
