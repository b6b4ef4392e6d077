package io.postrider.cli.relays;

import io.postrider.Postrider;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Names;
import io.postrider.cli.text.Table;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Ends the shadow mode of a relay or another listener. */
@Command(
        name = "go-live",
        header = "End the shadow mode of a relay or another listener at an exact position.",
        description = {
            "It sends every event from that position on, and none before it. Running nodes follow within a second, without a"
                    + " restart.",
            "The default is the position after the last one that it has recorded."
        },
        footer = {"  postrider relays go-live to-kafka", "  postrider relays go-live to-kafka --at 1042 --json"})
public final class RelaysGoLiveCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "RELAY", description = "Name of the relay, or of another listener.")
    @SuppressWarnings("NullAway.Init") // required
    private String relay;

    @Option(
            names = "--at",
            paramLabel = "POSITION",
            description = "First position to send. A later one keeps it in shadow mode up to there; an earlier one"
                    + " sends what was only recorded since.")
    private @Nullable Long at;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public RelaysGoLiveCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Names.listener(relay);
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            DatabaseOptions.requireUsable(postrider);
            ListenerName.require(postrider, relay);
            long from = at == null
                    ? postrider.listeners().goLive(relay)
                    : postrider.listeners().goLive(relay, at);
            terminal.say(relay + " is live from position " + Table.grouped(from) + " on");
            if (json) {
                terminal.out().println(new JsonLine().text("name", relay).number("live_from", from));
            }
            return ExitCode.OK;
        }
    }
}
