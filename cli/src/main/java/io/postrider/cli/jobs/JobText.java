package io.postrider.cli.jobs;

import io.postrider.admin.Jobs;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.PrintableText;

/** Formats a job as text and as JSON. */
final class JobText {
    private JobText() {}

    /** A short detail in addition to its state: the error, the worker, the wait reason or the result. */
    static String what(Jobs.Status job) {
        String error = job.error();
        return switch (job.state()) {
            case FAILED -> error == null ? "" : PrintableText.shorten(PrintableText.line(error), 80);
            case IN_PROGRESS ->
                (job.lockedBy() == null ? "" : "run by " + PrintableText.line(job.lockedBy()))
                        + (job.progress() == null ? "" : ", " + job.progress() + " %");
            case PENDING ->
                job.waitsFor() == null
                        ? ""
                        : job.waitsFor() + ", due " + JsonLine.time(job.runAt())
                                + (error == null ? "" : ": " + PrintableText.shorten(PrintableText.line(error), 60));
            default -> job.result() == null ? "" : PrintableText.shorten(PrintableText.line(job.result()), 80);
        };
    }

    /** The fields have the names of the columns of the view. */
    static JsonLine json(Jobs.Status job) {
        return new JsonLine()
                .text("id", job.id().toString())
                .text("queue", job.queue())
                .text("job_type", job.type())
                .text("priority", job.priority())
                .text("state", job.state().name())
                .time("run_at", job.runAt())
                .number("attempt_count", job.attempts())
                .text("locked_by", job.lockedBy())
                .time("lease_expires_at", job.leaseExpiresAt())
                .text("last_error_code", job.errorCode())
                .text("last_error_message", job.error())
                .text("stack", job.stack())
                .time("created_at", job.createdAt())
                .time("claimed_at", job.claimedAt())
                .time("finished_at", job.finishedAt())
                .text("key", job.key())
                .raw("payload", job.payload())
                .raw("result", String.valueOf(job.result()))
                .raw("progress", String.valueOf(job.progress()))
                .text("waits_for", job.waitsFor())
                .text("topic", job.topic())
                .number("position", job.position());
    }
}
