package io.postrider.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.testkit.TcpProxy.Cut;
import io.postrider.testkit.TcpProxy.Direction;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@PostgresTest
class TcpProxyTest {

    private final TestDatabase database;
    private final TcpProxy proxy;

    TcpProxyTest(TestDatabase database) {
        this.database = database;
        this.proxy = TcpProxy.to(database.server().port());
    }

    @AfterEach
    void close_leaves_no_thread() {
        proxy.close();
        proxy.close();
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(t -> t.getName().startsWith("tcp-proxy"));
    }

    @Test
    void it_passes_everything_and_forgets_what_has_ended() throws SQLException {
        try (Connection connection = connect()) {
            assertThat(one(connection, "select length(repeat('x', 1000000))")).isEqualTo("1000000");
            assertThat(one(connection, "select repeat('x', 1000000)")).hasSize(1_000_000);
            assertThat(proxy.connections()).isEqualTo(1);
        }
        Await.until("connection forgotten", () -> proxy.connections() == 0);
        assertThat(proxy.cuts()).isZero();
    }

    @Test
    void what_is_held_waits_and_is_not_lost() throws Exception {
        try (Connection connection = connect()) {
            proxy.hold();
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> one(connection, "select 'late'"));
            assertThatThrownBy(() -> answer.get(100, java.util.concurrent.TimeUnit.MILLISECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            proxy.resume();
            assertThat(answer.get(60, java.util.concurrent.TimeUnit.SECONDS)).isEqualTo("late");
        }
    }

    @Test
    void one_way_can_be_held_alone() throws Exception {
        try (Connection connection = connect()) {
            execute(connection, "create table t (x int)");
            proxy.hold(Direction.TO_CLIENT);
            CompletableFuture<Void> done =
                    CompletableFuture.runAsync(() -> execute(connection, "insert into t values (1)"));
            try (Connection direct = database.dataSource().getConnection()) {
                Await.until(
                        "the server has it",
                        () -> one(direct, "select count(*) from t").equals("1"));
            }
            assertThat(done).isNotDone();
            proxy.resume();
            done.get(60, java.util.concurrent.TimeUnit.SECONDS);
        }
    }

    @Test
    void cut_all_breaks_what_is_open_and_lets_new_ones_in() throws SQLException {
        try (Connection connection = connect()) {
            proxy.cutAll();
            assertThatThrownBy(() -> one(connection, "select 1")).hasCauseInstanceOf(SQLException.class);
            assertThat(proxy.cuts()).isEqualTo(1);
        }
        try (Connection connection = connect()) {
            assertThat(one(connection, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void a_held_connection_can_be_cut_and_the_proxy_closed() throws SQLException {
        try (Connection connection = connect()) {
            proxy.hold();
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> one(connection, "select 1"));
            proxy.cutAll();
            assertThatThrownBy(() -> answer.get(60, java.util.concurrent.TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(java.io.IOException.class);
        }
    }

    @Test
    void it_can_refuse_and_accept_again() throws SQLException {
        proxy.refuse();
        assertThatThrownBy(this::connect).isInstanceOf(SQLException.class);
        proxy.accept();
        connect().close();
    }

    @Test
    void a_commit_cut_before_is_not_there_and_one_cut_after_is() throws SQLException {
        try (Connection direct = database.dataSource().getConnection()) {
            execute(direct, "create table t (x int)");
            for (Cut cut : Cut.values()) {
                execute(direct, "truncate t");
                try (Connection connection = connect()) {
                    connection.setAutoCommit(false);
                    execute(connection, "insert into t values (1)");
                    proxy.cutAt(Direction.TO_SERVER, "COMMIT", cut);
                    assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
                }
                Await.until("sessions ended", () -> database.sessions().size() == 1);
                assertThat(one(direct, "select count(*) from t")).isEqualTo(cut == Cut.AFTER ? "1" : "0");
            }
            assertThat(proxy.cuts()).isEqualTo(2);
        }
    }

    @Test
    void it_can_cut_after_n_bytes() throws SQLException {
        try (Connection connection = connect()) {
            proxy.cutAfterBytes(Direction.TO_CLIENT, 100_000);
            assertThat(one(connection, "select repeat('x', 1000)")).hasSize(1_000);
            assertThatThrownBy(() -> one(connection, "select repeat('x', 200000)"))
                    .hasCauseInstanceOf(SQLException.class);
        }
    }

    @Test
    void it_can_be_slow() throws SQLException {
        try (Connection connection = connect()) {
            proxy.delay(Direction.TO_SERVER, Duration.ofMillis(50));
            long begin = System.nanoTime();
            assertThat(one(connection, "select 1")).isEqualTo("1");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
            proxy.delay(Direction.TO_SERVER, Duration.ZERO);
        }
    }

    @Test
    void bad_values_are_refused_by_name() {
        assertThatThrownBy(() -> TcpProxy.to(0)).hasMessage("port must be 1..65535, was 0");
        assertThatThrownBy(() -> proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(-1)))
                .hasMessageStartingWith("delay must not be negative");
        assertThatThrownBy(() -> proxy.cutAt(Direction.TO_CLIENT, "", Cut.AFTER))
                .hasMessage("marker must not be empty");
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(database.jdbcUrl(proxy.port()));
    }

    private static String one(Connection connection, String sql) {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void execute(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
