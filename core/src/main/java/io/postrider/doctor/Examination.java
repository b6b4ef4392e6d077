package io.postrider.doctor;

import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Row;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * What the checks look at.
 *
 * @param direct where a node gets its lasting connection
 * @param keep how long events are kept: a listener holds retention up only after that
 */
record Examination(Database database, Session session, DataSource direct, Duration keep) {

    /**
     * The rows of one look. Its limits hold for this look only, whatever stands between us and the server: a setting of the
     * session would stay behind in a pooler's connection. A doctor must not become the one that others wait for.
     */
    <T> List<T> query(Sql sql, Bind.Values values, Row.Reader<T> reader) {
        return within(limited -> limited.query(sql, values, reader));
    }

    /** Runs several statements of one check with the same limits. */
    <T> T within(Database.Work<T> look) {
        session.script("look", "begin; set local statement_timeout = '15s'; set local lock_timeout = '2s'");
        try {
            return look.on(session);
        } finally {
            session.script("looked", "commit");
        }
    }

    /** Waits a second before a check is repeated, because a condition may hold for only a moment. */
    void pause() {
        try {
            Thread.sleep(1_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The first row of one look. */
    <T> Optional<T> one(Sql sql, Bind.Values values, Row.Reader<T> reader) {
        return query(sql, values, reader).stream().findFirst();
    }
}
