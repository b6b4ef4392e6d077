package io.postrider.internal.doctor.jobs;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.BlockingSession;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Queues from which nothing is claimed although they have runnable jobs and a worker with a free slot. */
public final class StuckQueues implements Check {
    private static final Sql STUCK = Sql.file("doctor/stuck_queues");

    /** A worker with a free slot claims within milliseconds, and after a failure within 5 s. */
    private static final int LONG_SECONDS = 10;

    private record Stuck(String queue, long jobs, long seconds) {
        Finding finding() {
            return Finding.fail(
                    jobs + " jobs of queue " + queue + " could run, a worker is free, and nothing was claimed for "
                            + BlockingSession.age(seconds),
                    "see claiming_failed in the logs of its nodes");
        }
    }

    @Override
    public String name() {
        return "claiming";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<Stuck> stuck = read(examination);
        if (!stuck.isEmpty()) {
            Set<String> before = new HashSet<>(stuck.stream().map(Stuck::queue).toList());
            examination.pause();
            stuck = read(examination).stream()
                    .filter(one -> before.contains(one.queue()))
                    .toList();
        }
        return stuck.isEmpty()
                ? List.of(Finding.ok("runnable jobs are being claimed"))
                : stuck.stream().map(Stuck::finding).toList();
    }

    private static List<Stuck> read(CheckContext examination) {
        return examination.query(
                STUCK,
                bind -> bind.int4("seconds", LONG_SECONDS),
                row -> new Stuck(row.text("queue"), row.int8("jobs"), row.int8("seconds")));
    }
}
