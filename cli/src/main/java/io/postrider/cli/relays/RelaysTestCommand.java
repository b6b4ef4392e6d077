package io.postrider.cli.relays;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Relays;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.Durations;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Names;
import io.postrider.cli.text.PrintableText;
import io.postrider.support.Suggestion;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Asks the node that runs a relay to test its sink. */
@Command(
        name = "test",
        header = "Test whether the node of a relay reaches its sink, without sending an event.",
        description = "Also works for a paused relay. Exits with 5 if the sink could not be reached.",
        footer = {"  postrider relays test to-kafka", "  postrider relays test to-kafka --wait 30s --json"})
public final class RelaysTestCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "RELAY", description = "Name of the relay.")
    @SuppressWarnings("NullAway.Init") // required
    private String relay;

    @Option(names = "--wait", paramLabel = "TIME", description = "Maximum wait for the node (default: 15s).")
    private String wait = "15s";

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public RelaysTestCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Names.listener(relay);
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            DatabaseOptions.requireUsable(postrider);
            List<String> known =
                    postrider.relays().list().stream().map(Relays.Status::name).toList();
            if (!known.contains(relay)) {
                throw new PostriderException(Kind.NOT_FOUND, "no relay " + relay + Suggestion.hint(relay, known));
            }
            return tell(postrider.relays().test(relay, Durations.parse("--wait", wait)));
        }
    }

    private int tell(Relays.Tested tested) {
        if (json) {
            terminal.out()
                    .println(new JsonLine()
                            .text("relay", relay)
                            .bool("reached", tested.error() == null)
                            .text("found", tested.found())
                            .text("error", tested.error())
                            .time("at", tested.at()));
        } else if (tested.error() == null) {
            terminal.out().println(PrintableText.line(String.valueOf(tested.found())));
        }
        if (tested.error() != null) {
            terminal.say("the sink of " + relay + " could not be reached: " + PrintableText.line(tested.error()));
            return ExitCode.UNREACHABLE;
        }
        return ExitCode.OK;
    }
}
