package io.postrider.server;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.server.settings.ServerSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/**
 * The connections of API requests that write. None of them waits for a lock for longer than {@link #LOCK_TIMEOUT}: a producer's open
 * transaction can hold a unique key for hours. Listeners, retention and health checks use other connections.
 */
final class WritingPool implements AutoCloseable {
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);

    /** For short lookups that are not counted as writes, such as those of a relay that is tested. */
    private static final int FOR_LOOKUPS = 2;

    private final HikariDataSource pool = new HikariDataSource();
    private final Postrider postrider;

    WritingPool(DataSource source, ServerSettings.Api settings, Options options) {
        pool.setPoolName("postrider-writing");
        pool.setDataSource(source);
        pool.setMaximumPoolSize(settings.writers() + FOR_LOOKUPS);
        pool.setMinimumIdle(0);
        pool.setIdleTimeout(60_000);
        pool.setConnectionTimeout(5_000);
        if (isPooled(source)) {
            this.postrider = Postrider.on(pool, options.withLockTimeout(LOCK_TIMEOUT));
        } else {
            // Set once per connection, so that a write needs no extra round trip.
            pool.setConnectionInitSql("set lock_timeout = " + LOCK_TIMEOUT.toMillis());
            this.postrider = Postrider.on(pool, options);
        }
    }

    /** Whether a pooler is in between: it reports an invented process id at login, and clients share its sessions. */
    private static boolean isPooled(DataSource source) {
        return Postrider.on(source).transaction(WritingPool::isPooled);
    }

    private static boolean isPooled(Connection connection) {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_catalog.pg_backend_pid()")) {
            row.next();
            return connection.unwrap(PGConnection.class).getBackendPID() != row.getInt(1);
        } catch (SQLException e) {
            throw new PostriderException(Kind.FAILED, "connect failed: " + e.getMessage(), e);
        }
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
