package io.postrider.internal.jobs;

import io.postrider.admin.WaitReason;
import io.postrider.admin.WaitReason.Reason;
import io.postrider.internal.db.Row;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Locale;

/** Explains why a job is waiting, from its state in the database. */
final class WaitReasons {
    private WaitReasons() {}

    static WaitReason read(Row row) throws SQLException {
        Reason reason = Reason.valueOf(row.text("reason").toUpperCase(Locale.ROOT));
        Instant until = row.instantOrNull("until");
        Long ahead = row.int8OrNull("ahead");
        String queue = row.text("queue");
        String subject = String.valueOf(row.textOrNull("detail"));
        return new WaitReason(
                reason,
                until,
                switch (reason) {
                    case NO_POSITION ->
                        "it has no position yet; if that lasts, no node assigns positions: see postrider doctor";
                    case TIME -> "it is scheduled to run at " + until;
                    case RETRY -> "its last attempt failed; it is tried again at " + until;
                    case PAUSED -> "queue " + queue + " is paused";
                    case NO_WORKER -> "no running node works on queue " + queue;
                    case NO_HANDLER -> "no running node handles type " + subject + " in queue " + queue;
                    case KEY ->
                        "the limit per key of queue " + queue + " is " + subject + ", and its key has reached it";
                    case LIMIT -> "queue " + queue + " has reached its limit: " + subject;
                    case ALONE -> ahead + " workers ended while they held it; it waits until a worker can run it alone";
                    case BEHIND -> ahead == null || ahead == 0 ? "it is next" : ahead + " jobs are ahead of it";
                });
    }
}
