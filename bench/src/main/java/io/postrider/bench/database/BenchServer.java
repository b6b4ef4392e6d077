package io.postrider.bench.database;

import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.embedded.EmbeddedPostgresOptions;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** The PostgreSQL server that is measured: its own, or a given one. Databases are created on it and dropped. */
public final class BenchServer implements AutoCloseable {
    private final PGSimpleDataSource admin;
    private final @Nullable EmbeddedPostgres embedded;
    private final List<String> made = new ArrayList<>();

    private BenchServer(PGSimpleDataSource admin, @Nullable EmbeddedPostgres embedded) {
        this.admin = admin;
        this.embedded = embedded;
    }

    /**
     * @param url null for its own server, which is durable: fsync and synchronous_commit are on
     * @param more settings of its own server besides the usual ones; a given server keeps its settings
     */
    public static BenchServer open(@Nullable String url, Map<String, String> more) throws SQLException {
        if (url == null) {
            EmbeddedPostgresOptions settings = settings();
            for (Map.Entry<String, String> setting : more.entrySet()) {
                settings = settings.withSetting(setting.getKey(), setting.getValue());
            }
            EmbeddedPostgres embedded = EmbeddedPostgres.start(settings);
            return new BenchServer(BenchDatabase.source(embedded.jdbcUrl("postgres")), embedded);
        }
        BenchServer server = new BenchServer(BenchDatabase.source(jdbc(url)), null);
        server.describe(); // fails early if it cannot be reached
        return server;
    }

    /**
     * Settings of a small production server. Checkpoints are requested between rounds, so that none happens during one.
     */
    private static EmbeddedPostgresOptions settings() {
        return EmbeddedPostgresOptions.defaults()
                .withVersion("18")
                .withSetting("shared_buffers", "256MB")
                .withSetting("max_wal_size", "4GB")
                .withSetting("max_connections", "300")
                .withSetting("checkpoint_timeout", "30min");
    }

    /** Also accepts {@code postgres://user:password@host/database}. */
    public static String jdbc(String url) {
        if (!url.startsWith("postgres://") && !url.startsWith("postgresql://")) {
            return url;
        }
        URI uri = URI.create(url);
        StringBuilder jdbc = new StringBuilder("jdbc:postgresql://").append(uri.getHost());
        if (uri.getPort() != -1) {
            jdbc.append(':').append(uri.getPort());
        }
        String path = uri.getRawPath();
        jdbc.append(path == null || path.isEmpty() ? "/postgres" : path);
        String query = uri.getRawQuery() == null ? "" : uri.getRawQuery();
        String userInfo = uri.getRawUserInfo();
        if (userInfo != null) {
            int colon = userInfo.indexOf(':');
            String user = colon < 0 ? userInfo : userInfo.substring(0, colon);
            query += (query.isEmpty() ? "" : "&") + "user=" + user;
            query += colon < 0 ? "" : "&password=" + userInfo.substring(colon + 1);
        }
        return query.isEmpty() ? jdbc.toString() : jdbc + "?" + query;
    }

    public BenchDatabase create(String name) throws SQLException {
        String database = "postrider_bench_" + ProcessHandle.current().pid() + "_" + name;
        try (Connection connection = admin.getConnection()) {
            Statements.execute(connection, "create database " + database);
        }
        made.add(database);
        return BenchDatabase.of(admin, database);
    }

    public void drop(BenchDatabase database) throws SQLException {
        try (Connection connection = admin.getConnection()) {
            Statements.execute(connection, "drop database if exists " + database.name() + " with (force)");
        }
        made.remove(database.name());
    }

    /** Not every user may request a checkpoint; without the permission it happens at its own time. */
    public void checkpoint() throws SQLException {
        try (Connection connection = admin.getConnection()) {
            Statements.execute(connection, "checkpoint");
        } catch (SQLException e) {
            if (!"42501".equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    /** A setting of the server. */
    public String setting(String name) throws SQLException {
        try (Connection connection = admin.getConnection()) {
            return Statements.text(connection, "show " + name);
        }
    }

    /** Whether the server's processes can be observed from here. */
    public boolean isLocal() {
        return embedded != null;
    }

    /** The version and the settings that affect speed. */
    public String describe() throws SQLException {
        try (Connection connection = admin.getConnection()) {
            String settings = Statements.text(
                    connection,
                    "select string_agg(s.name || '=' || current_setting(s.name), ' ' order by s.name) from pg_settings s"
                            + " where s.name in ('fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers',"
                            + " 'max_wal_size')");
            return "PostgreSQL " + Statements.text(connection, "show server_version") + (isLocal() ? " (embedded)" : "")
                    + ", " + settings;
        }
    }

    @Override
    public void close() throws SQLException {
        if (embedded != null) {
            embedded.kill(); // the data is not needed: a clean shutdown would write all of it first
            embedded.close();
            return;
        }
        try (Connection connection = admin.getConnection()) {
            for (String database : made) {
                Statements.execute(connection, "drop database if exists " + database + " with (force)");
            }
        }
    }
}
