package io.postrider.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Let paused listeners go on. */
@Command(
        name = "resume",
        header = "Let paused listeners go on.",
        footer = {"  postrider resume mail", "  postrider resume mail ledger"})
final class ResumeCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(arity = "1..*", paramLabel = "LISTENER", description = "Their names.")
    private List<String> listeners = List.of();

    ResumeCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        int code = Steering.steer(database, listeners, (postrider, name) -> postrider.resume(name));
        terminal.say("resumed " + String.join(", ", listeners));
        return code;
    }
}
