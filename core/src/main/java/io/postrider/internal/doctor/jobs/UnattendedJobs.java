package io.postrider.internal.doctor.jobs;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.BlockingSession;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.ArrayList;
import java.util.List;

/** Jobs that no running node will run: no worker is on their queue, or none handles their type. */
public final class UnattendedJobs implements Check {
    private static final Sql QUEUES = Sql.file("doctor/orphan_queues");
    private static final Sql TYPES = Sql.file("doctor/unhandled_types");

    /** Time for a node to start. */
    private static final int LONG_SECONDS = 10;

    @Override
    public String name() {
        return "queues";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<Finding> findings = new ArrayList<>(examination.query(
                QUEUES,
                bind -> bind.int4("seconds", LONG_SECONDS),
                row -> Finding.warn(
                        row.int8("depth") + " jobs wait in queue " + row.text("name") + ", the oldest for "
                                + BlockingSession.age(row.int8("seconds")) + ", and no running node works on it",
                        row.text("worked_on").isEmpty()
                                ? "start a node with a worker on it"
                                : "check the name, or start a node with a worker on it; nodes work on: "
                                        + row.text("worked_on"))));
        findings.addAll(examination.query(
                TYPES,
                Bind::nothing,
                row -> Finding.warn(
                        row.int8("jobs") + " jobs of type " + row.text("type") + " wait in queue " + row.text("queue")
                                + ", the oldest for " + BlockingSession.age(row.int8("seconds"))
                                + ", and no running node handles that type",
                        "check the type, or deploy a worker with handling(\"" + row.text("type") + "\", …)")));
        return findings.isEmpty() ? List.of(Finding.ok("every waiting job has a worker")) : findings;
    }
}
