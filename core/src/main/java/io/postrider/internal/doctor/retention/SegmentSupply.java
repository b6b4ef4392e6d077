package io.postrider.internal.doctor.retention;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Row;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.BlockingSession;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Segments exist in advance, none has overflowed, and the lock table of the server is large enough for them. */
public final class SegmentSupply implements Check {
    private static final Sql SEGMENTS = Sql.file("doctor/segments");
    private static final Sql BEYOND = Sql.file("doctor/beyond");
    private static final Sql HOLDERS = Sql.file("doctor/beyond_holders");
    private static final Sql LOCKS = Sql.file("doctor/locks");

    /** With room for fewer concurrent statements than this, a busy server runs out of locks. */
    private static final int FEW_STATEMENTS = 32;

    /** With room for fewer statements than this, even a single node runs out of locks. */
    private static final int TOO_FEW_STATEMENTS = 8;

    @Override
    public String name() {
        return "segments";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<Finding> findings = new ArrayList<>();
        Finding ahead = ahead(examination);
        findings.add(ahead);
        if (ahead.level() != Finding.Level.OK) {
            findings.addAll(examination.query(HOLDERS, Bind::nothing, SegmentSupply::holder));
        }
        findings.addAll(
                examination.query(LOCKS, Bind::nothing, row -> new Locks(row.int8("needed"), row.int8("room"))).stream()
                        .map(Locks::finding)
                        .flatMap(Optional::stream)
                        .toList());
        record Beyond(String name, long rows) {}
        examination
                .query(BEYOND, Bind::nothing, row -> new Beyond(row.text("name"), row.int8("rows")))
                .forEach(beyond -> findings.add(Finding.warn(
                        (beyond.rows() >= 1_000 ? "1000 rows or more" : beyond.rows() + " rows")
                                + " in " + beyond.name()
                                + ": no node created segments in time",
                        "nothing is lost: retention removes these rows with the next segment."
                                + " Keep a node running as the owner's role")));
        return findings;
    }

    private static Finding holder(Row row) throws SQLException {
        BlockingSession culprit = BlockingSession.read(row);
        return Finding.warn(
                "no segment can be created while " + row.text("tables") + " is locked by " + culprit.text(),
                culprit.remedy());
    }

    private static Finding ahead(CheckContext examination) {
        record Family(String name, long ahead, long kept) {}
        List<Family> families = examination.query(
                SEGMENTS, Bind::nothing, row -> new Family(row.text("family"), row.int8("ahead"), row.int8("kept")));
        String text = families.stream()
                .map(family -> family.name() + " " + family.ahead() + " created ahead (" + family.kept() + " kept)")
                .collect(Collectors.joining(", "));
        return families.stream().allMatch(family -> family.ahead() > 0)
                ? Finding.ok(text)
                : Finding.warn(
                        text + ": the last one is in use",
                        "keep a node running as the owner's role; see rights to migrate");
    }

    /** A statement on the log locks all segments and their indexes; all sessions share one table of locks. */
    private record Locks(long needed, long room) {
        Optional<Finding> finding() {
            if (needed * FEW_STATEMENTS <= room) {
                return Optional.empty();
            }
            String text = "a statement on the log locks " + needed + " tables and indexes, and the server has room for "
                    + room + " locks: " + room / needed + " statements at once exhaust it";
            String advice = "multiply max_locks_per_transaction by " + (needed * FEW_STATEMENTS / room + 1)
                    + " and restart; see retention for what keeps old segments";
            return Optional.of(
                    needed * TOO_FEW_STATEMENTS > room ? Finding.fail(text, advice) : Finding.warn(text, advice));
        }
    }
}
