package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.admin.Jobs.State;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.SchemaName;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A setting that a handler changes beyond its transaction does not remain on the pooled connection. */
@Migrated
class HandlerSettingsTest {
    private static final String SHOW =
            "select concat_ws('|', current_setting('search_path'), current_setting('TimeZone'),"
                    + " current_setting('role'), current_setting('work_mem'), nullif(current_setting('app.tenant', true), ''),"
                    + " current_setting('application_name'), current_setting('default_transaction_isolation'),"
                    + " current_setting('default_transaction_read_only'), current_setting('default_transaction_deferrable'))";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "set search_path = pg_catalog",
                "SET SESSION work_mem TO '77MB'",
                "/* why */ set app.tenant = 'a'; select 1",
                "set time zone 'Asia/Tokyo'",
                "SET TIMEZONE = 'Asia/Tokyo'",
                "set role pg_read_all_data",
                "select set_config('app.tenant', 'b', false)",
                "select 1; reset work_mem",
                "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE, DEFERRABLE",
                "set session characteristics as transaction read only",
                "reset all",
                "set local work_mem = '78MB'",
                "update pg_temp.x set y = 1"
            })
    void a_setting_changed_by_a_handler_is_restored(String change, TestDatabase database) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Database door = new Database(pool, SchemaName.of("postrider"));
            execute(pool, "set work_mem = '9MB'");
            execute(pool, "create temp table x (y int)");
            String before = text(pool);
            for (boolean prepared : List.of(true, false)) {
                door.handlerTransaction(session -> {
                    try (Statement statement = prepared
                            ? session.handlerConnection().prepareStatement(change)
                            : session.handlerConnection().createStatement()) {
                        if (statement instanceof java.sql.PreparedStatement ready) {
                            ready.execute();
                        } else {
                            statement.execute(change);
                        }
                        return true;
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                assertThat(text(pool)).isEqualTo(before);
            }
        }
    }

    /** JdbcClient and JPA use the connection itself, whose SQL is not scanned: what the server reports is restored. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "set time zone 'Asia/Tokyo'",
                "set application_name = 'mine'",
                "set session characteristics as transaction read only",
                "do $$ begin perform set_config('TimeZone', 'Asia/Tokyo', false); end $$"
            })
    void a_reported_setting_is_restored_however_it_was_changed(String change, TestDatabase database)
            throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            String before = text(pool);
            new Database(pool, SchemaName.of("postrider")).handlerTransaction(session -> {
                try (Statement statement = session.connection().createStatement()) {
                    return statement.execute(change);
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(text(pool)).isEqualTo(before);
        }
    }

    @Test
    void a_jobs_handler_that_sets_the_search_path_leaves_the_pool_as_it_was(TestDatabase database) throws SQLException {
        try (Node node = new Node(database)) {
            node.dataSource.setMaximumPoolSize(4);
            node.postrider
                    .add(Worker.on("q").handlingInTransaction("t", (connection, job) -> {
                        try (Statement statement = connection.createStatement()) {
                            statement.execute("set search_path = 'somewhere'");
                        }
                        return Fate.done();
                    }))
                    .start();
            for (int i = 0; i < 5; i++) {
                awaitState(node, enqueue(node, Job.of("q", "t", "{}")), State.DONE);
            }
            List<Connection> all = new ArrayList<>();
            try {
                for (int i = 0; i < 3; i++) { // all except the node's permanent connection
                    all.add(node.dataSource.getConnection());
                    assertThat(text(all.get(i))).doesNotContain("somewhere");
                }
            } finally {
                for (Connection one : all) {
                    one.close();
                }
            }
        }
    }

    private static void execute(HikariDataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String text(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return text(connection);
        }
    }

    private static String text(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                var result = statement.executeQuery(SHOW)) {
            result.next();
            return result.getString(1);
        }
    }
}
