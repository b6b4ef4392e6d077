package io.postrider.cli.listeners;

import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Resumes paused listeners. */
@Command(
        name = "resume",
        header = "Resume paused listeners.",
        footer = {"  postrider resume mail", "  postrider resume mail ledger"})
public final class ResumeCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(arity = "1..*", paramLabel = "LISTENER", description = "Names of the listeners.")
    private List<String> listeners = List.of();

    public ResumeCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        int code = ListenerAction.steer(database, listeners, (postrider, name) -> postrider.resume(name));
        terminal.say("resumed " + String.join(", ", listeners));
        return code;
    }
}
