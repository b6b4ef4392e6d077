package io.postrider.cli;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.work.Jobs;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Do jobs now that wait for their time or are dead. */
@Command(
        name = "retry",
        header = "Do jobs now that wait for their time or are dead.",
        footer = {"  postrider jobs retry 6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e"})
final class JobsRetryCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(arity = "1..*", paramLabel = "ID", description = "Their ids.")
    private List<UUID> ids = List.of();

    JobsRetryCommand(Terminal terminal) {
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
                            Kind.CONFLICT, "job " + id + " is " + job.state() + ": it neither waits nor is dead");
                }
                terminal.say("retrying " + id);
            }
            return true;
        });
        return Exit.OK;
    }
}
