package io.postrider.cli.queues;

import io.postrider.admin.Queues;
import io.postrider.cli.terminal.Terminal;
import picocli.CommandLine.Command;

/** Pauses queues on all nodes. */
@Command(
        name = "pause",
        header = "Pause queues on all nodes: no new job starts until they are resumed; running jobs finish.",
        footer = {"  postrider queues pause mail", "  postrider queues pause mail reports"})
public final class QueuesPauseCommand extends QueuesActionCommand {
    public QueuesPauseCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    void steer(Queues queues, String name) {
        queues.pause(name);
    }

    @Override
    String done() {
        return "paused";
    }
}
