package io.postrider.internal.settle;

import io.postrider.internal.claim.HeldJob;
import java.util.List;

/**
 * A job that has ended on this node and is to be settled.
 *
 * @param cancelRequested whether its cancellation was requested
 * @param ownRow whether it is settled in a row of its own: its handler's transaction may have written that row already without this
 *     node having received the answer to its commit. Then the primary key shows it
 * @param nanos how long it ran; {@link #NOT_STARTED} if it did not
 */
public record EndedJob(HeldJob heldJob, Outcome outcome, boolean cancelRequested, boolean ownRow, long nanos) {
    private static final long NOT_STARTED = -1;

    /** A job that was not started here. */
    public EndedJob(HeldJob heldJob, Outcome outcome) {
        this(heldJob, outcome, outcome instanceof Outcome.Cancelled, false, NOT_STARTED);
    }

    public boolean isStarted() {
        return nanos != NOT_STARTED;
    }

    /** The same job with another outcome. */
    EndedJob with(Outcome other) {
        return new EndedJob(heldJob, other, cancelRequested, ownRow, nanos);
    }

    long position() {
        return heldJob.job().position();
    }

    static List<String> topics(List<EndedJob> jobs) {
        return jobs.stream().map(one -> one.heldJob().topic()).toList();
    }

    static List<Long> positions(List<EndedJob> jobs) {
        return jobs.stream().map(EndedJob::position).toList();
    }
}
