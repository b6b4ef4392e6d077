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
public final class Node implements AutoCloseable {
    public final HikariDataSource dataSource;
    public final Postrider postrider;

    public Node(TestDatabase database, UnaryOperator<Options> options) {
        this(database.jdbcUrl(), options);
    }

    /** By another way, such as a proxy, or as another role. */
    public Node(String jdbcUrl, UnaryOperator<Options> options) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(10);
        config.setMinimumIdle(0);
        this.dataSource = new HikariDataSource(config);
        this.postrider =
                Postrider.on(dataSource, options.apply(Options.defaults().withSegmentSize(100_000)));
        postrider.migrate();
    }

    public Node(TestDatabase database) {
        this(database, options -> options);
    }

    public Node with(Listener... listeners) {
        for (Listener listener : listeners) {
            postrider.add(listener.withStart(StartPoint.beginning()));
        }
        postrider.start();
        return this;
    }

    /** Adds listeners to a node that is started, from the beginning of their topics. */
    public Node add(Listener... listeners) {
        for (Listener listener : listeners) {
            postrider.add(listener.withStart(StartPoint.beginning()));
        }
        return this;
    }

    /** The row of the view. */
    public io.postrider.admin.Listeners.Status status(String listener) {
        return postrider.listeners().list().stream()
                .filter(one -> one.name().equals(listener))
                .findFirst()
                .orElseThrow();
    }

    public List<io.postrider.admin.DeadLetter> deadLetters(String listener) {
        return postrider
                .deadLetters()
                .find(new io.postrider.admin.DeadLetters.Filter(null, listener, null, null, null, null), 0, 1_000);
    }

    /** Emits in a transaction of its own. */
    public void emit(Event... events) {
        inTransaction(connection -> postrider.emitAll(connection, List.of(events)));
    }

    public void inTransaction(Work work) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            work.on(connection);
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Pauses a listener and waits until no node runs it. */
    void pause(String listener) {
        postrider.pause(listener);
        Await.until(
                "listener " + listener + " is paused",
                Duration.ofSeconds(60),
                () -> number("select count(*) from postrider.tenure where listener = '" + listener
                                + "' and ended_at is null")
                        == 0);
    }

    public void awaitCursor(String listener, long position) {
        Await.until(
                listener + " reached " + position,
                Duration.ofSeconds(60),
                () -> postrider.listeners().list().stream()
                        .anyMatch(one -> one.name().equals(listener) && one.position() >= position));
    }

    public long number(String sql) {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement();
                var result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public void execute(String sql) {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until the sequencer holds the idle lock: from now on producers notify. */
    public void awaitAsleep() {
        Await.until(
                "the sequencer sleeps",
                () -> number("select count(*) from pg_locks where locktype = 'advisory'"
                                + " and database = (select oid from pg_database where datname = current_database())"
                                + " and classid = 'postrider.event'::regclass::oid and objid = 1 and objsubid = 2"
                                + " and mode = 'ExclusiveLock' and granted")
                        == 1);
    }

    /** The server's process behind the wire of the node that leads. */
    public long leaderPid() {
        return Await.value("a node leads", Duration.ofSeconds(60), () -> {
            long pid = number("select coalesce(max(pid), 0) from pg_stat_activity where datname = current_database()"
                    + " and pid in (select pid from pg_locks where locktype = 'advisory' and objid = 3"
                    + " and classid = 'postrider.event'::regclass::oid)");
            return pid == 0 ? java.util.Optional.empty() : java.util.Optional.of(pid);
        });
    }

    @Override
    public void close() {
        postrider.close();
        dataSource.close();
    }

    /** What is done in a transaction. */
    public interface Work {
        void on(Connection connection) throws SQLException;
    }
}
