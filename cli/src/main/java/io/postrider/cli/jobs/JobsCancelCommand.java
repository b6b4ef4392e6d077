package io.postrider.cli.jobs;

import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Cancels jobs: waiting jobs do not start, running jobs are interrupted. */
@Command(
        name = "cancel",
        header = "Cancel jobs: waiting jobs do not start, running jobs are interrupted.",
        footer = {
            "  postrider jobs cancel 6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e",
            "  postrider jobs cancel 6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e --reason 'sent by hand'"
        })
public final class JobsCancelCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(arity = "1..*", paramLabel = "ID", description = "Ids of the jobs.")
    private List<UUID> ids = List.of();

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            defaultValue = "cancelled",
            description = "Reason, stored with the job (default: cancelled).")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String reason;

    public JobsCancelCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        return database.with(postrider -> {
            int code = ExitCode.OK;
            for (UUID id : ids) {
                switch (postrider.jobs().cancel(id, reason)) {
                    case CANCELLED -> terminal.say("cancelled " + id);
                    case ASKED -> terminal.say("running; its worker has been asked to interrupt it: " + id);
                    case FINISHED -> {
                        terminal.say("already finished: " + id);
                        code = ExitCode.CONFLICT;
                    }
                }
            }
            return code;
        });
    }
}
