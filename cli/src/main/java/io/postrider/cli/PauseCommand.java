package io.postrider.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Stop listeners where they are, on every node, until they are resumed. */
@Command(
        name = "pause",
        header = "Stop listeners where they are, on every node, until they are resumed.",
        footer = {"  postrider pause mail", "  postrider pause mail ledger"})
final class PauseCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(arity = "1..*", paramLabel = "LISTENER", description = "Their names.")
    private List<String> listeners = List.of();

    PauseCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        int code = Steering.steer(database, listeners, (postrider, name) -> postrider.pause(name));
        terminal.say("paused " + String.join(", ", listeners));
        return code;
    }
}
