package io.postrider.cli;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.cli.text.Clean;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Nearest;
import io.postrider.db.Database;
import io.postrider.listen.Relays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the node that runs a relay try its sink. */
@Command(
        name = "test",
        header = "Have the node that runs a relay try its sink, without an event.",
        description = "Works for a relay that is paused as well. Exit code 5 if the sink could not be reached.",
        footer = {"  postrider relays test to-kafka", "  postrider relays test to-kafka --wait 30s --json"})
final class RelaysTestCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "RELAY", description = "Its name.")
    @SuppressWarnings("NullAway.Init") // required
    private String relay;

    @Option(names = "--wait", paramLabel = "TIME", description = "How long to wait for the node. Default 15s.")
    private String wait = "15s";

    @Option(names = "--json", description = "One object.")
    private boolean json;

    RelaysTestCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Names.listener(relay);
        database.requireUsable(new Database(database.dataSource(), database.schema()));
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            List<String> known =
                    postrider.relays().list().stream().map(Relays.Status::name).toList();
            if (!known.contains(relay)) {
                throw new PostriderException(Kind.NOT_FOUND, "no relay " + relay + Nearest.hint(relay, known));
            }
            return tell(postrider.relays().test(relay, Spans.parse("--wait", wait)));
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
            terminal.out().println(Clean.line(String.valueOf(tested.found())));
        }
        if (tested.error() != null) {
            terminal.say("the sink of " + relay + " could not be reached: " + Clean.line(tested.error()));
            return Exit.UNREACHABLE;
        }
        return Exit.OK;
    }
}
