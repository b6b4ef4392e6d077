package io.postrider.cli.jobs;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Jobs;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Runs scheduled or dead jobs now. */
@Command(
        name = "retry",
        header = "Run scheduled jobs (which wait for a time or a retry) or dead jobs now.",
        footer = {"  postrider jobs retry 6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e"})
public final class JobsRetryCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(arity = "1..*", paramLabel = "ID", description = "Ids of the jobs.")
    private List<UUID> ids = List.of();

    public JobsRetryCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        database.with(postrider -> {
            for (UUID id : ids) {
                Jobs.Status job = postrider
                        .jobs()
                        .find(id)
                        .orElseThrow(() -> new PostriderException(Kind.NOT_FOUND, "no job " + id));
                if (!postrider.jobs().retry(job)) {
                    throw new PostriderException(
                            Kind.CONFLICT,
                            "job " + id + " is " + job.state() + ": only scheduled or dead jobs can be retried");
                }
                terminal.say("retrying " + id);
            }
            return true;
        });
        return ExitCode.OK;
    }
}
