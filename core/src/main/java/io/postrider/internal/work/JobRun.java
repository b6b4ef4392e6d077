package io.postrider.internal.work;

import io.postrider.ClaimedJob;
import io.postrider.Fate;
import io.postrider.JobHandler;
import io.postrider.Worker;
import io.postrider.internal.claim.HeldJob;
import io.postrider.internal.db.HandlerFailedException;
import io.postrider.internal.db.HandlerTransaction;
import io.postrider.internal.db.TransactionMarker;
import io.postrider.internal.settle.DelayReason;
import io.postrider.internal.settle.EndedJob;
import io.postrider.internal.settle.Outcome;
import io.postrider.internal.settle.Settlements;
import io.postrider.internal.watch.ActivityLog;
import io.postrider.internal.watch.Reports;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Runs the jobs of one queue: calls the handler, and passes the outcome on to be settled. Safe to share. */
final class JobRun {
    private static final Logger log = LoggerFactory.getLogger(JobRun.class);

    private final NodeContext node;
    private final Worker worker;
    private final Settlements settlements;
    private final ScheduledExecutorService scheduler;
    private final Map<HeldJob.Place, RunningJob> running = new ConcurrentHashMap<>();

    /** Cancelled jobs, with the reason. */
    private final Map<HeldJob.Place, String> cancelled = new ConcurrentHashMap<>();

    private volatile boolean closing;

    /** @param scheduler interrupts jobs that exceed their timeout */
    JobRun(NodeContext node, Worker worker, Settlements settlements, ScheduledExecutorService scheduler) {
        this.node = node;
        this.worker = worker;
        this.settlements = settlements;
        this.scheduler = scheduler;
    }

    /** From now on, a job that is interrupted is returned to its queue. */
    void close() {
        closing = true;
    }

    /** The jobs that run now. */
    Collection<HeldJob.Place> running() {
        return running.keySet();
    }

    /** This job was cancelled: if it waits it is not started, if it runs it is interrupted. */
    void cancel(HeldJob.Place place, String reason) {
        cancelled.put(place, reason);
        RunningJob now = running.get(place);
        if (now != null) {
            now.interrupt(RunningJob.Why.CANCELLED);
        }
    }

    /** Positions may belong to other jobs from now on: only running jobs can still be cancelled. */
    void forgetCancelled() {
        cancelled.keySet().retainAll(running.keySet());
    }

    /** Runs a job. Returns how long it took, in nanoseconds. */
    long run(HeldJob heldJob) {
        Worker.Kind kind = worker.kind(heldJob.job().type());
        if (kind == null) {
            throw new IllegalStateException("no handler for " + heldJob.job().type());
        }
        RunningJob now = new RunningJob(Thread.currentThread());
        running.put(heldJob.place(), now);
        reportStart(heldJob);
        @Nullable Outcome outcome;
        try {
            outcome = run(heldJob, kind, now);
        } finally {
            running.remove(heldJob.place(), now); // it may already run again under another number
        }
        String reason = cancelled.isEmpty() ? null : cancelled.remove(heldJob.place());
        if (outcome != null) {
            node.settler()
                    .add(new EndedJob(
                            heldJob,
                            reason != null && outcome instanceof Outcome.Delayed
                                    ? new Outcome.Cancelled(reason)
                                    : outcome,
                            reason != null || outcome instanceof Outcome.Cancelled,
                            kind.handler() instanceof JobHandler.Transactional,
                            now.nanos()));
        }
        return now.nanos();
    }

    private void reportStart(HeldJob heldJob) {
        ClaimedJob job = heldJob.job();
        Reports reports = node.reports();
        reports.watch().jobBegun(job);
        if (!heldJob.isDelayed()) {
            reports.watch().jobPickedUp(job);
        }
        Level level = reports.lines().level(log, ActivityLog.Line.JOB_CLAIMED);
        if (level != null) {
            ActivityLog.write(
                    log,
                    level,
                    "job_claimed queue={} job_type={} job_id={} item_id={} attempt={} worker_id={}",
                    job.queue(),
                    job.type(),
                    job.id(),
                    ActivityLog.clean(job.key()),
                    job.attempt(),
                    reports.node());
        }
    }

