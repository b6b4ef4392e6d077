package io.postrider.internal.doctor.jobs;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.BlockingSession;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** Jobs that became dead letters recently. */
public final class DeadJobs implements Check {
    private static final Sql DEAD = Sql.file("doctor/dead_jobs");

    @Override
    public String name() {
        return "dead jobs";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<Finding> findings = examination.query(
                DEAD,
                Bind::nothing,
                row -> Finding.warn(
                        row.int8("jobs") + " jobs of queue " + row.text("queue") + " died in the last 24 h ("
                                + row.text("code") + "), the latest: " + BlockingSession.clean(row.text("error")),
                        "postrider jobs list " + row.text("queue") + " --state failed"));
        return findings.isEmpty() ? List.of(Finding.ok("no job died in the last 24 h")) : findings;
    }
}
