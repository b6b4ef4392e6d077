package io.postrider.server;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.db.Database;
import io.postrider.db.SchemaName;
import io.postrider.server.settings.ServerSettings;
import javax.sql.DataSource;

/**
 * The connections of those who only read through the API: as many as may read at once, and none of those that emit, the
 * listeners or the look for revoked tokens need. They are made when somebody reads, and go when nobody does.
 */
final class ReadingPool implements AutoCloseable {
    private static final int IDLE_MILLIS = 60_000;

    private final HikariDataSource pool = new HikariDataSource();
    private final Database database;

    ReadingPool(DataSource source, ServerSettings.Api settings, SchemaName schema) {
        pool.setPoolName("postrider-reading");
        pool.setDataSource(source);
        pool.setMaximumPoolSize(settings.readers());
        pool.setMinimumIdle(0);
        pool.setIdleTimeout(IDLE_MILLIS);
        pool.setConnectionTimeout(5_000);
        this.database = new Database(pool, schema).withPatience(settings.readTimeout());
    }

    Database database() {
        return database;
    }

    @Override
    public void close() {
        pool.close();
    }
}
