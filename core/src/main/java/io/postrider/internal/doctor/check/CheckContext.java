package io.postrider.internal.doctor.check;

import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Row;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The connection and the settings of a check.
 *
 * @param direct the source of the node's session connection, without a pooler
 * @param keep how long events are kept; a listener blocks retention only after that
 */
public record CheckContext(Database database, Session session, DataSource direct, Duration keep) {

    /**
     * Runs one query with timeouts, so that the doctor does not block others. The timeouts are local to the transaction: a
     * session setting would remain on a pooler's connection.
     */
    public <T> List<T> query(Sql sql, Bind.Values values, Row.Reader<T> reader) {
        return within(limited -> limited.query(sql, values, reader));
    }

    /** Runs several statements of one check with the same limits. */
    public <T> T within(Database.Work<T> look) {
        session.script("look", "begin; set local statement_timeout = '15s'; set local lock_timeout = '2s'");
        try {
            return look.on(session);
        } finally {
            session.script("looked", "commit");
        }
    }

    /** Waits a second before a check is repeated, because a condition may hold for only a moment. */
    public void pause() {
        try {
            Thread.sleep(1_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The first row of one query. */
    public <T> Optional<T> one(Sql sql, Bind.Values values, Row.Reader<T> reader) {
        return query(sql, values, reader).stream().findFirst();
    }
}
