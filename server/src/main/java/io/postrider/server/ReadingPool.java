package io.postrider.server;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.server.settings.ServerSettings;
import javax.sql.DataSource;

/**
 * The connections of API requests that only read: as many as may read at once. They are separate from the connections that emits,
 * listeners and the check for revoked tokens need. They are opened on demand and closed when idle.
 */
final class ReadingPool implements AutoCloseable {
    private static final int IDLE_MILLIS = 60_000;

    private final HikariDataSource pool = new HikariDataSource();
    private final Postrider postrider;

    ReadingPool(DataSource source, ServerSettings.Api settings, Options options) {
        pool.setPoolName("postrider-reading");
        pool.setDataSource(source);
        pool.setMaximumPoolSize(settings.readers());
        pool.setMinimumIdle(0);
        pool.setIdleTimeout(IDLE_MILLIS);
        pool.setConnectionTimeout(5_000);
        this.postrider = Postrider.on(pool, options.withStatementTimeout(settings.readTimeout()));
    }

    Postrider postrider() {
        return postrider;
    }

    @Override
    public void close() {
        postrider.close();
        pool.close();
    }
}
