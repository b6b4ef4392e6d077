package io.postrider.cli;

import io.postrider.cli.text.Clean;
import io.postrider.cli.text.JsonLine;
import io.postrider.work.Jobs;

/** A job as text: for a person and for a script. */
final class JobLines {
    private JobLines() {}

    /** What there is to say beyond its state, in a few words. */
    static String what(Jobs.Status job) {
        String error = job.error();
        return switch (job.state()) {
            case FAILED -> error == null ? "" : Clean.shorten(Clean.line(error), 80);
            case IN_PROGRESS ->
                (job.lockedBy() == null ? "" : "run by " + Clean.line(job.lockedBy()))
                        + (job.progress() == null ? "" : ", " + job.progress() + " %");
            case PENDING ->
                job.waitsFor() == null
                        ? ""
                        : job.waitsFor() + ", due " + JsonLine.time(job.runAt())
                                + (error == null ? "" : ": " + Clean.shorten(Clean.line(error), 60));
            default -> job.result() == null ? "" : Clean.shorten(Clean.line(job.result()), 80);
        };
    }

    /** With the names of the view. */
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
