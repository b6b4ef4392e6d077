package io.postrider.cli.relays;

import io.postrider.Postrider;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.Durations;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Names;
import io.postrider.cli.text.Table;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Puts a relay or another listener into shadow mode. */
@Command(
        name = "shadow",
        header = "Put a relay or another listener into shadow mode: it does everything except the sending.",
        description = {
            "It records what it would have sent; `relays compare` compares that with another publisher, and `relays go-live`"
                    + " ends shadow mode.",
            "The node that runs it first records everything that it has sent. Withdraws a go-live at a later position."
        },
        footer = {"  postrider relays shadow to-kafka", "  postrider relays shadow to-kafka --wait 1m --json"})
public final class RelaysShadowCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "RELAY", description = "Name of the relay, or of another listener.")
    @SuppressWarnings("NullAway.Init") // required
    private String relay;

    @Option(names = "--wait", paramLabel = "TIME", description = "Maximum wait for the node (default: 15s).")
    private String wait = "15s";

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public RelaysShadowCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Names.listener(relay);
        Duration most = Durations.parse("--wait", wait);
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            DatabaseOptions.requireUsable(postrider);
            ListenerName.require(postrider, relay);
            long from = postrider.listeners().shadow(relay, most);
            terminal.say(relay + " is in shadow mode from position " + Table.grouped(from) + " on");
            if (json) {
                terminal.out()
                        .println(new JsonLine()
                                .text("name", relay)
                                .text("mode", "shadow")
                                .number("shadow_from", from));
            }
            return ExitCode.OK;
        }
    }
}
