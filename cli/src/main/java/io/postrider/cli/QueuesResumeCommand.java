package io.postrider.cli;

import io.postrider.work.Queues;
import picocli.CommandLine.Command;

/** Let paused queues go on. */
@Command(
        name = "resume",
        header = "Let paused queues go on.",
        footer = {"  postrider queues resume mail", "  postrider queues resume mail reports"})
final class QueuesResumeCommand extends QueuesSteering {
    QueuesResumeCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    void steer(Queues queues, String name) {
        queues.resume(name);
    }

    @Override
    String done() {
        return "resumed";
    }
}
