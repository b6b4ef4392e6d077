package io.postrider.internal.listen;

import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import java.util.List;

/**
 * The time in which this node runs a listener: a row of the table {@code tenure}, from an acquisition of the listener's lock until
 * it ends in order. A crash leaves the row open, and the next tenure is careful. Not thread-safe.
 */
final class Tenure {
    private static final Sql BEGIN = Sql.file("listen/begin_tenure");
    private static final Sql LOCK = Sql.file("listen/lock_tenure");
    private static final Sql END = Sql.file("listen/end_tenure");
    private static final Sql END_GHOSTS = Sql.file("listen/end_ghosts");

    private final Database database;
    private final String listener;
    private final String node;
    private long row;
    private long acquisition = Assignment.NOT_ACQUIRED;
    private boolean afterCrash;

    Tenure(Database database, String listener, String node) {
        this.database = database;
        this.listener = listener;
        this.node = node;
    }

    /** The row of the tenure that is under way, or of the last one. */
    long row() {
        return row;
    }

    boolean isUnderWay() {
        return acquisition != Assignment.NOT_ACQUIRED;
    }

    /** Whether the tenure under way began with this acquisition of the lock. */
    boolean isOf(long lockAcquisition) {
        return acquisition == lockAcquisition;
    }

    /**
     * Writes the row. The tenure is under way only after {@link #complete}. Under a shared lock: a switch to shadow mode
     * either sees the row and asks this node, or is seen when the state is read after this.
     */
    void begin() {
        record Begun(long row, long openRow) {}
        Begun begun = database.transaction(session -> {
            session.query(LOCK, bind -> bind.text("listener", listener), row -> true);
            return session.one(
                            BEGIN,
                            bind -> bind.text("listener", listener).text("worker", node),
                            row -> new Begun(row.int8("n"), row.int8("cut_n")))
                    .orElseThrow();
        });
        // An open row of our own is no crash: this process has lived on. Accumulated, because if the next step fails,
        // the next call finds our own row.
        afterCrash |= begun.openRow() != 0 && begun.openRow() != row;
        row = begun.row();
    }

    /** Whether the previous tenure did not end cleanly. Called between {@link #begin} and {@link #complete}. */
    boolean isAfterCrash() {
        return afterCrash;
    }

    /** Ends sessions of earlier tenures that are frozen in the middle of a transaction and hold locks on rows that we need. */
    List<Integer> endGhosts() {
        return database.autocommit(session -> session.query(
                END_GHOSTS, bind -> bind.text("listener", listener).int8("tenure", row), row -> row.int4("pid")));
    }

    /** The state of the listener has been read: from now on the tenure is under way. */
    void complete(long lockAcquisition) {
        acquisition = lockAcquisition;
        afterCrash = false;
    }

    /** The listener does not run here any more. Followed by {@link #end}, unless the database is unreachable. */
    void leave() {
        acquisition = Assignment.NOT_ACQUIRED;
    }

    void end() {
        database.transaction(session ->
                session.update(END, bind -> bind.text("listener", listener).int8("n", row)));
    }
}
