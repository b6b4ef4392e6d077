package io.postrider.cli;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.cli.text.Nearest;
import io.postrider.work.Queues;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Begin nothing more of these queues, on any node, until they are resumed. */
@Command(
        name = "pause",
        header = "Begin nothing more of these queues, on any node, until they are resumed.",
        footer = {"  postrider queues pause mail", "  postrider queues pause mail reports"})
final class QueuesPauseCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(arity = "1..*", paramLabel = "QUEUE", description = "Their names.")
    private List<String> queues = List.of();

    QueuesPauseCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        database.withJobs(postrider -> {
            List<String> known =
                    postrider.queues().list().stream().map(Queues.Status::name).toList();
            queues.stream().filter(name -> !known.contains(name)).findFirst().ifPresent(name -> {
                throw new PostriderException(Kind.NOT_FOUND, "no queue " + name + Nearest.hint(name, known));
            });
            queues.forEach(name -> postrider.queues().pause(name));
            return true;
        });
        terminal.say("paused " + String.join(", ", queues));
        return Exit.OK;
    }
}
