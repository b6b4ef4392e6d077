package io.postrider.bench.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** One database of a scenario: how to connect to it, from here and from another process. */
public record BenchDatabase(
        String name,
        String url,
        @Nullable String user,
        @Nullable String password) {

    public static BenchDatabase of(PGSimpleDataSource server, String database) {
        PGSimpleDataSource source = source(server.getUrl());
        source.setDatabaseName(database);
        return new BenchDatabase(database, source.getUrl(), server.getUser(), server.getPassword());
    }

    static PGSimpleDataSource source(String url) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        return source;
    }

    /** Opens a new connection for every request. The application name distinguishes its backends from others. */
    public PGSimpleDataSource direct(String application) {
        PGSimpleDataSource source = source(url);
        source.setUser(user);
        source.setPassword(password);
        source.setApplicationName(application);
        return source;
    }

    public Connection connect(String application) throws SQLException {
        return direct(application).getConnection();
    }

    /** The pool that both sides of a comparison use. Its connections are configured as in most applications. */
    public HikariDataSource pool(String application, int size, boolean autocommit) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(direct(application));
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(size);
        config.setAutoCommit(autocommit);
        config.setPoolName(application);
        return new HikariDataSource(config);
    }
}
