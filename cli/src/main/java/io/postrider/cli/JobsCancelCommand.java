package io.postrider.cli;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Cancel jobs: those that wait are not begun, those that run are interrupted. */
@Command(
        name = "cancel",
        header = "Cancel jobs: those that wait are not begun, those that run are interrupted.",
        footer = {
            "  postrider jobs cancel 6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e",
            "  postrider jobs cancel 6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e --reason 'sent by hand'"
        })
final class JobsCancelCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(arity = "1..*", paramLabel = "ID", description = "Their ids.")
    private List<UUID> ids = List.of();

    @Option(names = "--reason", paramLabel = "TEXT", defaultValue = "cancelled", description = "Kept with the job.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String reason;

    JobsCancelCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        return database.with(postrider -> {
            int code = Exit.OK;
            for (UUID id : ids) {
                switch (postrider.jobs().cancel(id, reason)) {
                    case CANCELLED -> terminal.say("cancelled " + id);
                    case ASKED -> terminal.say("it runs; its worker is asked to stop: " + id);
                    case FINISHED -> {
                        terminal.say("too late, it is finished: " + id);
                        code = Exit.CONFLICT;
                    }
                }
            }
            return code;
        });
    }
}
