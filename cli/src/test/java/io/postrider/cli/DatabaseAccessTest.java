package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.program.PgBouncer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a database is found, and what is said when it is not. */
@PostgresTest
@Tag("slow")
@Tag("security")
class DatabaseAccessTest {
    private static final String[] COMMANDS = {
        "migrate",
        "emit orders order.placed {}",
        "tail orders",
        "tail orders --follow",
        "listeners",
        "dead-letters list",
        "dead-letters show 1",
        "dead-letters replay 1",
        "dead-letters discard 1 --yes",
        "pause mail",
        "resume mail",
        "reset mail --to end --yes",
        "doctor",
        "verify"
    };

    @Test
    void every_command_reports_an_unreachable_server() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        for (String command : COMMANDS) {
            Ran ran = new Shell()
                    .with("POSTRIDER_DATABASE_URL", "postgres://me:geheim@127.0.0.1:" + port + "/shop")
                    .run(command.split(" "));
            assertThat(ran.code()).as(command).isEqualTo(5);
            assertThat(ran.complaint()).as(command).contains("127.0.0.1:" + port);
            assertThat(ran.out()).as(command).isEmpty();
            assertThat(ran.err()).as(command).doesNotContain("geheim").hasLineCount(1);
        }
    }

    @Test
    void every_command_but_migrate_reports_a_missing_schema(TestDatabase database) {
        for (String command : COMMANDS) {
            if (!command.equals("migrate") && !command.equals("doctor")) {
                Ran ran = new Shell(database).run(command.split(" "));
                assertThat(ran.code()).as(command).isEqualTo(4);
                assertThat(ran.complaint()).as(command).contains("postrider migrate");
                assertThat(ran.err()).as(command).hasLineCount(1);
            }
        }
    }

    @Test
    void every_command_refuses_a_newer_schema(TestDatabase database) {
        new Shell(database).ok("migrate");
        Shell.execute(database, "insert into postrider.migration (version, name, digest) values (99, 'later', '')");
        for (String command : COMMANDS) {
            if (!command.equals("doctor")) {
                Ran ran = new Shell(database).run(command.split(" "));
                assertThat(ran.code()).as(command).isEqualTo(4);
                assertThat(ran.complaint()).as(command).contains("version 99");
            }
        }
        assertThat(Shell.ask(database, "select count(*) from postrider.event")).isEqualTo("0");
    }

    @Test
    void every_command_refuses_a_standby_and_an_old_server(TestDatabase database) {
        new Shell(database).ok("migrate");
        Shadow.standby(database);
        for (String command : COMMANDS) {
            if (!command.equals("doctor")) {
                Ran ran = new Shell(database).run(command.split(" "));
                assertThat(ran.code()).as(command).isEqualTo(4);
                assertThat(ran.complaint()).as(command).contains("standby");
            }
        }
        Shadow.version(database, "120000", "12.0");
        assertThat(new Shell(database).run("emit", "orders", "order.placed").complaint())
                .contains("too old");
    }

    @Test
    void no_database_at_all_is_a_usage_error() {
        Ran ran = new Shell().run("listeners");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint())
                .contains("--database-url")
                .contains("POSTRIDER_DATABASE_URL")
                .contains("PGHOST");
    }

    @ParameterizedTest
    @ValueSource(strings = {"socketFactory=evil.Class", "preferQueryMode=simple"})
    void forbidden_parameters_of_a_url_are_refused(String parameter) {
        Ran ran = new Shell().run("listeners", "--database-url", "jdbc:postgresql://127.0.0.1:1/shop?" + parameter);
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).contains(parameter.substring(0, parameter.indexOf('=')));
    }

    @Test
    void the_error_for_a_wrong_password_does_not_contain_it(TestDatabase database) {
        try (Role role = new Role(database)) {
            Ran ran = new Shell().run("listeners", "--database-url", role.url().replace("secret-of-a-role", "geheim"));
            assertThat(ran.code()).isEqualTo(5);
            assertThat(ran.complaint())
                    .contains("password authentication failed")
                    .doesNotContain("geheim");
        }
    }

    @Test
    void a_missing_database_is_reported(TestDatabase database) {
        Ran ran = new Shell()
                .run("listeners", "--database-url", database.jdbcUrl().replace(database.name(), "nowhere"));
        assertThat(ran.code()).isEqualTo(5);
        assertThat(ran.complaint()).contains("nowhere");
    }

    @Test
    void the_psql_variables_and_the_option_select_the_database(TestDatabase database) {
        Shell psql = new Shell()
                .with("PGHOST", "127.0.0.1")
                .with("PGPORT", Integer.toString(database.server().port()))
                .with("PGUSER", database.server().user())
                .with("PGPASSWORD", database.server().password())
                .with("PGDATABASE", database.name());
        psql.ok("migrate");
        // what is nearer goes first: the option, then our own variable, then psql's
        psql.with("POSTRIDER_DATABASE_URL", "postgres://127.0.0.1:1/shop");
        assertThat(psql.run("listeners").code()).isEqualTo(5);
        psql.ok("listeners", "--database-url", database.jdbcUrl());
    }

    @Test
    void the_variables_of_an_existing_deployment_select_the_database_in_every_command(TestDatabase database) {
        Shell shell = new Shell()
                .with("PSQL_HOST", "127.0.0.1")
                .with("PSQL_PORT", Integer.toString(database.server().port()))
                .with("PSQL_USER", database.server().user())
                .with("PSQL_PASSWORD", database.server().password())
                .with("PSQL_DATABASE", database.name())
                .with("PGHOST", "nowhere.invalid"); // comes after them
        shell.ok("migrate");
        for (String command : new String[] {
            "emit orders order.placed {}",
            "tail orders",
            "listeners",
            "relays list",
            "dead-letters list",
            "queues list",
            "schedules list",
            "topics requirements",
            "doctor",
            "verify",
            "uninstall --dry-run"
        }) {
            shell.ok(command.split(" "));
        }
        assertThat(shell.with("PSQL_PORT", "many").run("listeners").complaint())
                .isEqualTo("postrider: PSQL_PORT must be a port number, was 'many'");
    }

    @Test
    @NeedsProgram("pgbouncer")
    void a_direct_url_beside_a_pooler_is_used_for_what_needs_a_session(TestDatabase database) throws Exception {
        new Shell(database).ok("migrate");
        try (PgBouncer pooler = PgBouncer.before(database, 2)) {
            Shell pooled = new Shell().with("POSTRIDER_DATABASE_URL", pooler.url());
            assertThat(pooled.run("doctor").out()).contains("a pooler is between Postrider and the server");
            Shell direct =
                    pooled.with("POSTRIDER_DIRECT_URL", database.jdbcUrl()).with("POSTRIDER_POLL", "5m");
            assertThat(direct.run("doctor").out()).contains("no pooler between Postrider and the server");
            Shell.Running tail = direct.start("tail", "orders", "--follow", "--limit", "2", "--json");
            for (int i = 0; i < 2; i++) { // the second is heard by a notification, long before the poll
                direct.ok("emit", "orders", "order.placed", "{\"n\": " + i + "}");
            }
            assertThat(tail.await().lines()).hasSize(2);
        }
    }

    @Test
    void verbose_shows_the_stack_trace() {
        Ran ran = new Shell().run("listeners", "--verbose", "--database-url", "postgres://127.0.0.1:1/shop");
        assertThat(ran.code()).isEqualTo(5);
        assertThat(ran.err()).contains("\tat io.postrider.");
    }
}
