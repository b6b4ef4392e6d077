package io.postrider.cli.jobs;

import io.postrider.Job;
import io.postrider.PostriderException;
import io.postrider.Priority;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.Durations;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Enqueues one job. */
@Command(
        name = "enqueue",
        header = "Enqueue a job.",
        footer = {
            "  postrider jobs enqueue mail welcome '{\"to\":\"anne\"}'",
            "  postrider jobs enqueue mail digest --in 10m --priority low",
            "  postrider jobs enqueue reports nightly --at 2027-01-01T03:00:00Z --unique nightly"
        })
public final class JobsEnqueueCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "QUEUE", description = "Queue of the job.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String queue;

    @Parameters(index = "1", paramLabel = "TYPE", description = "Type of the job, such as mail.welcome.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String type;

    @Parameters(
            index = "2",
            arity = "0..1",
            paramLabel = "PAYLOAD",
            defaultValue = "{}",
            description = "Payload as JSON (default: {}).")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String payload;

    @Option(
            names = "--at",
            paramLabel = "TIME",
            description = "Run no earlier than this time, such as 2027-01-01T03:00:00Z.")
    private @Nullable String at;

    @Option(names = "--in", paramLabel = "TIME", description = "Run after this delay: 500ms, 30s, 5m, 2h, 1d.")
    private @Nullable String in;

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description = "Key of the job; a queue can limit how many jobs of a key run at once.")
    private @Nullable String key;

    @Option(
            names = "--priority",
            paramLabel = "PRIORITY",
            description = "Priority: high, normal or low (default: normal).")
    private @Nullable String priority;

    @Option(
            names = "--unique",
            paramLabel = "KEY",
            description = "Do not enqueue if an unfinished job of the same queue and project has this unique key.")
    private @Nullable String unique;

    public JobsEnqueueCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Job job = job();
        UUID id = database.with(postrider -> postrider.transaction(connection -> postrider.enqueue(connection, job)));
        terminal.out().println(id);
        if (!id.equals(job.event().id())) {
            terminal.say("not enqueued: an unfinished job already has this unique key");
        }
        return ExitCode.OK;
    }

    private Job job() {
        if (at != null && in != null) {
            throw PostriderException.refused("--at and --in cannot be given together");
        }
        Job job = Job.of(queue, type, payload).withKey(key);
        if (at != null) {
            job = job.withRunAt(time(at));
        }
        if (in != null) {
            job = job.withRunAt(Instant.now().plus(Durations.parse("--in", in)));
        }
        if (priority != null) {
            job = job.withPriority(lane(priority));
        }
        return unique == null ? job : job.withUnique(unique);
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw PostriderException.refused("--at must be a time such as 2027-01-01T03:00:00Z, was '" + text + "'");
        }
    }

    private static Priority lane(String text) {
        try {
            return Priority.valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw PostriderException.refused("--priority must be high, normal or low, was '" + text + "'");
        }
    }
}
