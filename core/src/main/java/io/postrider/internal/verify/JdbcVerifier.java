package io.postrider.internal.verify;

import io.postrider.admin.Verifier;
import io.postrider.admin.VerifyResult;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Verifies from the database that every committed event has exactly one position, that positions are dense, that transactions are
 * complete, that every ledger is contiguous and that every claimed job is settled once. The server does the work one segment at a
 * time and returns only counts.
 *
 * <p>All checks use one snapshot, so they may run while nodes work. They lock the segments as a dump does, because TRUNCATE is
 * not MVCC-safe.
 */
public final class JdbcVerifier implements Verifier {
    private static final Sql SEGMENTS = Sql.file("verify/segments");
    private static final Sql PLACED = Sql.file("verify/placed");
    private static final Sql MISPLACED = Sql.file("verify/misplaced");
    private static final Sql DENSE = Sql.file("verify/dense");
    private static final Sql SPARSE = Sql.file("verify/sparse");
    private static final Sql WHOLE = Sql.file("verify/whole");
    private static final Sql LEDGERS = Sql.file("verify/ledgers");
    private static final Sql JOBS = Sql.file("verify/jobs");

    /** The maximum number of offenders shown. */
    private static final int FEW = 5;

    private final Database database;

    public JdbcVerifier(Database database) {
        this.database = database.unlimited(); // it reads the whole log
    }

    @Override
    public List<VerifyResult> verify(Consumer<String> progress) {
        return database.autocommit(session -> {
            session.script("begin", "begin isolation level repeatable read, read only");
            try {
                // The lock comes first: the snapshot is taken by the first query after it.
                session.script(
                        "lock_segments",
                        "lock table postrider.event, postrider.log, postrider.delivery,"
                                + " postrider.head, postrider.pass, postrider.claim, postrider.settlement,"
                                + " postrider.finish in access share mode");
                List<VerifyResult> proofs = new ArrayList<>();
                proofs.add(placed(session, progress));
                progress.accept("positions");
                proofs.add(dense(session));
                progress.accept("transactions");
                proofs.add(whole(session));
                progress.accept("ledgers");
                proofs.add(ledgers(session));
                progress.accept("jobs");
                proofs.add(jobs(session));
                return proofs;
            } finally {
                session.script("rollback", "rollback");
            }
        });
    }

    // ── every committed event has exactly one position ──────────────────────────────────────────────────────────────

    private static VerifyResult placed(Session session, Consumer<String> progress) {
        record Range(long low, long high) {}
        List<Range> ranges =
                session.query(SEGMENTS, Bind::nothing, row -> new Range(row.int8("low"), row.int8("high")));
        Placed sum = new Placed(0, 0, 0, 0, 0);
        List<String> offenders = new ArrayList<>();
        for (int i = 0; i < ranges.size(); i++) {
            progress.accept("events, segment " + (i + 1) + " of " + ranges.size());
            Range range = ranges.get(i);
            Placed placed = placed(session, range.low(), range.high());
            sum = sum.plus(placed);
            if (placed.violations() > 0 && offenders.size() < FEW) {
                offenders.addAll(misplaced(session, range.low(), range.high(), FEW - offenders.size()));
            }
        }
        String note = sum.waiting() == 0 ? "" : sum.waiting() + " not placed yet";
        return new VerifyResult(
                "events",
                "every committed event has exactly one position",
                sum.events(),
                sum.violations(),
                offenders,
                note);
    }

    private static Placed placed(Session session, long low, long high) {
        return session.one(
                        PLACED,
                        bind -> bind.int8("low", low).int8("high", high),
                        row -> new Placed(
                                row.int8("events"),
                                row.int8("lost"),
                                row.int8("waiting"),
                                row.int8("repeated"),
                                row.int8("empty")))
                .orElseThrow();
    }

    private static List<String> misplaced(Session session, long low, long high, int most) {
        return session.query(
                MISPLACED,
                bind -> bind.int8("low", low).int8("high", high).int4("most", most),
                row -> row.text("topic") + " tx " + row.text("tx") + " id " + row.int8("id") + " "
                        + row.text("event_id") + ": " + row.text("what") + " " + row.text("positions"));
    }

    private record Placed(long events, long lost, long waiting, long repeated, long empty) {
        long violations() {
            return lost + repeated + empty;
        }

        Placed plus(Placed more) {
            return new Placed(
                    events + more.events,
                    lost + more.lost,
                    waiting + more.waiting,
                    repeated + more.repeated,
                    empty + more.empty);
        }
    }

    // ── positions are dense ─────────────────────────────────────────────────────────────────────────────────────────

    private static VerifyResult dense(Session session) {
        record Dense(long topics, long positions, long holes, long repeats, long thinned, long heads) {}
        Dense dense = session.one(
                        DENSE,
                        Bind::nothing,
                        row -> new Dense(
                                row.int8("topics"),
                                row.int8("positions"),
                                row.int8("holes"),
                                row.int8("repeats"),
                                row.int8("thinned"),
                                row.int8("heads")))
                .orElseThrow();
        long violations = dense.holes() + dense.repeats() + dense.heads();
        List<String> offenders = violations == 0
                ? List.of()
                : session.query(
                        SPARSE,
                        bind -> bind.int4("most", FEW),
                        row -> row.text("topic") + " position " + row.int8("position") + ": " + row.text("what"));
        String note = dense.topics()
                + (dense.topics() == 1 ? " topic" : " topics")
                + (dense.thinned() == 0 ? "" : ", " + dense.thinned() + " gaps left by retention");
        return new VerifyResult(
                "positions",
                "the positions of a topic are dense, up to its head",
                dense.positions(),
                violations,
                offenders,
                note);
    }

    // ── transactions are complete, ledgers contiguous ───────────────────────────────────────────────────────────────

    private static VerifyResult whole(Session session) {
        return session.one(
                        WHOLE,
                        Bind::nothing,
                        row -> new VerifyResult(
                                "transactions",
                                "the events of a transaction are side by side in each topic",
                                row.int8("transactions"),
                                row.int8("torn"),
                                row.texts("offenders"),
                                ""))
                .orElseThrow();
    }

    private static VerifyResult ledgers(Session session) {
        return session.one(
                        LEDGERS,
                        Bind::nothing,
                        row -> new VerifyResult(
                                "ledgers",
                                "every listener's progress has no gap and does not go beyond the head",
                                row.int8("ranges"),
                                row.int8("broken") + row.int8("astray"),
                                row.texts("offenders"),
                                row.int8("listeners") + (row.int8("listeners") == 1 ? " listener" : " listeners")))
                .orElseThrow();
    }

    private static VerifyResult jobs(Session session) {
        return session.one(
                        JOBS,
                        Bind::nothing,
                        row -> new VerifyResult(
                                "jobs",
                                "every claimed job is settled once",
                                row.int8("jobs"),
                                row.int8("wrong"),
                                row.texts("offenders"),
                                row.int8("lanes") + (row.int8("lanes") == 1 ? " lane" : " lanes")))
                .orElseThrow();
    }
}
