package io.postrider.internal.work;

import io.postrider.ClaimedJob;
import io.postrider.admin.JobEnd;
import io.postrider.admin.Watch;
import io.postrider.internal.settle.EndedJob;
import io.postrider.internal.settle.Outcome;
import io.postrider.internal.watch.ActivityLog;
import io.postrider.internal.watch.Reports;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Logs how jobs ended, and notifies the {@link Watch}. Safe to share. */
final class OutcomeLog {
    private static final Logger log = LoggerFactory.getLogger(OutcomeLog.class);
    private static final String COMPLETED =
            "job_completed queue={} job_type={} job_id={} item_id={} attempt={} worker_id={} duration_ms={}";
    private static final String FAILED =
            COMPLETED.replace("job_completed", "job_failed") + " will_retry={} error_code={} error=\"{}\"";
    private static final String UNAVAILABLE = FAILED.replace("job_failed", "job_unavailable");

    private final Reports reports;

    OutcomeLog(Reports reports) {
        this.reports = reports;
    }

    /** @param lost those of the jobs that did not belong to this worker any more */
    void settled(List<EndedJob> jobs, Set<EndedJob> lost) {
        for (EndedJob one : lost) {
            log.warn(
                    "job_lost queue={} job_id={} it was settled before: by a takeover, or by a commit whose answer was lost",
                    one.heldJob().job().queue(),
                    one.heldJob().job().id());
        }
        for (EndedJob one : jobs) {
            if (one.isStarted()) {
                ended(one, lost.contains(one) ? JobEnd.LOST : one.outcome().watched());
            }
        }
    }

    private void ended(EndedJob one, JobEnd end) {
        reports.watch().jobEnded(one.heldJob().job(), end, Duration.ofNanos(one.nanos()));
        if (one.outcome().error() != null && end != JobEnd.LOST) {
            failed(one, end);
        } else if (end == JobEnd.DONE) {
            completed(one);
        }
    }

    private void completed(EndedJob one) {
        Level level = reports.lines().level(log, ActivityLog.Line.JOB_COMPLETED);
        if (level != null) {
            ClaimedJob job = one.heldJob().job();
            ActivityLog.write(
                    log,
                    level,
                    COMPLETED,
                    job.queue(),
                    job.type(),
                    job.id(),
                    ActivityLog.clean(job.key()),
                    job.attempt(),
                    reports.node(),
                    millis(one));
        }
    }

    /** Logs the first and the last failure with the stack trace, and the attempts between them in one line each. */
    private void failed(EndedJob one, JobEnd end) {
        boolean dead = end == JobEnd.DEAD;
        ClaimedJob job = one.heldJob().job();
        Outcome outcome = one.outcome();
        @Nullable
        Object[] values = {
            job.queue(),
            job.type(),
            job.id(),
            ActivityLog.clean(job.key()),
            job.attempt(),
            reports.node(),
            millis(one),
            !dead,
            outcome.code(),
            outcome.error(),
            dead || job.attempt() == 1 ? outcome.cause() : null
        };
        if (dead) {
            log.error(FAILED, values);
        } else {
            log.warn(end == JobEnd.UNAVAILABLE ? UNAVAILABLE : FAILED, values);
        }
    }

    private static long millis(EndedJob one) {
        return one.nanos() / 1_000_000;
    }
}
