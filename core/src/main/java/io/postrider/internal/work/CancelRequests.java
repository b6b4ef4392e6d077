package io.postrider.internal.work;

import io.postrider.PostriderException;
import io.postrider.internal.claim.HeldJob;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the jobs of this node whose cancellation was requested, and cancels them. Safe to share. */
final class CancelRequests {
    private static final Logger log = LoggerFactory.getLogger(CancelRequests.class);
    private static final Sql CANCELLED = Sql.file("work/cancelled");

    private final Database database;
    private final Collection<QueueRun> runs;

    /** @param runs the queues of this node, as they are added */
    CancelRequests(Database database, Collection<QueueRun> runs) {
        this.database = database;
        this.runs = runs;
    }

    private record Request(HeldJob.Place place, String reason) {}

    void check() {
        Map<HeldJob.Place, JobRun> places = new HashMap<>();
        for (QueueRun run : runs) {
            run.jobRun().running().forEach(place -> places.put(place, run.jobRun()));
            run.waiting().forEach(heldJob -> places.put(heldJob.place(), run.jobRun()));
        }
        if (places.isEmpty()) {
            return;
        }
        try {
            for (Request one : requests(List.copyOf(places.keySet()))) {
                JobRun run = places.get(one.place());
                if (run != null) {
                    run.cancel(one.place(), one.reason());
                }
            }
        } catch (PostriderException e) {
            log.warn("cancelling_failed error=\"{}\"", e.getMessage());
        }
    }

    private List<Request> requests(List<HeldJob.Place> places) {
        return database.autocommit(session -> session.query(
                CANCELLED,
                bind -> bind.texts(
                                "topics",
                                places.stream().map(HeldJob.Place::topic).toList())
                        .int8s(
                                "positions",
                                places.stream().map(HeldJob.Place::position).toList()),
                row -> new Request(new HeldJob.Place(row.text("topic"), row.int8("position")), row.text("reason"))));
    }
}