    /** The outcome; null if the transaction of the handler has settled the job, or found that it is not ours any more. */
    private @Nullable Outcome run(HeldJob heldJob, Worker.Kind kind, RunningJob now) {
        String reason = cancelled.isEmpty() ? null : cancelled.get(heldJob.place());
        if (reason != null) {
            return new Outcome.Cancelled(reason);
        }
        Duration timeout = kind.timeout();
        Future<?> alarm = timeout == null
                ? null
                : scheduler.schedule(
                        () -> now.interrupt(RunningJob.Why.TIMEOUT), timeout.toMillis(), TimeUnit.MILLISECONDS);
        try {
            if (kind.handler() instanceof JobHandler.Transactional transactional) {
                return inTransaction(transactional, heldJob, kind, now);
            }
            return Outcomes.of(kind, heldJob.job(), ((JobHandler.Plain) kind.handler()).handle(heldJob.job()));
        } catch (HandlerFailedException e) {
            return failed(kind, heldJob, e.reason(), now.end());
        } catch (Throwable e) {
            return failed(kind, heldJob, e, now.end());
        } finally {
            now.end();
            if (alarm != null) {
                alarm.cancel(false);
            }
        }
    }

    private @Nullable Outcome inTransaction(
            JobHandler.Transactional handler, HeldJob heldJob, Worker.Kind kind, RunningJob now) {
        ClaimedJob job = heldJob.job();
        TransactionMarker marker = TransactionMarker.ofJob(heldJob.worker(), job.id());
        EndedJob[] done = {done(heldJob, new Outcome.Done(null), now)};
        try {
            HandlerTransaction.run(node.database(), marker, transaction -> {
                Fate fate = handle(transaction, handler, job);
                now.end();
                Outcome outcome = Outcomes.of(kind, job, fate);
                if (!(outcome instanceof Outcome.Done)) {
                    throw new RollBackException(outcome);
                }
                done[0] = done(heldJob, outcome, now);
                return switch (settlements.settleInHandler(transaction.session(), done[0])) {
                    case WRITTEN -> true;
                    // An earlier run of this job has committed its effects: this one must not commit them again.
                    case ALREADY_WRITTEN, LOST -> throw new RollBackException(null);
                    case CANCELLED -> throw new RollBackException(new Outcome.Cancelled("cancelled"));
                    case WRONG_TRANSACTION -> throw transaction.endedByHandler();
                };
            });
            node.settler().settledInHandler(done[0], true);
            return null;
        } catch (RollBackException e) {
            if (e.outcome == null) {
                node.settler().settledInHandler(done[0], false);
            }
            return e.outcome;
        }
    }

    private static EndedJob done(HeldJob heldJob, Outcome outcome, RunningJob now) {
        return new EndedJob(heldJob, outcome, false, true, now.nanos());
    }

    private static Fate handle(HandlerTransaction transaction, JobHandler.Transactional handler, ClaimedJob job) {
        Fate fate = transaction.call(connection -> handler.handle(connection, job));
        if (fate instanceof Fate.Done) {
            transaction.requireCommittable();
        } else {
            transaction.requireUncommitted();
        }
        return fate;
    }

    private Outcome failed(Worker.Kind kind, HeldJob heldJob, Throwable e, RunningJob.@Nullable Why interrupted) {
        if (interrupted == RunningJob.Why.CANCELLED) {
            return new Outcome.Cancelled(cancelled.getOrDefault(heldJob.place(), "cancelled"));
        }
        if (closing && (e instanceof InterruptedException || Thread.interrupted())) {
            return new Outcome.Delayed(DelayReason.RETURNED, Duration.ZERO);
        }
        Duration timeout = kind.timeout();
        return interrupted == RunningJob.Why.TIMEOUT && timeout != null
                ? Outcomes.timedOut(kind, heldJob.job(), timeout, e)
                : Outcomes.thrown(kind, heldJob.job(), e);
    }

    /** Rolls the transaction back. */
    private static final class RollBackException extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient @Nullable Outcome outcome;

        RollBackException(@Nullable Outcome outcome) {
            this.outcome = outcome;
        }
    }
}
