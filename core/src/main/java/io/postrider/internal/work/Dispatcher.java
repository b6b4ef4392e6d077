package io.postrider.internal.work;

import io.postrider.Worker;
import io.postrider.internal.claim.FoundJob;
import io.postrider.internal.claim.HeldJob;
import io.postrider.internal.settle.DelayReason;
import io.postrider.internal.settle.EndedJob;
import io.postrider.internal.settle.Outcome;
import io.postrider.internal.settle.Settler;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands out the claimed jobs of one queue: to the slots if they can run now, else to the settler with an outcome. Safe to share. */
final class Dispatcher {
    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

    private final Worker worker;
    private final Slots slots;
    private final DelayedJobs delayedJobs;
    private final Settler settler;
    private volatile boolean running = true;

    Dispatcher(Worker worker, Slots slots, DelayedJobs delayedJobs, Settler settler) {
        this.worker = worker;
        this.slots = slots;
        this.delayedJobs = delayedJobs;
        this.settler = settler;
    }

    /** From now on, jobs are returned instead of being started. */
    void stop() {
        running = false;
    }

    void dispatch(List<FoundJob> found) {
        int ready = 0;
        for (FoundJob one : found) {
            if (canRun(one)) {
                slots.add(one.heldJob());
                ready++;
            }
        }
        slots.start(ready);
    }

    /** Whether a job can run now. One that cannot is settled. */
    private boolean canRun(FoundJob one) {
        HeldJob heldJob = one.heldJob();
        if (one.hold() == FoundJob.Hold.NEVER_DUE) {
            bury(heldJob, "bad_row", "due_at is out of range; it must be before the year 10000");
        } else if (one.hold() == FoundJob.Hold.UNREADABLE) {
            bury(heldJob, "unreadable", "the event was deleted");
        } else if (!running) {
            delay(heldJob, DelayReason.RETURNED, one.delay() == null ? Duration.ZERO : one.delay());
        } else if (one.hold() == FoundJob.Hold.CANCELLED) {
            settler.add(new EndedJob(heldJob, new Outcome.Cancelled("cancelled")));
        } else if (one.hold() == FoundJob.Hold.KEY) {
            delayedJobs.expectKeyed();
            delay(heldJob, DelayReason.KEY, Duration.ZERO);
        } else if (one.delay() != null) {
            delay(heldJob, DelayReason.DUE, one.delay());
        } else if (one.hold() == FoundJob.Hold.UNKNOWN_TYPE
                || worker.kind(heldJob.job().type()) == null) {
            delay(heldJob, DelayReason.UNKNOWN, Duration.ZERO);
        } else {
            return true;
        }
        return false;
    }

    /** Returns a job that has not started: another worker runs it, and no attempt counts. */
    void handBack(HeldJob heldJob) {
        delay(heldJob, DelayReason.RETURNED, Duration.ZERO);
    }

    private void delay(HeldJob heldJob, DelayReason reason, Duration wait) {
        settler.add(new EndedJob(heldJob, new Outcome.Delayed(reason, wait)));
    }

    /** Makes a job whose row is bad a dead letter. */
    void bury(HeldJob heldJob, String code, String error) {
        log.error(
                "job_unreadable queue={} job_id={} topic={} position={} error=\"{}\"",
                worker.queue(),
                heldJob.job().id(),
                heldJob.topic(),
                heldJob.job().position(),
                error);
        settler.add(new EndedJob(heldJob, new Outcome.Dead(code, error)));
    }
}
