package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the doctor says about things that others put in the way of retention, or in front of a queue. */
@Migrated
@Tag("security")
class DoctorRetentionTest {
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
    void a_view_on_a_segment_that_cannot_be_dropped_is_named_with_its_owner() throws SQLException {
        try (Role role = new Role(database);
                Connection viewer = database.dataSource().getConnection();
                Statement statement = viewer.createStatement()) {
            Shell.execute(database, "grant usage on schema postrider to " + role.name());
            statement.execute("set role " + role.name());
            statement.execute("create temp view d as select 1 as x from postrider.log_0");
            statement.execute("create function pg_temp.f(e postrider.event_0) returns int language sql as 'select 1'");
            Shell.execute(database, "update postrider.segment set emptied_at = now() where family = 'log' and low = 0");
            Shell.execute(database, "select postrider.drop_segments()");
            assertThat(check("retention"))
                    .hasSize(2)
                    .allMatch(line -> line.startsWith("warn"))
                    .anyMatch(line -> line.contains("table log_0 is emptied and detached")
                            && line.contains(".d of role " + role.name() + " depends on it"))
                    .anyMatch(line -> line.contains("table event_0")
                            && line.contains(".f(")
                            && line.contains(" of role " + role.name()));
            statement.execute("discard all");
            Shell.execute(database, "select postrider.drop_segments() from generate_series(1, 2)");
            assertThat(check("retention")).singleElement().asString().startsWith("ok");
        }
    }

    /** Only 20 queues are named, and a producer can invent thousands of older ones. */
    @Test
    void a_queue_that_had_a_worker_is_named_before_invented_ones() {
        Shell.execute(
                database,
                "insert into postrider.event (topic, type, payload, created_at)"
                        + " select 'queue:invented' || i, 't', '{}', now() - interval '2 hours' from generate_series(1, 40) i");
        Shell.execute(
                database,
                "insert into postrider.event (topic, type, payload, created_at)"
                        + " values ('queue:mail', 't', '{}', now() - interval '1 hour')");
        Shell.execute(database, "insert into postrider.queue (name) values ('mail')");
        Shell.execute(database, "select postrider.sequence(20000)");
        assertThat(check("queues").get(0)).contains("1 jobs wait in queue mail, the oldest for 60 min");
    }
}
