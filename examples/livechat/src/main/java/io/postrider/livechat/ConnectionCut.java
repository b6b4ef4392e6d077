package io.postrider.livechat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends every database connection of this application: those to this database, with this role and this {@code application_name}, in
 * all its processes. Sessions of other applications and in other databases go on.
 */
final class ConnectionCut {
    private static final Logger log = LoggerFactory.getLogger(ConnectionCut.class);

    private static final String OTHERS = "select count(*) filter (where ended) as n, clock_timestamp() as now from ("
            + " select pg_terminate_backend(a.pid) as ended from pg_stat_activity a"
            + " where a.datname = current_database() and a.usename = current_user"
            + " and a.application_name = current_setting('application_name')"
            + " and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()) a";

    private final DataSource dataSource;
    private volatile @Nullable Cut last;

    ConnectionCut(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * A cut.
     *
     * @param at by the database's clock
     * @param connections how many were ended
     */
    record Cut(Instant at, long connections) {}

    /** Null: there was none. */
    @Nullable
    Cut last() {
        return last;
    }

    Cut all() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Cut cut = Rows.one(connection, OTHERS, row -> new Cut(Rows.instant(row, "now"), row.getLong("n") + 1))
                    .orElseThrow();
            last = cut;
            endOwn(connection);
            return cut;
        }
    }

    private static void endOwn(Connection connection) {
        try {
            Rows.query(connection, "select pg_terminate_backend(pg_backend_pid())", row -> row.getBoolean(1));
        } catch (SQLException e) {
            log.debug("own_connection_ended", e); // as asked
        }
    }
}
