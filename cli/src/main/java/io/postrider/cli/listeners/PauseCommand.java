package io.postrider.cli.listeners;

import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Pauses listeners on all nodes. */
@Command(
        name = "pause",
        header = "Pause listeners at their position, on all nodes, until they are resumed.",
        footer = {"  postrider pause mail", "  postrider pause mail ledger"})
public final class PauseCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(arity = "1..*", paramLabel = "LISTENER", description = "Names of the listeners.")
    private List<String> listeners = List.of();

    public PauseCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        int code = ListenerAction.steer(database, listeners, (postrider, name) -> postrider.pause(name));
        terminal.say("paused " + String.join(", ", listeners));
        return code;
    }
}
