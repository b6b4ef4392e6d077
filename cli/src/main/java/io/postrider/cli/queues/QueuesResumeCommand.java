package io.postrider.cli.queues;

import io.postrider.admin.Queues;
import io.postrider.cli.terminal.Terminal;
import picocli.CommandLine.Command;

/** Resumes paused queues. */
@Command(
        name = "resume",
        header = "Resume paused queues.",
        footer = {"  postrider queues resume mail", "  postrider queues resume mail reports"})
public final class QueuesResumeCommand extends QueuesActionCommand {
    public QueuesResumeCommand(Terminal terminal) {
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
