package io.postrider.internal.doctor.progress;

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
import java.util.Objects;

/** Sessions that hold a lock of the nodes without permission, or that block others on our tables. */
public final class LockHolders implements Check {
    private static final Sql INTRUDERS = Sql.call(
            "doctor/intruders",
            "select i.pid, i.gid, i.role, i.application, i.locked, i.seconds from postrider.intruders() i"
                    + " order by i.seconds desc limit 5");
    private static final String UNINTERRUPTIBLE =
            "; if it stays, termination has no effect until its current statement checks for interrupts or ends";
    private static final Sql BLOCKERS = Sql.file("doctor/blockers");

    @Override
    public String name() {
        return "locks";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<Finding> findings = new ArrayList<>(examination.query(INTRUDERS, Bind::nothing, LockHolders::intruder));
        if (findings.isEmpty()) {
            findings.addAll(examination.query(BLOCKERS, Bind::nothing, LockHolders::blocker));
        }
        return findings.isEmpty() ? List.of(Finding.ok("no session blocks others on a table or a lock")) : findings;
    }

    private static Finding intruder(Row row) throws SQLException {
        BlockingSession culprit = new BlockingSession(
                row.int8OrNull("pid"),
                row.text("role"),
                row.text("application"),
                "",
                row.int8("seconds"),
                Objects.requireNonNullElse(row.textOrNull("gid"), ""));
        return Finding.fail(
                "holds or waits for the " + row.text("locked") + " without the rights of a node: " + culprit.text(),
                culprit.remedy() + (culprit.pid() == null ? "" : UNINTERRUPTIBLE));
    }

    private static Finding blocker(Row row) throws SQLException {
        BlockingSession culprit = BlockingSession.read(row);
        return Finding.warn(
                "keeps " + row.int8("waiting") + " sessions waiting for " + row.text("locked") + ": " + culprit.text(),
                culprit.remedy());
    }
}
