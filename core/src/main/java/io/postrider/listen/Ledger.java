package io.postrider.listen;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.db.Database;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of one listener: where it stands, who runs it, what is finished. The statements about it; what is decided by them
 * is decided in the ride.
 */
final class Ledger {
    private static final Sql DELIVER = Sql.file("listen/deliver");
    private static final Sql STANDS_AT =
            Sql.call("stands_at", "select postrider.stands_at(:listener, :position, :upto, :era) as stands");
    private static final Sql LISTENER = Sql.file("listen/listener");
    private static final Sql BEGIN_TENURE = Sql.file("listen/begin_tenure");
    private static final Sql END_TENURE = Sql.file("listen/end_tenure");
    private static final Sql END_GHOSTS = Sql.file("listen/end_ghosts");

    private final Database database;
    private final String listener;
    private final String worker;
    private long tenure;

    Ledger(Database database, String listener, String worker) {
        this.database = database;
        this.listener = listener;
        this.worker = worker;
    }

    /**
     * Where the listener stands.
     *
     * @param startRow the row of its last starting point: another one means that somebody has reset it
     * @param course how many starting points it has had
     * @param tries how often its sink was tried in vain, if it is a relay whose sink is away
     * @param away how long its sink is left alone from now on
     */
    record Place(long cursor, long startRow, int era, long course, int tries, Duration away) {}

    Place place(Session session) {
        return session.one(
                        LISTENER,
                        bind -> bind.text("listener", listener),
                        row -> new Place(
                                row.int8("cursor"),
                                row.int8("start_row"),
                                row.int4("era"),
                                row.int8("course"),
                                row.int4("unavailable_tries"),
                                Duration.ofMillis(row.int8("unavailable_millis"))))
                .orElseThrow(() ->
                        new PostriderException(Kind.NOT_FOUND, "listener " + listener + " is gone from the database"));
    }

    // ── tenure ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /** The row of the tenure that is under way, or was last. */
    long tenure() {
        return tenure;
    }

    /** Begins one. Whether the one before did not end in order, and was not our own: this process has lived on. */
    boolean beginTenure() {
        record Begun(long row, long cutRow) {}
        Begun begun = database.transaction(session -> session.one(
                        BEGIN_TENURE,
                        bind -> bind.text("listener", listener).text("worker", worker),
                        row -> new Begun(row.int8("n"), row.int8("cut_n")))
                .orElseThrow());
        boolean wasCut = begun.cutRow() != 0 && begun.cutRow() != tenure;
        tenure = begun.row();
        return wasCut;
    }

    /** Ends what is left of those before us: frozen in the middle of a transaction, with rows locked that we need. */
    List<Integer> endGhosts() {
        return database.autocommit(session -> session.query(
                END_GHOSTS, bind -> bind.text("listener", listener).int8("tenure", tenure), row -> row.int4("pid")));
    }

    void endTenure() {
        database.transaction(session -> session.update(
                END_TENURE, bind -> bind.text("listener", listener).int8("n", tenure)));
    }

    // ── what is finished ────────────────────────────────────────────────────────────────────────────────────────────

    /** Whether the cursor is still where we believe it, and the position of this log; it stays so for this transaction. */
    boolean standsAt(Session session, long cursor, long upto, int era) {
        return session.one(
                        STANDS_AT,
                        bind -> bind.text("listener", listener)
                                .int8("position", cursor)
                                .int8("upto", upto)
                                .int4("era", era),
                        row -> row.bool("stands"))
                .orElse(false);
    }

    /** Positions that are finished. */
    record Range(long from, long to, int events, int era) {}

    /**
     * Writes that a range is finished; false if the listener is not where we believed, and then all is to be rolled back.
     *
     * @param inTenure the mark that the handler's transaction was begun with; null where there is none
     */
    boolean deliver(Session session, Range range, @Nullable Long inTenure) {
        return session.one(
                        DELIVER,
                        bind -> bind.text("listener", listener)
                                .int8("from_position", range.from())
                                .int8("to_position", range.to())
                                .int4("events", range.events())
                                .text("worker", worker)
                                .int4("era", range.era())
                                .int8OrNull("tenure", inTenure),
                        row -> row.bool("delivered"))
                .orElse(false);
    }
}
