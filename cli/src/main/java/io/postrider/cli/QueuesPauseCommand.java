package io.postrider.cli;

import io.postrider.work.Queues;
import picocli.CommandLine.Command;

/** Begin nothing more of these queues, on any node, until they are resumed. */
@Command(
        name = "pause",
        header = "Begin nothing more of these queues, on any node, until they are resumed.",
        footer = {"  postrider queues pause mail", "  postrider queues pause mail reports"})
final class QueuesPauseCommand extends QueuesSteering {
    QueuesPauseCommand(Terminal terminal) {
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
