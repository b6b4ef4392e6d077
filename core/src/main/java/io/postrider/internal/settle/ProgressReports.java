package io.postrider.internal.settle;

import io.postrider.internal.claim.HeldJob;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The progress that running jobs report. A report is deleted in the transaction that settles its job; jobs that have reported
 * nothing, which are almost all, cost no statement. Safe to share.
 */
public final class ProgressReports {
    private static final Sql REPORT = Sql.file("settle/report");
    private static final Sql FORGET = Sql.call(
            "settle/forget_progress",
            "select postrider.forget_progress(:topics, :positions)::pg_catalog.text as forgotten");

    private final Database database;

    /** Jobs that have reported and have not ended. */
    private final Set<HeldJob.Place> reported = ConcurrentHashMap.newKeySet();

    public ProgressReports(Database database) {
        this.database = database;
    }

    /** A running job reports how far it is. */
    public void report(HeldJob.Place place, int percent, @Nullable String note) {
        reported.add(place);
        database.autocommit(session -> session.update(
                REPORT,
                bind -> bind.text("topic", place.topic())
                        .int8("position", place.position())
                        .int4("percent", percent)
                        .text("note", note)));
    }

    /** Deletes the reports of these jobs. */
    void delete(Session session, List<EndedJob> jobs) {
        if (reported.isEmpty()) {
            return;
        }
        List<EndedJob> withReport = jobs.stream()
                .filter(one -> reported.contains(one.heldJob().place()))
                .toList();
        if (!withReport.isEmpty()) {
            session.call(
                    FORGET,
                    bind -> bind.texts("topics", EndedJob.topics(withReport))
                            .int8s("positions", EndedJob.positions(withReport)));
        }
    }

    /** The reports of these jobs are deleted, and that is committed. */
    void deleted(List<EndedJob> jobs) {
        if (!reported.isEmpty()) {
            jobs.forEach(one -> reported.remove(one.heldJob().place()));
        }
    }
}
