package io.postrider.db;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.core.PGStream;
import org.postgresql.core.QueryExecutorBase;
import org.postgresql.jdbc.PgConnection;

/**
 * Waits for notifications, and no longer than for the first.
 *
 * <p>The driver's own {@code getNotifications(timeout)} goes on reading until nothing has come for 1 ms. So each one costs
 * 1 ms, and while somebody commits more often than that it does not return at all: the sequencer stayed asleep through
 * 3,000 commits, each of which notified because it was asleep. Hence we wait for the first byte on the driver's stream,
 * which it does not show, and let a statement without content collect what has come. With a driver whose stream cannot be
 * reached it is its own way after all.
 */
final class Ear {
    private static final PGNotification[] NOTHING = {};

    private final Connection connection;
    private final PGConnection postgres;
    private final @Nullable QueryExecutorBase executor;
    private final @Nullable PGStream stream;

    Ear(Connection connection, PGConnection postgres) {
        this.connection = connection;
        this.postgres = postgres;
        this.executor = postgres instanceof PgConnection own && own.getQueryExecutor() instanceof QueryExecutorBase base
                ? base
                : null;
        this.stream = executor == null ? null : streamOf(executor);
    }

    private static @Nullable PGStream streamOf(QueryExecutorBase executor) {
        try {
            Field field = QueryExecutorBase.class.getDeclaredField("pgStream");
            field.setAccessible(true);
            return (PGStream) field.get(executor);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    /** Whether it returns with the first notification. */
    boolean isQuick() {
        return stream != null;
    }

    /** What was notified since the last time; waits for something up to a time. */
    PGNotification[] await(Duration most) throws SQLException {
        int millis = (int) Math.max(1, most.toMillis());
        if (executor == null || stream == null) {
            PGNotification[] heard = postgres.getNotifications(millis);
            return heard == null ? NOTHING : heard;
        }
        PGNotification[] heard = executor.getNotifications(); // those that came with the answers to statements
        if (heard.length == 0 && somethingComes(stream, millis)) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("");
            }
            heard = executor.getNotifications();
        }
        return heard;
    }

    private static boolean somethingComes(PGStream stream, int millis) throws SQLException {
        try {
            int before = stream.getNetworkTimeout();
            stream.setNetworkTimeout(millis);
            try {
                stream.peekChar();
                return true;
            } catch (SocketTimeoutException e) {
                return false;
            } finally {
                stream.setNetworkTimeout(before);
            }
        } catch (IOException e) {
            throw new SQLException("the connection is broken", "08006", e);
        }
    }
}
