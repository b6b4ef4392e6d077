package io.postrider.testkit;

import io.postrider.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A fresh database on a server for one test, dropped after it. Threads may share it. */
public final class TestDatabase implements AutoCloseable {

    private static final AtomicInteger COUNTER = new AtomicInteger();
    private static final Map<String, String> TEMPLATES = new ConcurrentHashMap<>();

    private final EmbeddedPostgres server;
    private final String name;

    private TestDatabase(EmbeddedPostgres server, String name) {
        this.server = server;
        this.name = name;
    }

    /** An empty database on the shared server. */
    public static TestDatabase create() {
        return create(TestServer.postgres());
    }

    /** An empty database on a server that the test has started itself. */
    public static TestDatabase create(EmbeddedPostgres server) {
        String name = nextName("test_");
        server.createDatabase(name);
        return new TestDatabase(server, name);
    }

    /** The reader role of its event log; each database has its own. */
    public String reader() {
        return "postrider_reader_" + name;
    }

    /**
     * A copy, on the shared server, of a database that is prepared once in a JVM: installing a schema takes longer than
     * copying it.
     *
     * @param key names the preparation; the same key means the same result
     */
    public static TestDatabase createFrom(String key, Preparation preparation) {
        String template = TEMPLATES.computeIfAbsent(key, k -> prepare(preparation));
        String name = nextName("test_");
        copy(template, name);
        TestDatabase copy = new TestDatabase(TestServer.postgres(), name);
        execute(
                copy.dataSource(),
                "do $$ begin if to_regprocedure('postrider.make_reader()') is not null then"
                        + " perform postrider.make_reader(); end if; end $$");
        return copy;
    }

    /** Copying files takes less than half the time of writing them to the WAL, unless the server waits for the disk. */
    private static void copy(String template, String name) {
        if (TestServer.waitsForDisk() || TestServer.major() < 15) {
            TestServer.postgres().createDatabase(name, template);
            return;
        }
        String sql = "create database \"" + name + "\" template \"" + template + "\" strategy file_copy";
        execute(TestServer.postgres().dataSource(TestServer.postgres().user()), sql);
    }

    private static void execute(DataSource dataSource, String sql) {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot execute " + sql, e);
        }
    }

    public String name() {
        return name;
    }

    /** Opens a new connection for every request; nothing is pooled. */
    public DataSource dataSource() {
        return server.dataSource(name);
    }

    /** Contains user and password. */
    public String jdbcUrl() {
        return server.jdbcUrl(name);
    }

    /** The same database through another port, such as that of a {@link TcpProxy}. */
    public String jdbcUrl(int port) {
        return jdbcUrl().replaceFirst(":" + server.port() + "/", ":" + port + "/");
    }

    public EmbeddedPostgres server() {
        return server;
    }

    /** The open sessions, one per line: application name, state and last query. */
    public List<String> sessions() {
        String sql = "select coalesce(nullif(application_name, ''), 'unnamed') || ' ' || coalesce(state, '?') || ': '"
                + " || left(query, 200) from pg_stat_activity"
                + " where datname = ? and backend_type = 'client backend' order by pid";
        try (Connection connection = server.dataSource(server.user()).getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            List<String> sessions = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    sessions.add(rows.getString(1));
                }
            }
            return sessions;
        } catch (SQLException e) {
            throw new IllegalStateException("cannot list the sessions of " + name, e);
        }
    }

    /** Drops the database even if sessions are open. Prepared transactions are rolled back, because they would block the drop. */
    @Override
    public void close() {
        if (!server.isRunning()) {
            return; // the test has killed its own server
        }
        rollBackPrepared();
        server.dropDatabase(name);
        server.dropRole(reader());
    }

    private void rollBackPrepared() {
        try (Connection connection = server.dataSource(server.user()).getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("select gid from pg_prepared_xacts where database = ?")) {
            statement.setString(1, name);
            List<String> prepared = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    prepared.add(rows.getString(1));
                }
            }
            if (prepared.isEmpty()) {
                return;
            }
            try (Connection inside = dataSource().getConnection();
                    var rollback = inside.createStatement()) {
                for (String gid : prepared) {
                    rollback.execute("rollback prepared '" + gid.replace("'", "''") + "'");
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException("cannot roll back what is prepared in " + name, e);
        }
    }

    private static String prepare(Preparation preparation) {
        String template = nextName("template_");
        TestServer.postgres().createDatabase(template);
        try {
            preparation.prepare(TestServer.postgres().dataSource(template));
        } catch (Exception e) {
            TestServer.postgres().dropDatabase(template);
            throw new IllegalStateException("cannot prepare the template database", e);
        }
        return template;
    }

    private static String nextName(String prefix) {
        return prefix + ProcessHandle.current().pid() + "_" + COUNTER.incrementAndGet();
    }

    @Override
    public String toString() {
        return name;
    }

    /** Fills a template and closes every connection that it opened. */
    @FunctionalInterface
    public interface Preparation {
        void prepare(DataSource dataSource) throws Exception;
    }
}
