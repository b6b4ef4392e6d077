package io.postrider.internal.work;

import io.postrider.ClaimedJob;
import io.postrider.admin.JobEnd;
import io.postrider.admin.Watch;
import io.postrider.internal.settle.EndedJob;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs how jobs ended, and notifies the {@link Watch}. Safe to share. */
final class OutcomeLog {
    private static final Logger log = LoggerFactory.getLogger(OutcomeLog.class);
    private static final String FAILED =
            "job_failed queue={} job_type={} job_id={} attempt={} will_retry={} error=\"{}\"";
    private static final String UNAVAILABLE = FAILED.replace("job_failed", "job_unavailable");

    private final Watch watch;

    OutcomeLog(Watch watch) {
        this.watch = watch;
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
        ClaimedJob job = one.heldJob().job();
        watch.jobEnded(job, end, Duration.ofNanos(one.nanos()));
        String error = one.outcome().error();
        if (error != null && end != JobEnd.LOST) {
            failed(job, end, error, one.outcome().cause());
        } else if (log.isDebugEnabled() && end == JobEnd.DONE) {
            log.debug(
                    "job_completed queue={} job_type={} job_id={} attempt={} took_ms={}",
                    job.queue(),
                    job.type(),
                    job.id(),
                    job.attempt(),
                    one.nanos() / 1_000_000);
        }
    }

    /** Logs the first and the last failure with the stack trace, and the attempts between them in one line each. */
    private static void failed(ClaimedJob job, JobEnd end, String error, @Nullable Throwable cause) {
        boolean dead = end == JobEnd.DEAD;
        @Nullable
        Object[] values = {
            job.queue(), job.type(), job.id(), job.attempt(), !dead, error, dead || job.attempt() == 1 ? cause : null
        };
        if (dead) {
            log.error(FAILED, values);
        } else {
            log.warn(end == JobEnd.UNAVAILABLE ? UNAVAILABLE : FAILED, values);
        }
    }
}
