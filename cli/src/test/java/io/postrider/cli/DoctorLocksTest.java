package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Who is in the way of others, by which lock, and what the doctor tells an operator to run against it. */
@Migrated
@Tag("security")
class DoctorLocksTest {
    private TestDatabase database;
    private Shell shell;

    @BeforeEach
    void open(TestDatabase given) {
        database = given;
        shell = new Shell(database);
    }

    private List<String> check(String name) {
        return shell.run("doctor").lines().stream()
                .filter(line -> line.length() > 6 && line.substring(6).startsWith(name + " "))
                .toList();
    }

    private Connection connect(Role role) throws SQLException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(database.jdbcUrl());
        source.setUser(role.name());
        source.setPassword("secret-of-a-role");
        return source.getConnection();
    }

    private static final String LOCK_OF_CLAIMS = "select pg_advisory_xact_lock((select c.oid::int4 from pg_class c"
            + " join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'postrider' and c.relname = 'claim'), 1)";

    @Test
    void the_suggested_command_ends_a_prepared_transaction_whatever_its_name() throws SQLException {
        try (Role role = new Role(database);
                Connection stranger = connect(role);
                Statement statement = stranger.createStatement()) {
            statement.execute("begin; " + LOCK_OF_CLAIMS + "; prepare transaction E'" + database.name()
                    + "\\'; drop schema postrider cascade; --  \\x1b\\n\\u2192'");
            String line = check("locks").get(0);
            String command = line.substring(line.lastIndexOf("rollback prepared "));
            assertThat(command).doesNotContain("drop schema");
            Shell.execute(database, command);
            assertThat(check("locks")).singleElement().asString().startsWith("ok");
        }
    }

    @Test
    void the_text_of_a_query_cannot_imitate_advice() throws SQLException {
        try (Connection holder = database.dataSource().getConnection();
                Statement statement = holder.createStatement()) {
            statement.execute("begin; select postrider.emit('orders', 'a', '{}') /* → drop schema postrider */");
            assertThat(check("open emitters").get(0))
                    .contains("? drop schema postrider")
                    .doesNotContain("→");
            statement.execute("rollback");
        }
    }

    @Test
    void a_role_name_in_a_command_is_quoted() {
        String name = "x; drop schema postrider; --" + database.name();
        Shell.execute(database, "create role \"" + name + "\"");
        Shell.execute(database, "grant create on schema public to \"" + name + "\"");
        try {
            String line = check("search path").stream()
                    .filter(one -> one.contains("may create in schema public"))
                    .findFirst()
                    .orElseThrow();
            String command = line.substring(line.lastIndexOf("revoke create"));
            assertThat(command)
                    .startsWith("revoke create on schema \"public\" from ")
                    .doesNotContain("drop schema");
            Shell.execute(database, command);
            assertThat(check("search path")).noneMatch(one -> one.contains("may create in schema public"));
        } finally {
            Shell.execute(database, "drop owned by \"" + name + "\"");
            Shell.execute(database, "drop role \"" + name + "\"");
        }
    }

    @Test
    void a_session_that_this_role_may_not_see_is_not_reported_as_prepared() throws SQLException {
        try (Role role = new Role(database)
                        .granted("usage on schema postrider")
                        .granted("select on all tables in schema postrider");
                Connection emitter = database.dataSource().getConnection();
                Statement statement = emitter.createStatement()) {
            shell.with("POSTRIDER_DATABASE_URL", role.url());
            statement.execute("begin; select postrider.emit('orders', 'order.placed', '{}')");
            assertThat(check("open emitters").get(0))
                    .contains("emitted and not ended: pid ", "its state is visible to pg_monitor only")
                    .doesNotContain("prepared", " 0 s");
            statement.execute("rollback");
        }
    }

    @Test
    void a_transaction_that_holds_a_unique_key_is_named_when_others_wait_for_it() throws Exception {
        String enqueue = "select postrider.enqueue('mail', 'x', '1', unique_key => 'k', project_id => 'acme')";
        try (Connection holder = database.dataSource().getConnection();
                Statement statement = holder.createStatement()) {
            statement.execute("set application_name = 'careless app'");
            statement.execute("begin; set local postrider.notify = off; " + enqueue);
            Thread waiting = new Thread(() -> Shell.execute(database, enqueue));
            waiting.start();
            Await.until(
                    "it is named",
                    Duration.ofSeconds(30),
                    () -> check("locks")
                            .get(0)
                            .matches("(?s)warn.*keeps 1 sessions waiting for a row of unique_job: pid .*careless app,"
                                    + " idle in transaction.*pg_terminate_backend.*"));
            statement.execute("prepare transaction 'key-" + database.name() + "'");
            assertThat(check("locks").get(0))
                    .contains("a row of unique_job", "rollback prepared 'key-" + database.name() + "'");
            Shell.execute(database, "rollback prepared 'key-" + database.name() + "'");
            waiting.join();
        }
        assertThat(check("locks")).singleElement().asString().startsWith("ok");
    }

    @Test
    void a_session_that_takes_much_of_the_lock_table_is_named() throws SQLException {
        try (Role role = new Role(database);
                Connection stranger = connect(role);
                Statement statement = stranger.createStatement()) {
            statement.execute("select pg_advisory_lock_shared(i) from generate_series(1,"
                    + " (select setting::int from pg_settings where name = 'max_locks_per_transaction') * 70) i");
            assertThat(check("locks").get(0))
                    .startsWith("fail")
                    .contains("lock table of the server", "user " + role.name(), "pg_terminate_backend")
                    .endsWith("termination has no effect until its current statement checks for interrupts or ends");
        }
    }

    @Test
    void a_session_that_blocks_the_creation_of_segments_is_named() throws SQLException {
        try (Role role = new Role(database);
                Connection stranger = connect(role);
                Statement statement = stranger.createStatement();
                Connection admin = database.dataSource().getConnection();
                Statement oid = admin.createStatement()) {
            Shell.execute(database, "select setval('postrider.event_ids', 900000000)");
            assertThat(check("segments")).noneMatch(line -> line.contains("is locked by"));
            var result = oid.executeQuery("select 'postrider.event_beyond'::regclass::oid::int8");
            result.next();
            long table = result.getLong(1);
            statement.execute("begin; savepoint s");
            assertThatThrownBy(() -> statement.execute("select nextval(" + table + "::oid::regclass)"))
                    .isInstanceOf(SQLException.class);
            statement.execute("rollback to s");
            assertThat(check("segments"))
                    .anyMatch(line -> line.startsWith("warn")
                            && line.contains("no segment can be created while event_beyond is locked by pid")
                            && line.contains("user " + role.name())
                            && line.contains("pg_terminate_backend"));
            statement.execute("rollback");
        }
    }
}
