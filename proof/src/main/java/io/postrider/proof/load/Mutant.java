package io.postrider.proof.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A log with one deliberate bug, each one that somebody has made in practice; a checker that misses it is worthless. It is made
 * by replacing text in a function, which fails if the text is not found.
 */
public enum Mutant {
    /**
     * Takes the snapshot before the lock, so the snapshot may be older than the previous pass. Between the two the pass waits for
     * the advisory lock in the setting mutant.gate, if the session has one.
     */
    STALE_SNAPSHOT(
            "sequence",
            "  lock table postrider.sequencing in share update exclusive mode;\n",
            "  select pg_current_snapshot() into now;\n  if current_setting('mutant.gate', true) <> '' then\n"
                    + "    perform pg_advisory_xact_lock_shared(current_setting('mutant.gate')::bigint);\n  end if;\n"
                    + "  lock table postrider.sequencing in share update exclusive mode;\n",
            "  select pg_current_snapshot() into now;\n  select s.last_value into newest",
            "  select s.last_value into newest"),
    /** A sequence that caches fifty numbers at a time. */
    CACHE_50("alter sequence postrider.event_ids cache 50"),
    /** Ids above the last one seen, of transactions below the oldest running one: what many outboxes do. */
    XMIN_FILTER(
            "fresh",
            "    and e.id > low\n",
            "    and e.id > (select coalesce(max(p.high_id), 0) from postrider.pass p)\n"
                    + "    and e.tx < pg_snapshot_xmin(pg_current_snapshot())\n",
            "    and e.id > floor\n",
            "    and false\n"),
    /** In the order of transaction ids (xids). */
    ORDER_BY_TX("place", "order by f.tx_last_id, f.id", "order by f.tx, f.id"),
    /** In the order of event ids, regardless of the transaction. */
    ORDER_BY_ID("place", "order by f.tx_last_id, f.id", "order by f.id"),
    /** The bound on ids that ignores the running transactions beyond xmax. */
    OWN_HIGH("sequence", "    low := last.high;\n", "    low := high;\n"),
    /** Ignores transactions that were running and have ended since. */
    NO_LATE("fresh", "    and e.id > floor\n", "    and false\n");

    private final String function;
    private final String[] changes;

    Mutant(String function, String... changes) {
        this.function = function;
        this.changes = changes;
    }

    /** Installs the bug in a database. */
    public void make(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(changes.length == 0 ? function : mutated());
        }
    }

    private String mutated() {
        String text = resource("/postrider/functions/" + function + ".sql");
        for (int i = 0; i < changes.length; i += 2) {
            if (!text.contains(changes[i])) {
                throw new IllegalStateException(
                        this + " does not apply any more: " + function + ".sql has no " + changes[i]);
            }
            text = text.replace(changes[i], changes[i + 1]);
        }
        return text;
    }

    private static String resource(String path) {
        try (InputStream in = Mutant.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalStateException("no " + path);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
