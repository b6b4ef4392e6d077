package io.postrider.cli.jobs;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Jobs;
import io.postrider.admin.WaitReason;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.StackTraceLines;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.PrintableText;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows one job, and why it is waiting. */
@Command(
        name = "show",
        header = "Show a job and why it is waiting.",
        footer = {
            "  postrider jobs show 6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e",
            "  postrider jobs show 6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e --json | jq .payload"
        })
public final class JobsShowCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "ID", description = "Id of the job, as printed by `jobs enqueue`.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private UUID id;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public JobsShowCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        return database.with(postrider -> {
            Jobs.Status job =
                    postrider.jobs().find(id).orElseThrow(() -> new PostriderException(Kind.NOT_FOUND, "no job " + id));
            WaitReason waiting = job.state() == Jobs.State.PENDING
                    ? postrider.jobs().waiting(job).orElse(null)
                    : null;
            if (json) {
                JsonLine line = JobText.json(job);
                if (waiting != null) {
                    line.text("waiting_reason", waiting.reason().name())
                            .time("waiting_until", waiting.until())
                            .text("waiting_detail", waiting.detail());
                }
                terminal.out().println(line);
            } else {
                show(job, waiting);
            }
            return ExitCode.OK;
        });
    }

    private void show(Jobs.Status job, @Nullable WaitReason waiting) {
        field("job", job.id().toString());
        field("queue", job.queue() + ", " + job.priority() + " priority, position " + job.position());
        field("type", job.type());
        field("state", job.state().name());
        field("attempts", Integer.toString(job.attempts()));
        field("run at", JsonLine.time(job.runAt()));
        field("waits", waiting == null ? null : waiting.detail() + " (" + waiting.reason() + ")");
        field("run by", job.lockedBy());
        field("lease until", time(job.leaseExpiresAt()));
        field("error code", job.errorCode());
        field("error", job.error());
        field("created", JsonLine.time(job.createdAt()));
        field("claimed", time(job.claimedAt()));
        field("finished", time(job.finishedAt()));
        field("key", job.key());
        field(
                "progress",
                job.progress() == null
                        ? null
                        : job.progress() + " % " + PrintableText.line(String.valueOf(job.progressNote())));
        field("payload", job.payload());
        field("result", job.result());
        StackTraceLines.print(terminal, job.stack());
    }

    private static @Nullable String time(@Nullable Instant time) {
        return time == null ? null : JsonLine.time(time);
    }

    private void field(String name, @Nullable String value) {
        if (value != null) {
            terminal.out().println(terminal.colours().dim(String.format("%-12s", name)) + PrintableText.line(value));
        }
    }
}
