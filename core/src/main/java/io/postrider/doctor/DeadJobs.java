package io.postrider.doctor;

import io.postrider.db.Bind;
import io.postrider.db.Sql;
import java.util.List;

/** Jobs that died recently. */
final class DeadJobs implements Check {
    private static final Sql DEAD = Sql.file("doctor/dead_jobs");

    @Override
    public String name() {
        return "dead jobs";
    }

    @Override
    public List<Finding> look(Examination examination) {
        List<Finding> findings = examination.query(
                DEAD,
                Bind::nothing,
                row -> Finding.warn(
                        row.int8("jobs") + " jobs of queue " + row.text("queue") + " died in the last 24 h ("
                                + row.text("code") + "), the latest: " + Culprit.clean(row.text("error")),
                        "postrider jobs list " + row.text("queue") + " --state failed"));
        return findings.isEmpty() ? List.of(Finding.ok("no job died in the last 24 h")) : findings;
    }
}
