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

/** What the doctor says about the server as a whole: transactions of other databases, and room for locks. */
@Migrated
@Tag("security")
class DoctorClusterTest {
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

    @Test
    void an_open_transaction_in_another_database_is_named() throws SQLException {
        try (TestDatabase other = TestDatabase.create();
                Connection connection = other.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("set application_name = 'elsewhere'");
            statement.execute("select pg_current_xact_id()");
            assertThat(check("retention"))
                    .singleElement()
                    .asString()
                    .startsWith("ok")
                    .contains("an open transaction in database " + other.name());
            runningSinceAnHour();
            assertThat(check("retention"))
                    .anyMatch(line -> line.startsWith("warn")
                            && line.contains("no segment can be closed")
                            && line.contains("database " + other.name())
                            && line.contains("elsewhere, idle in transaction, 60 min")
                            && line.contains("pg_terminate_backend("));
        }
    }

    @Test
    void a_prepared_transaction_in_another_database_is_named() throws SQLException {
        try (TestDatabase other = TestDatabase.create();
                Connection connection = other.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            String gid = "forgotten-" + other.name();
            statement.execute("begin; select pg_current_xact_id(); prepare transaction '" + gid + "'");
            try {
                runningSinceAnHour();
                assertThat(check("retention"))
                        .anyMatch(line -> line.startsWith("warn")
                                && line.contains("database " + other.name())
                                && line.contains("rollback prepared '" + gid + "', connected to that database"));
            } finally {
                statement.execute("rollback prepared '" + gid + "'");
            }
        }
    }

    /** A pass an hour ago, during which the transactions that are open now were running already. */
    private void runningSinceAnHour() {
        Shell.execute(
                database, "select pg_current_xact_id()"); // a snapshot ends after the last transaction that has ended
        Shell.execute(
                database,
                "insert into postrider.pass (n, era, snapshot, floor, low, high, events, topics, heads, low_id, high_id, at)"
                        + " values (1, 1, pg_current_snapshot(), 0, 0, 0, 0, '{}', '{}', 0, 0,"
                        + " clock_timestamp() - interval '1 hour')");
    }

    @Test
    void a_lock_table_that_is_too_small_for_the_segments_is_reported_before_it_is_full() {
        assertThat(check("segments")).allMatch(line -> line.startsWith("ok"));
        Shadow.setting(database, "max_locks_per_transaction", "2");
        assertThat(check("segments"))
                .anyMatch(line -> line.startsWith("warn")
                        && line.contains(
                                "locks 24 tables and indexes, and the server has room for 500 locks: 20 statements")
                        && line.contains("multiply max_locks_per_transaction by 2"));
    }

    @Test
    void a_sequencer_check_that_fails_is_a_failure_but_not_for_a_role_without_rights() {
        try (Role role = new Role(database).mayEmit()) {
            assertThat(new Shell().run("doctor", "--database-url", role.url()).lines())
                    .anyMatch(line -> line.matches("warn +sequencer +the check failed.*"));
        }
        Shell.execute(
                database,
                "create or replace function postrider.unpositioned()"
                        + " returns table (topic text, events bigint, oldest_at timestamptz) language plpgsql as"
                        + " $$ begin raise exception 'out of shared memory' using errcode = '53200'; end $$");
        Ran ran = shell.run("doctor");
        assertThat(ran.code()).isEqualTo(ExitCode.FAILURE);
        assertThat(ran.lines())
                .anyMatch(line -> line.matches("fail +sequencer +the check failed.*out of shared memory.*"));
    }
}
