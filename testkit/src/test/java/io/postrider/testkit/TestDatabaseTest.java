package io.postrider.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class TestDatabaseTest {

    @Test
    void the_server_is_the_version_under_test_with_everything_on() throws SQLException {
        try (TestDatabase database = TestDatabase.create()) {
            assertThat(one(database.dataSource(), "show server_version")).startsWith(TestServer.major() + ".");
            assertThat(one(database.dataSource(), "show max_connections")).isEqualTo("200");
            assertThat(one(database.dataSource(), "show max_prepared_transactions"))
                    .isEqualTo("50");
            assertThat(one(database.dataSource(), "show wal_level")).isEqualTo("logical");
            assertThat(one(database.dataSource(), "show fsync")).isEqualTo(TestServer.waitsForDisk() ? "on" : "off");
        }
    }

    @Test
    void it_is_gone_after_close_with_whoever_and_whatever_was_in_it() throws SQLException {
        TestDatabase database = TestDatabase.create();
        try (Connection left = DriverManager.getConnection(database.jdbcUrl());
                Statement statement = left.createStatement()) {
            statement.execute("begin; create table t (x int); prepare transaction 'left''over'");
            assertThat(database.sessions()).hasSize(1);
            database.close();
            assertThat(left.isValid(5)).isFalse();
        }
        assertThatThrownBy(() -> database.dataSource().getConnection().close())
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("3D000"));
        database.close();
    }

    @Test
    void a_template_is_prepared_once_and_copied() throws SQLException {
        AtomicInteger prepared = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            try (TestDatabase database = TestDatabase.createFrom("TestDatabaseTest", source -> {
                prepared.incrementAndGet();
                try (Connection connection = source.getConnection();
                        Statement statement = connection.createStatement()) {
                    statement.execute("create table t as select 42 as x");
                }
            })) {
                assertThat(one(database.dataSource(), "select x from t")).isEqualTo("42");
            }
        }
        assertThat(prepared).hasValue(1);
    }

    private static String one(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
