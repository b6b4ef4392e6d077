package io.postrider.cli.adopt;

import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The parent of the steps of an adoption. */
@Command(
        name = "adopt",
        header = "Take over an existing outbox or job table while its writers go on.",
        description =
                "The steps in their order: plan, bridge, import, mirror, status, finish. Each can be repeated, and undone"
                        + " with `postrider adopt undo STEP TABLE`.",
        footer = {
            "  postrider adopt plan outbox",
            "  postrider adopt bridge outbox --topic orders",
            "  postrider adopt import outbox --unfinished",
            "  postrider adopt status outbox",
            "  postrider adopt finish outbox"
        })
public final class AdoptCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    public AdoptCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.err());
        return ExitCode.USAGE;
    }
}
