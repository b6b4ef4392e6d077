package io.postrider.work;

import io.postrider.db.Row;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why a job is waiting.
 *
 * @param until when it may run; null if it does not wait for a time
 * @param detail an explanation of the reason, with names and numbers
 */
public record Waiting(Reason reason, @Nullable Instant until, String detail) {

    /** The reason why a job is waiting. */
    public enum Reason {
        /** The job is committed and has no position yet; if that lasts, no node is sequencing. */
        NO_POSITION,
        /** The job is scheduled for a later time. */
        TIME,
        /** An attempt failed, and the next one is scheduled. */
        RETRY,
        /** Its queue is paused. */
        PAUSED,
        /** No running node works on its queue. */
        NO_WORKER,
        /** No running node handles its type. */
        NO_HANDLER,
        /** Its queue limits how many jobs of a key run at the same time, and its key has reached the limit. */
        KEY,
        /** Its queue has reached a limit. */
        LIMIT,
        /** Workers ended while the job ran; it waits until a worker can run it alone. */
        ALONE,
        /** It only waits for the jobs ahead of it. */
        BEHIND
    }

    static Waiting read(Row row) throws SQLException {
        Reason reason = Reason.valueOf(row.text("reason").toUpperCase(Locale.ROOT));
        Instant until = row.instantOrNull("until");
        Long ahead = row.int8OrNull("ahead");
        String queue = row.text("queue");
        String subject = String.valueOf(row.textOrNull("detail"));
        return new Waiting(
                reason,
                until,
                switch (reason) {
                    case NO_POSITION ->
                        "it has no position yet; if that lasts, no node is sequencing: see postrider doctor";
                    case TIME -> "it is scheduled to run at " + until;
                    case RETRY -> "its last attempt failed; it is tried again at " + until;
                    case PAUSED -> "queue " + queue + " is paused";
                    case NO_WORKER -> "no running node works on queue " + queue;
                    case NO_HANDLER -> "no running node handles type " + subject + " in queue " + queue;
                    case KEY ->
                        "its key is taken: queue " + queue + " runs at most " + subject + " jobs of a key at once";
                    case LIMIT -> "queue " + queue + " has reached its limit: " + subject;
                    case ALONE -> ahead + " workers ended while it ran; it waits until a worker can run it alone";
                    case BEHIND -> ahead == null || ahead == 0 ? "it is next" : ahead + " jobs are ahead of it";
                });
    }
}
