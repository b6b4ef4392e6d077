package io.postrider.cli;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.work.Queues;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Pause queues and wait until nothing of them runs. */
@Command(
        name = "drain",
        header = "Pause queues and wait until nothing of them runs.",
        footer = {"  postrider queues drain mail", "  postrider queues drain mail reports --within 5m"})
final class QueuesDrainCommand extends QueuesSteering {
    @Option(
            names = "--within",
            paramLabel = "TIME",
            defaultValue = "1m",
            description = "Wait at most so long: 500ms, 30s, 5m, 2h, 1d (default: 1m).")
    private String within = "1m";

    QueuesDrainCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    void steer(Queues queues, String name) {
        Duration most = Spans.parse("--within", within);
        try {
            if (!queues.drain(name, most)) {
                throw new PostriderException(
                        Kind.CONFLICT, "queue " + name + " is paused, but jobs of it still run after " + within);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostriderException(Kind.CONFLICT, "interrupted; queue " + name + " is paused");
        }
    }

    @Override
    String done() {
        return "drained";
    }
}
