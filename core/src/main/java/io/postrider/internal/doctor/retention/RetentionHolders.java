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

/**
 * What blocks retention: listeners that have not handled old segments, sessions that use them, open transactions of any
 * database, during which no segment is closed, and views that depend on a segment.
 */
public final class RetentionHolders implements Check {
    private static final Sql BEHIND = Sql.file("doctor/behind");
    private static final Sql HOLDERS = Sql.file("doctor/segment_holders");
    private static final Sql FLOOR_HOLDERS = Sql.file("doctor/floor_holders");
    private static final Sql DEPENDANTS = Sql.file("doctor/dependants");
    private static final int LONG_SECONDS = 600;

    private record Behind(String name, boolean paused, long events, long seconds) {
        String text() {
            return "listener " + name + (paused ? " (paused)" : "") + " has " + events
                    + " events to go in a segment closed " + BlockingSession.age(seconds) + " ago";
        }
    }

    /** A transaction that has a number and has not ended. */
    private record Open(String database, BlockingSession culprit) {
        boolean isLong() {
            return culprit.seconds() > LONG_SECONDS;
        }

        String text() {
            return "an open transaction in database " + BlockingSession.clean(database) + ", " + culprit.text();
        }

        String advice() {
            return culprit.remedy() + (culprit.pid() == null ? ", connected to that database" : "");
        }
    }

    @Override
    public String name() {
        return "retention";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<Finding> findings = new ArrayList<>();
        List<Behind> behind = examination.query(
                BEHIND,
                Bind::nothing,
                row -> new Behind(row.text("name"), row.bool("paused"), row.int8("events"), row.int8("seconds")));
        behind.stream()
                .filter(one -> one.seconds() > examination.keep().toSeconds())
                .forEach(one -> findings.add(Finding.warn(
                        "held back by " + one.text(),
                        "let it catch up, or resume it; otherwise retention detaches it after"
                                + " the patience time (30 days by default)")));
        examination
                .query(HOLDERS, bind -> bind.millis("keep", examination.keep()), BlockingSession::read)
                .forEach(culprit ->
                        findings.add(Finding.warn("an old segment is in use by " + culprit.text(), culprit.remedy())));
        List<Open> open = examination.query(
                FLOOR_HOLDERS,
                bind -> bind.int4("seconds", LONG_SECONDS),
                row -> new Open(row.text("database"), BlockingSession.read(row)));
        open.stream()
                .filter(Open::isLong)
                .forEach(one -> findings.add(
                        Finding.warn("no segment can be closed and emptied because of " + one.text(), one.advice())));
        findings.addAll(examination.query(DEPENDANTS, Bind::nothing, RetentionHolders::dependant));
        if (findings.isEmpty()) {
            findings.add(Finding.ok((behind.isEmpty()
                            ? "no listener holds it back"
                            : "not yet held back; " + behind.get(0).text())
                    + open.stream().findFirst().map(one -> "; " + one.text()).orElse("")));
        }
        return findings;
    }

    private static Finding dependant(Row row) throws SQLException {
        String owner = row.text("owner");
        return Finding.warn(
                "table " + row.text("name") + " is emptied and detached, and cannot be dropped because "
                        + BlockingSession.clean(row.text("what"))
                        + (owner.isEmpty() ? "" : " of role " + BlockingSession.clean(owner)) + " depends on it",
                "drop what depends on it; if that is temporary, it ends with its session. Create views on the views of the"
                        + " schema, such as events, and not on a partition");
    }
}
