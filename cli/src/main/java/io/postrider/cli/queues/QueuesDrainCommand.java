package io.postrider.cli.queues;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Queues;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.Durations;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Pauses queues and waits for their running jobs. */
@Command(
        name = "drain",
        header = "Pause queues and wait until none of their jobs runs.",
        footer = {"  postrider queues drain mail", "  postrider queues drain mail reports --within 5m"})
public final class QueuesDrainCommand extends QueuesActionCommand {
    @Option(
            names = "--within",
            paramLabel = "TIME",
            defaultValue = "1m",
            description = "Maximum wait: 500ms, 30s, 5m, 2h, 1d (default: 1m).")
    private String within = "1m";

    public QueuesDrainCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    void steer(Queues queues, String name) {
        Duration most = Durations.parse("--within", within);
        try {
            if (!queues.drain(name, most)) {
                throw new PostriderException(
                        Kind.CONFLICT, "queue " + name + " is paused, but some of its jobs still run after " + within);
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
