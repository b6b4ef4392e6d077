package io.postrider;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** A started node on a test's database, with a pool of its own: what an application would have. */
final class Node implements AutoCloseable {
    final HikariDataSource dataSource;
    final Postrider postrider;

    Node(TestDatabase database, UnaryOperator<Options> options) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setMaximumPoolSize(10);
        config.setMinimumIdle(0);
        this.dataSource = new HikariDataSource(config);
        this.postrider = Postrider.on(dataSource, options.apply(Options.defaults().withSegmentSize(100_000)));
        postrider.migrate();
    }

    Node(TestDatabase database) {
        this(database, options -> options);
    }

    Node with(Listener... listeners) {
        for (Listener listener : listeners) {
            postrider.add(listener.withStart(StartPoint.beginning()));
        }
        postrider.start();
        return this;
    }

    /** Emits in a transaction of its own. */
    void emit(Event... events) {
        inTransaction(connection -> postrider.emitAll(connection, List.of(events)));
    }

    void inTransaction(Work work) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            work.on(connection);
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void awaitCursor(String listener, long position) {
        Await.until(listener + " reached " + position, Duration.ofSeconds(20), () -> postrider.listeners().stream()
                .anyMatch(one -> one.name().equals(listener) && one.position() >= position));
    }

    long number(String sql) {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement();
                var result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void execute(String sql) {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        postrider.close();
        dataSource.close();
    }

    interface Work {
        void on(Connection connection) throws SQLException;
    }
}
