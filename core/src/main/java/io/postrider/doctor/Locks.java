package io.postrider.doctor;

import io.postrider.db.Bind;
import io.postrider.db.Row;
import io.postrider.db.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Who holds a lock of the nodes without the right to, and who else keeps sessions waiting for our tables. */
final class Locks implements Check {
    private static final Sql INTRUDERS = Sql.call(
            "intruders",
            "select i.pid, i.gid, i.role, i.application, i.locked, i.seconds from postrider.intruders() i"
                    + " order by i.seconds desc limit 5");
    private static final Sql BLOCKERS = Sql.file("doctor/blockers");

    @Override
    public String name() {
        return "locks";
    }

    @Override
    public List<Finding> look(Examination examination) {
        List<Finding> findings = new ArrayList<>(examination.query(INTRUDERS, Bind::nothing, Locks::intruder));
        if (findings.isEmpty()) {
            findings.addAll(examination.query(BLOCKERS, Bind::nothing, Locks::blocker));
        }
        return findings.isEmpty() ? List.of(Finding.ok("nobody keeps others waiting for a table or a lock")) : findings;
    }

    private static Finding intruder(Row row) throws SQLException {
        Culprit culprit = new Culprit(
                row.int8OrNull("pid"),
                row.text("role"),
                row.text("application"),
                "",
                row.int8("seconds"),
                Objects.requireNonNullElse(row.textOrNull("gid"), ""));
        return Finding.fail(
                "holds or waits for the " + row.text("locked") + " without the rights of a node: " + culprit.text(),
                culprit.remedy());
    }

    private static Finding blocker(Row row) throws SQLException {
        Culprit culprit = Culprit.read(row);
        return Finding.warn(
                "keeps " + row.int8("waiting") + " sessions waiting for " + row.text("locked") + ": " + culprit.text(),
                culprit.remedy());
    }
}
