package io.postrider.internal.doctor.jobs;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Claimed and unsettled jobs whose worker is not alive: they do not run. */
public final class OrphanedClaims implements Check {
    private static final Sql UNDONE = Sql.file("doctor/undone_claims");

    private record Undone(long worker, String topic, long jobs, Instant since) {
        Finding finding() {
            return Finding.fail(
                    jobs + " jobs of " + topic + " have been claimed by worker " + worker + " since " + since
                            + ", but no live worker holds them",
                    "start a node that works on jobs; if one runs, restart it, and run `postrider verify`");
        }

        String key() {
            return worker + " " + topic;
        }
    }

    @Override
    public String name() {
        return "claims";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<Undone> undone = read(examination);
        if (!undone.isEmpty()) {
            // A worker that has just ended is taken over within about two seconds.
            Set<String> before = new HashSet<>(undone.stream().map(Undone::key).toList());
            examination.pause();
            examination.pause();
            examination.pause();
            undone = read(examination).stream()
                    .filter(one -> before.contains(one.key()))
                    .toList();
        }
        return undone.isEmpty()
                ? List.of(Finding.ok("every open claim has a live worker"))
                : undone.stream().map(Undone::finding).toList();
    }

    private static List<Undone> read(CheckContext examination) {
        return examination.query(
                UNDONE,
                Bind::nothing,
                row -> new Undone(row.int8("worker"), row.text("topic"), row.int8("jobs"), row.instant("since")));
    }
}
