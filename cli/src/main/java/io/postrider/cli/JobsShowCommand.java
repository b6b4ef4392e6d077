package io.postrider.cli;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.cli.text.Clean;
import io.postrider.cli.text.JsonLine;
import io.postrider.work.Jobs;
import io.postrider.work.Waiting;
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
        header = "Show one job, and why it is waiting.",
        footer = {
            "  postrider jobs show 6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e",
            "  postrider jobs show 6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e --json | jq .payload"
        })
final class JobsShowCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "ID", description = "Its id, as enqueuing gave it.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private UUID id;

    @Option(names = "--json", description = "One object.")
    private boolean json;

    JobsShowCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        return database.with(postrider -> {
            Jobs.Status job =
                    postrider.jobs().find(id).orElseThrow(() -> new PostriderException(Kind.NOT_FOUND, "no job " + id));
            Waiting waiting = job.state() == Jobs.State.PENDING
                    ? postrider.jobs().waiting(job).orElse(null)
                    : null;
            if (json) {
                JsonLine line = JobLines.json(job);
                if (waiting != null) {
                    line.text("waiting_reason", waiting.reason().name())
                            .time("waiting_until", waiting.until())
                            .text("waiting_detail", waiting.detail());
                }
                terminal.out().println(line);
            } else {
                show(job, waiting);
            }
            return Exit.OK;
        });
    }

    private void show(Jobs.Status job, @Nullable Waiting waiting) {
        field("job", job.id().toString());
        field("queue", job.queue() + ", " + job.priority() + " priority, position " + job.position());
        field("type", job.type());
        field("state", job.state().name());
        field("attempts", Integer.toString(job.attempts()));
        field("run at", JsonLine.time(job.runAt()));
        field("waits", waiting == null ? null : waiting.detail() + " (" + waiting.reason() + ")");
        field("run by", job.lockedBy());
        field("lease until", time(job.leaseExpiresAt()));
        field("error", job.error());
        field("created", JsonLine.time(job.createdAt()));
        field("claimed", time(job.claimedAt()));
        field("finished", time(job.finishedAt()));
        field("key", job.key());
        field(
                "progress",
                job.progress() == null
                        ? null
                        : job.progress() + " % " + Clean.line(String.valueOf(job.progressNote())));
        field("payload", job.payload());
        field("result", job.result());
        StackLines.print(terminal, job.stack());
    }

    private static @Nullable String time(@Nullable Instant time) {
        return time == null ? null : JsonLine.time(time);
    }

    private void field(String name, @Nullable String value) {
        if (value != null) {
            terminal.out().println(terminal.ink().dim(String.format("%-12s", name)) + Clean.line(value));
        }
    }
}
